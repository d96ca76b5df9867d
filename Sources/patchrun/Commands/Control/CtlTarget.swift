import ArgumentParser
import Control
import Diagnostics
import PatchSyntax

/// The options that choose a running patch.
struct CtlTarget: ParsableArguments {
  /// The exit statuses of commands that cannot reach it, for their help.
  static let failures = """
    2  wrong usage, or several patches are running and none was named
      3  no patch is running
      4  the patch ended meanwhile
    """

  @Option(
    help: ArgumentHelp("The name of the running patch.", valueName: "name"),
    completion: .custom(CompletionValues.running))
  var name: String?

  @Option(
    help: ArgumentHelp("The control socket of the running patch.", valueName: "path"),
    completion: .file(extensions: ["sock"]))
  var socket: String?

  func validate() throws {
    if name != nil && socket != nil {
      throw ValidationError("'--name' and '--socket' say the same: give one of them")
    }
  }

  func client() throws(CommandFailure) -> ControlClient {
    if let socket { return ControlClient(socketPath: socket) }
    let folder = ControlFolder.standard
    let names = folder.liveNames()
    if let name {
      guard names.contains(name) else {
        let guess = didYouMean(name, among: names)
        throw CommandFailure(
          ExitStatus.unavailable, "no patch is running under the name \(quoted(name))",
          help: [guess ?? (names.isEmpty ? "" : "running: \(listed(names))")])
      }
      return ControlClient(socketPath: folder.socketPath(name))
    }
    guard let first = names.first else {
      throw CommandFailure(
        ExitStatus.unavailable, "no patch is running",
        help: ["'patchrun FILE' runs one; its control socket is looked for in \(folder.path)"])
    }
    guard names.count == 1 else {
      throw CommandFailure(
        ExitStatus.wrongUsage, "several patches are running: \(listed(names))",
        help: ["say which: --name \(first)"])
    }
    return ControlClient(socketPath: folder.socketPath(first))
  }
}

extension ControlClient {
  /// Sends a request and returns the body of a successful response.
  func ask(_ request: Request) throws(CommandFailure) -> String {
    let response: Response
    do throws(ControlError) { response = try send(request) } catch { throw CommandFailure(error) }
    guard response.isSuccess else { throw CommandFailure(response) }
    return response.body
  }

  /// Sends a request and parses the body of a successful response as JSON.
  func askJSON(_ request: Request) throws(CommandFailure) -> JSONValue {
    try readAnswer(try ask(request))
  }

  /// Sends a change and returns its effects, one line each.
  func change(_ request: Request) throws(CommandFailure) -> String {
    let answer = try askJSON(request)
    let changes = CtlText.changes(in: answer)
    return changes.isEmpty ? "nothing is different\n" : changes.map { $0 + "\n" }.joined()
  }
}

/// Parses JSON from a running patch.
func readAnswer(_ text: String) throws(CommandFailure) -> JSONValue {
  let reading = JSONReader.read(SourceText(name: "answer", bytes: Array(text.utf8)), dialect: .json)
  guard !reading.hasErrors, let tree = reading.tree else {
    throw CommandFailure(
      ExitStatus.failedRunning, "what the running patch answers cannot be understood")
  }
  return tree.root
}

extension CommandFailure {
  init(_ error: ControlError) {
    self.init(
      error.isLost ? ExitStatus.failedRunning : ExitStatus.unavailable, error.message,
      help: error.help)
  }

  /// The failure of a response that is not successful.
  init(_ response: ControlClient.Response) {
    let problem = try? readAnswer(response.body)
    let status: Int32 =
      switch response.status {
      case 404, 409, 412, 422: ExitStatus.wrongPatch
      case 400..<500: ExitStatus.wrongUsage
      case 503: ExitStatus.unavailable
      default: ExitStatus.failedRunning
      }
    self.init(
      status,
      problem?["detail"]?.string ?? "the running patch answered with status \(response.status)",
      help: problem?["help"]?.elements.compactMap(\.string) ?? [])
    findings = problem?["text"]?.string
  }
}

/// A text from a running patch, with control characters escaped for a terminal.
func shown(_ value: JSONValue?) -> String { printable(value?.string ?? "") }

/// Formats the answers of a running patch.
enum CtlText {
  /// The changes in an answer or event, one line each.
  static func changes(in value: JSONValue) -> [String] {
    guard let changes = value["changes"] else { return [] }
    return changes.elements.map { change in
      let pointer = shown(change["pointer"])
      let heard = shown(change["heard"])
      return shown(change["summary"]) + "  (\(pointer))"
        + (heard.isEmpty ? "" : ": \(heard)")
    }
  }

  /// A meter in one line: its place, levels and readings.
  static func meter(_ meter: JSONValue) -> String {
    let levels = (meter["levels"].map { Array($0.elements) } ?? []).map { level in
      level["peak"]?.number.map { fixed($0, 1) } ?? "-inf"
    }
    var parts = levels.isEmpty ? [] : [levels.joined(separator: " ") + " dB"]
    for reading in meter["readings"].map({ Array($0.elements) }) ?? [] {
      let values = reading["values"].map { Array($0.elements) } ?? []
      // A spectrum has too many values for a line.
      guard values.count <= 2 else { continue }
      let numbers = values.map { value in value.number.map { fixed($0, 1) } ?? "-inf" }
      parts.append(
        "\(shown(reading["name"])) \(numbers.joined(separator: " ")) " + shown(reading["unit"]))
    }
    return "\(place(meter)) \(parts.joined(separator: ", "))"
  }

  private static func place(_ meter: JSONValue) -> String {
    if let tap = meter["tap"], tap.string != nil { return shown(tap) }
    if let place = meter.placeInMatrix { return "\(shown(meter["node"])) \(place)" }
    let element = meter["element"]?.integer ?? 0
    return "\(shown(meter["node"])) \(shown(meter["scope"])) \(element)"
  }
}
