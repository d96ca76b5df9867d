import ArgumentParser
import Diagnostics
import Glibc
import PatchSyntax

/// Checks and normalizes the names of commands.
enum CommandNames {
  /// Turns `patchrun ctl help set` into `patchrun help ctl set`, and `patchrun -V` into `patchrun
  /// --version`.
  static func normalized(_ arguments: [String]) -> [String] {
    if arguments.first == "-V" { return ["--version"] + arguments.dropFirst() }
    guard arguments.count > 1, arguments[1] == "help", hasOnlySubcommands(arguments[0]) else {
      return arguments
    }
    return ["help", arguments[0]] + arguments.dropFirst(2)
  }

  /// The arguments with a negative number joined to the option before it: `--duration=-1`. The
  /// parser takes `-1` by itself for an option, and only says that the value is missing.
  ///
  /// - Parameter message: What the parser says of the arguments.
  /// - Returns: `nil` if the message is about something else.
  static func joiningNegativeNumber(in arguments: [String], after message: String) -> [String]? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let place = arguments.indices.dropLast().first { index in
      let next = Array(arguments[index + 1].utf8)
      return message.contains("Missing value for '\(arguments[index]) <")
        && next.count > 1 && next[0] == UInt8(ascii: "-") && digits.contains(next[1])
    }
    guard let place else { return nil }
    var joined = arguments
    joined[place...(place + 1)] = ["\(arguments[place])=\(arguments[place + 1])"]
    return joined
  }

  /// The failure for an unknown command name; `nil` if all names are known.
  static func failure(in arguments: [String]) -> CommandFailure? {
    guard let first = arguments.first else { return nil }
    if let failure = failure(ofWord: first) { return failure }
    if first == "help" { return failure(in: arguments.dropFirst(), below: Patchrun.self, []) }
    guard hasOnlySubcommands(first), let second = arguments.dropFirst().first,
      !second.hasPrefix("-")
    else { return nil }
    return failure(in: [first, second], below: Patchrun.self, [])
  }

  /// The failure for a first argument that is no command, file or option. Without this check it
  /// would be taken for the patch to run.
  private static func failure(ofWord word: String) -> CommandFailure? {
    if word.hasPrefix("-") {
      let known = ["--version", "--help"]
      if word == "-v" {
        return CommandFailure(
          ExitStatus.wrongUsage, "there is no option '-v'", help: ["the version: patchrun -V"])
      }
      guard word.hasPrefix("--"), !known.contains(word),
        let near = onlyNearMiss(to: word, among: known), !Self.options.contains(word)
      else { return nil }
      return CommandFailure(
        ExitStatus.wrongUsage, "there is no option \(quoted(word))",
        help: ["did you mean '\(near)'?"])
    }
    guard !word.isEmpty, !word.contains("/"), !word.contains("."), word != "help",
      subcommand(word, of: Patchrun.self) == nil, !isThere(word)
    else { return nil }
    // The user has left out the ending of an existing file.
    if let file = [".json", ".jsonc"].map({ word + $0 }).first(where: isThere) {
      return CommandFailure(
        ExitStatus.wrongUsage, "there is no command \(quoted(word)), and no file of that name",
        help: ["did you mean \(quoted(file))?"])
    }
    let help =
      word.lowercased() == "version"
      ? "the version: patchrun --version"
      : Synonyms.didYouMean(
        word, among: Patchrun.commandNames + ["help"], knownAs: otherNames)
        ?? "the commands are: \(Patchrun.commandNames.joined(separator: ", "))"
    return CommandFailure(
      ExitStatus.wrongUsage, "there is no command \(quoted(word)), and no file of that name",
      help: [help])
  }

  /// Names of commands in other programs.
  private static let otherNames: Synonyms.Table = [
    "play": ["run"], "start": ["run"], "open": ["run"], "listen": ["run"], "exec": ["run"],
    "check": ["validate"], "lint": ["validate"], "verify": ["validate"], "format": ["fmt"],
    "prettify": ["fmt"], "graph": ["show"], "draw": ["show"], "info": ["show"], "print": ["show"],
    "list": ["devices"], "ls": ["devices"], "sinks": ["devices"], "init": ["new"],
    "create": ["new"], "convert": ["render"], "bounce": ["render"], "write": ["render"],
    "record": ["new", "run"], "why": ["explain"], "loudness": ["measure"], "meter": ["measure"],
    "stop": ["ctl"], "set": ["ctl"], "undo": ["ctl"], "plot": ["response"], "eq": ["response"],
  ]

  /// The options of `run`, the command without a name.
  private static var options: [String] {
    (CommandInfo.root.subcommand("run")?.options ?? []).flatMap(\.names)
  }

  private static func isThere(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }

  private static func hasOnlySubcommands(_ name: String) -> Bool {
    guard let command = subcommand(name, of: Patchrun.self) else { return false }
    return !command.configuration.subcommands.isEmpty
      && command.configuration.defaultSubcommand == nil
  }

  private static func subcommand(
    _ name: String, of command: any ParsableCommand.Type
  ) -> (any ParsableCommand.Type)? {
    command.configuration.subcommands.first { $0.configuration.commandName == name }
  }

  /// Follows the names down the tree of commands and reports the first unknown one.
  private static func failure(
    in names: ArraySlice<String>, below command: any ParsableCommand.Type, _ path: [String]
  ) -> CommandFailure? {
    guard let name = names.first, !name.hasPrefix("-"), !(path.isEmpty && name == "help") else {
      return nil
    }
    if let next = subcommand(name, of: command) {
      return failure(in: names.dropFirst(), below: next, path + [name])
    }
    let known = command.configuration.subcommands.compactMap { $0.configuration.commandName }
    let context = path.isEmpty ? "" : " of '\(path.joined(separator: " "))'"
    guard !known.isEmpty else {
      return CommandFailure(
        ExitStatus.wrongUsage, "'\(path.joined(separator: " "))' has no commands of its own")
    }
    return CommandFailure(
      ExitStatus.wrongUsage, "there is no command \(quoted(name))\(context)",
      help: [didYouMean(name, among: known) ?? "they are: \(known.joined(separator: ", "))"])
  }
}
