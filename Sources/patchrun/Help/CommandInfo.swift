import ArgumentParser
import Diagnostics
import PatchSyntax

/// The description of a command that the argument parser prints as JSON. Help, manual and
/// completion are made from it.
struct CommandInfo {
  /// The names from the program's on, such as `patchrun`, `ctl`, `set`.
  var path: [String]
  var abstract: String
  var help: HelpText
  var arguments: [ArgumentInfo]
  var subcommands: [CommandInfo]
  /// The subcommand that runs if none is named.
  var defaultSubcommand: String?
  var isHidden: Bool

  var name: String { path.last ?? "" }

  /// The program with all its subcommands.
  static let root: CommandInfo = {
    let source = SourceText(name: "help", bytes: Array(Patchrun._dumpHelp().utf8))
    let reading = JSONReader.read(source, dialect: .json)
    guard let command = reading.tree?.root["command"] else {
      preconditionFailure("the parser of arguments describes the program in JSON")
    }
    return CommandInfo(command, in: [])
  }()

  private init(_ value: JSONValue, in path: [String]) {
    self.path = path + [value["commandName"]?.string ?? ""]
    abstract = value["abstract"]?.string ?? ""
    help = HelpText(value["discussion"]?.string ?? "")
    arguments = value["arguments"].map { $0.elements.map(ArgumentInfo.init) } ?? []
    let here = self.path
    subcommands =
      value["subcommands"].map { $0.elements.map { CommandInfo($0, in: here) } } ?? []
    defaultSubcommand = value["defaultSubcommand"]?.string
    isHidden = value["shouldDisplay"]?.bool == false
  }

  func subcommand(_ name: String) -> CommandInfo? { subcommands.first { $0.name == name } }

  /// The subcommands in listings.
  var shownSubcommands: [CommandInfo] { subcommands.filter { !$0.isHidden && $0.name != "help" } }

  var options: [ArgumentInfo] { arguments.filter { $0.kind != .positional && !$0.isHidden } }
  var positionals: [ArgumentInfo] { arguments.filter { $0.kind == .positional && !$0.isHidden } }

  /// This command and all listed commands below it, in their order.
  var family: [CommandInfo] { [self] + shownSubcommands.flatMap(\.family) }
}

/// An argument of a command: positional, an option with a value, or a flag.
struct ArgumentInfo: Hashable {
  enum Kind: String, Hashable { case positional, option, flag }

  /// How the value of an argument is completed.
  enum Completion: Hashable {
    case none
    case list([String])
    /// Files with these endings (without the dot; all endings if empty), and folders.
    case files([String])
    case folders
    /// By a function of the command.
    case custom
  }

  var kind: Kind
  /// With their hyphens: `-o`, `--output`.
  var names: [String]
  var preferredName: String
  var valueName: String
  var abstract: String
  var defaultValue: String?
  var values: [String]
  var isOptional: Bool
  var isRepeating: Bool
  var isHidden: Bool
  var completion: Completion

  init(_ value: JSONValue) {
    func name(_ value: JSONValue) -> String {
      (value["kind"]?.string == "long" ? "--" : "-") + (value["name"]?.string ?? "")
    }
    kind = value["kind"]?.string.flatMap(Kind.init) ?? .positional
    names = value["names"].map { $0.elements.map(name) } ?? []
    preferredName = value["preferredName"].map(name) ?? ""
    valueName = value["valueName"]?.string ?? ""
    abstract = value["abstract"]?.string ?? ""
    if let more = value["discussion"]?.string, !more.isEmpty { abstract += " " + more }
    defaultValue = value["defaultValue"]?.string
    values = value["allValues"].map { $0.elements.compactMap(\.string) } ?? []
    isOptional = value["isOptional"]?.bool ?? true
    // Only the parser sees a list: `.allUnrecognized` lets a single value begin with a hyphen.
    isRepeating =
      value["isRepeating"]?.bool == true
      && value["parsingStrategy"]?.string != "allUnrecognized"
    isHidden = value["shouldDisplay"]?.bool == false
    completion = Self.completion(value["completionKind"])
  }

  private static func completion(_ value: JSONValue?) -> Completion {
    guard let value else { return .none }
    func texts(_ value: JSONValue?) -> [String] {
      value.map { $0.elements.compactMap(\.string) } ?? []
    }
    if let list = value["list"] { return .list(texts(list["values"])) }
    if let file = value["file"] { return .files(texts(file["extensions"])) }
    if value["directory"] != nil { return .folders }
    return value["custom"] != nil ? .custom : .none
  }
}
