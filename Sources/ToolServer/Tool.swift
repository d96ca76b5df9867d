import PatchSyntax

/// A tool for an assistant: a command of the program, whose options are made from the arguments of
/// a call.
public struct Tool: Sendable {
  /// Its name: `validate`.
  public var name: String
  public var title: String
  /// Its purpose and its result, for the assistant that chooses between tools.
  public var summary: String
  public var parameters: [Parameter]
  /// Whether it writes no file.
  public var isReadOnly: Bool
  /// The words of the command line after the name of the program.
  let command: @Sendable (Arguments) throws(ToolProblem) -> [String]

  /// An argument of a tool.
  public struct Parameter: Hashable, Sendable {
    public var name: String
    public var form: Form
    public var isRequired: Bool
    public var summary: String

    public enum Form: Hashable, Sendable {
      /// Any text.
      case text
      case choice([String])
      case number(ClosedRange<Double>)
      /// A path below the folder.
      case path
      /// Values by JSON Pointer.
      case settings
    }

    public init(_ name: String, _ form: Form, isRequired: Bool = false, _ summary: String) {
      self.name = name
      self.form = form
      self.isRequired = isRequired
      self.summary = summary
    }
  }

  /// The tool for a listing. Its JSON Schema allows no other arguments, so that a misspelt one is
  /// reported.
  var listing: JSONText {
    let required = parameters.filter(\.isRequired).map(\.name)
    var schema: [JSONText.Member] = [
      .init("type", "object"),
      .init("properties", .object(parameters.map { .init($0.name, $0.schema) })),
    ]
    if !required.isEmpty { schema.append(.init("required", .strings(required))) }
    schema.append(.init("additionalProperties", false))
    return [
      "name": .string(name), "title": .string(title), "description": .string(summary),
      "inputSchema": .object(schema),
      "annotations": [
        "readOnlyHint": .boolean(isReadOnly), "destructiveHint": .boolean(!isReadOnly),
        "idempotentHint": true, "openWorldHint": false,
      ],
    ]
  }
}

extension Tool.Parameter {
  fileprivate var schema: JSONText {
    let description = JSONText.Member("description", .string(summary))
    switch form {
    case .text, .path: return .object([.init("type", "string"), description])
    case .choice(let choices):
      return .object([.init("type", "string"), .init("enum", .strings(choices)), description])
    case .number(let range):
      return .object([
        .init("type", "number"), .init("minimum", .number(range.lowerBound)),
        .init("maximum", .number(range.upperBound)), description,
      ])
    case .settings:
      return .object([
        .init("type", "object"), description,
      ])
    }
  }
}

/// The arguments of a call, read by the parameters of its tool.
struct Arguments {
  private(set) var texts: [String: String] = [:]
  private(set) var numbers: [String: Double] = [:]
  private(set) var settings: [String] = []

  /// - Throws: What is wrong with the arguments, and how to correct it.
  init(_ json: JSONValue?, of tool: Tool) throws(ToolProblem) {
    let known = tool.parameters.map(\.name)
    guard let json else {
      for parameter in tool.parameters where parameter.isRequired {
        throw Self.missing(parameter, of: tool)
      }
      return
    }
    for member in json.members {
      let name = member.key.string ?? ""
      guard let parameter = tool.parameters.first(where: { $0.name == name }) else {
        throw ToolProblem(
          "'\(tool.name)' has no argument '\(name)'; it has "
            + (known.isEmpty ? "none" : known.joined(separator: ", ")))
      }
      try read(member.value, parameter)
    }
    for parameter in tool.parameters where parameter.isRequired {
      if json[parameter.name] == nil { throw Self.missing(parameter, of: tool) }
    }
  }

  private static func missing(_ parameter: Tool.Parameter, of tool: Tool) -> ToolProblem {
    ToolProblem("'\(tool.name)' needs '\(parameter.name)': \(parameter.summary)")
  }

  private mutating func read(
    _ value: JSONValue, _ parameter: Tool.Parameter
  ) throws(ToolProblem) {
    let name = parameter.name
    switch parameter.form {
    case .text:
      guard let text = value.string else { throw ToolProblem("'\(name)' is a string") }
      // A leading dash would be an option.
      guard !text.hasPrefix("-") else { throw ToolProblem("'\(name)' does not begin with '-'") }
      texts[name] = text
    case .choice(let choices):
      guard let text = value.string, choices.contains(text) else {
        throw ToolProblem("'\(name)' is one of \(choices.joined(separator: ", "))")
      }
      texts[name] = text
    case .number(let range):
      guard let number = value.number, range.contains(number) else {
        throw ToolProblem(
          "'\(name)' is a number from \(range.lowerBound) to \(range.upperBound)")
      }
      numbers[name] = number
    case .path:
      guard let text = value.string else { throw ToolProblem("'\(name)' is a path") }
      texts[name] = try FolderPath.checked(text, name)
    case .settings:
      guard value.kind == .object else {
        throw ToolProblem(
          "'\(name)' is an object of values by JSON Pointer, as {\"/nodes/eq/parameters/gain\": 3}")
      }
      settings += value.members.map {
        "\($0.key.string ?? "")=\(JSONText($0.value).compact)"
      }
    }
  }

  /// The option for an argument, `--duration 5`; empty if the argument is not given.
  func option(_ name: String, _ argument: String) -> [String] {
    if let text = texts[argument] { return ["--" + name, text] }
    return numbers[argument].map { ["--" + name, "\($0)"] } ?? []
  }

  var setOptions: [String] { settings.flatMap { ["--set", $0] } }
}

/// A mistake in a call, for the assistant to read.
public struct ToolProblem: Error, Hashable, Sendable {
  public var message: String

  public init(_ message: String) { self.message = message }
}
