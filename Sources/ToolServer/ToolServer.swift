import Diagnostics
public import PatchSyntax

/// A server of the Model Context Protocol that takes messages and returns messages. It runs nothing
/// itself: it returns the command line for a call of a tool, and the caller gives it the outcome.
///
/// JSON-RPC 2.0, one message a line, in the revisions of the protocol that begin with `initialize`
/// and in those without a handshake (`server/discover`).
public struct ToolServer: Sendable {
  /// The caller's task for a message.
  public enum Request: Hashable, Sendable {
    /// Nothing: it was a notification, or an answer.
    case nothing
    /// Send this.
    case answer(JSONText)
    case call(Call)
    /// Cancel the call with this identifier.
    case cancel(JSONText)
  }

  /// A tool to run.
  public struct Call: Hashable, Sendable {
    /// The identifier of the request.
    public var identifier: JSONText
    public var tool: String
    /// The words after the name of the program.
    public var command: [String]
  }

  /// The result of a command.
  public struct Outcome: Hashable, Sendable {
    public var status: Int32
    /// The text on standard output, and on standard error.
    public var output: String
    public var messages: String

    public init(status: Int32, output: String, messages: String) {
      self.status = status
      self.output = output
      self.messages = messages
    }
  }

  /// The supported revisions, the newest last. A client gets the one that it asks for, or else the
  /// newest.
  static let revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
  /// The longest text that is returned, in bytes. A longer one costs the assistant more than it is
  /// worth.
  static let longestText = 100_000

  private let version: String
  private let tools: [Tool]

  public init(version: String, tools: [Tool] = ToolCatalog.tools) {
    self.version = version
    self.tools = tools
  }

  /// Handles one line.
  public func receive(_ line: [UInt8]) -> Request {
    let json = JSONReader.read(SourceText(name: "message", bytes: line), dialect: .json)
    guard json.isStructureIntact, let root = json.tree?.root else {
      return .answer(Self.failure(.null, -32700, "this is no JSON"))
    }
    guard root.kind == .object, let method = root["method"]?.string else {
      if root.kind == .object, root["result"] != nil || root["error"] != nil { return .nothing }
      return .answer(
        Self.failure(Self.identifier(root["id"]) ?? .null, -32600, "this is no request"))
    }
    let parameters = root["params"]
    guard let written = root["id"] else {
      if method == "notifications/cancelled",
        let identifier = Self.identifier(parameters?["requestId"])
      {
        return .cancel(identifier)
      }
      return .nothing
    }
    guard let identifier = Self.identifier(written) else {
      return .answer(Self.failure(.null, -32600, "an id is a string or a whole number"))
    }
    switch method {
    case "initialize":
      return .answer(Self.result(identifier, initialized(parameters?["protocolVersion"]?.string)))
    case "server/discover":
      return .answer(
        Self.result(
          identifier,
          .object([.init("supportedVersions", .strings(Self.revisions))]).adding(description)))
    case "ping": return .answer(Self.result(identifier, .object([])))
    case "tools/list":
      return .answer(Self.result(identifier, ["tools": .array(tools.map(\.listing))]))
    case "tools/call": return call(identifier, parameters)
    default:
      return .answer(Self.failure(identifier, -32601, "there is no method '\(method)'"))
    }
  }

  private func initialized(_ wanted: String?) -> JSONText {
    let revision = wanted.flatMap { Self.revisions.contains($0) ? $0 : nil } ?? Self.revisions.last
    return JSONText.object([.init("protocolVersion", .string(revision ?? ""))]).adding(description)
  }

  private var description: JSONText {
    [
      "capabilities": ["tools": ["listChanged": false]],
      "serverInfo": ["name": "patchrun", "title": "patchrun", "version": .string(version)],
      "instructions":
        "patchrun runs audio graphs that are written down as JSON: a patch. Begin with 'new' and 'units', write the patch to a file of the folder, call 'validate' after each change and read the cures of its findings; 'render' and 'measure' say what it sounds like. Paths are relative to one folder, and nothing outside it is read or written.",
    ]
  }

  private func call(_ identifier: JSONText, _ parameters: JSONValue?) -> Request {
    let name = parameters?["name"]?.string ?? ""
    guard let tool = tools.first(where: { $0.name == name }) else {
      return .answer(
        Self.failure(
          identifier, -32602,
          "there is no tool '\(name)'; there are \(tools.map(\.name).joined(separator: ", "))"))
    }
    let arguments = parameters?["arguments"]
    do throws(ToolProblem) {
      if let arguments, arguments.kind != .object, arguments.kind != .null {
        throw ToolProblem("the arguments are an object")
      }
      return .call(
        Call(
          identifier: identifier, tool: name,
          command: try tool.command(try Arguments(arguments, of: tool))))
    } catch {
      // A result rather than an error of the protocol: the assistant reads results.
      return .answer(
        Self.result(identifier, Self.content([error.message], isError: true)))
    }
  }

  /// The message for a command that has ended. Findings in a patch are the result of the tool, not
  /// an error.
  public func answer(to call: Call, _ outcome: Outcome) -> JSONText {
    let texts = [outcome.output, outcome.messages].filter { !$0.isEmpty }.map(Self.shortened)
    return Self.result(
      call.identifier,
      Self.content(texts.isEmpty ? ["done"] : texts, isError: outcome.status > 1))
  }

  /// The message for a command that could not be run to its end.
  public func answer(to call: Call, failedBy reason: String) -> JSONText {
    Self.result(call.identifier, Self.content([reason], isError: true))
  }

  private static func shortened(_ text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    return String(decoding: text.utf8.prefix(longestText), as: UTF8.self)
      + "\n… and \(text.utf8.count - longestText) bytes more"
  }

  // MARK: JSON-RPC

  private static func content(_ texts: [String], isError: Bool) -> JSONText {
    [
      "content": .array(texts.map { ["type": "text", "text": .string($0)] }),
      "isError": .boolean(isError),
    ]
  }

  private static func result(_ identifier: JSONText, _ result: JSONText) -> JSONText {
    ["jsonrpc": "2.0", "id": identifier, "result": result]
  }

  private static func failure(_ identifier: JSONText, _ code: Int, _ message: String) -> JSONText {
    [
      "jsonrpc": "2.0", "id": identifier,
      "error": ["code": .number(code), "message": .string(message)],
    ]
  }

  private static func identifier(_ json: JSONValue?) -> JSONText? {
    if let text = json?.string { return .string(text) }
    return json?.integer.map { .number($0) }
  }
}
