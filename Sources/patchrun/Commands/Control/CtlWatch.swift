import ArgumentParser
import Control
import Diagnostics
import PatchSyntax

struct CtlWatch: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Prints the events of the running patch until it ends.",
    discussion: """
      It prints a line for each event: changes and who made them, refused changes and their \
      mistakes, xruns, devices that appear and disappear, the end.

      EXAMPLES:
        patchrun ctl watch
        patchrun ctl watch --json --meters 2 >> events.log

      EXIT STATUS:
        0  the patch has ended
        \(CtlTarget.failures)
      """)

  @Flag(help: "Print a line of JSON for each event: its name and its data.")
  var json = false

  @Option(
    help: ArgumentHelp("Print the meters this many times a second.", valueName: "rate"))
  var meters: Double?

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if let meters, !(0.1...50).contains(meters) {
      throw ValidationError("'--meters' is how often a second: 0.1 to 50")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let client = try target.client()
    let json = json
    let response: ControlClient.Response
    do throws(ControlError) {
      response = try client.listen(meterRate: meters) { event in
        let text = json ? Self.line(event) : Self.text(event)
        let number = StandardStream.output.put(
          drawn: json && !StandardStream.output.isTerminal
            ? text : TerminalText.safe(text, escape: .json))
        return number == 0 && event.name != "ended"
      }
    } catch {
      throw CommandFailure(error)
    }
    guard response.isSuccess else { throw CommandFailure(response) }
    return ExitStatus.success
  }

  private static func line(_ event: ServerSentEvent) -> String {
    "{\"event\":\(JSONText.string(event.name).compact),\"data\":\(event.data)}\n"
  }

  /// An event as text: the time of day, its name and details, then further lines.
  static func text(_ event: ServerSentEvent) -> String {
    guard let data = try? readAnswer(event.data) else { return "" }
    var (words, lines) = details(event.name, data)
    if !words.isEmpty { words = " " + words }
    // The `status` event at the beginning of a stream has no time.
    let time = data["time"].map { shown($0).dropFirst(11) + " " } ?? ""
    return ([time + printable(event.name) + words] + lines).map { $0 + "\n" }.joined()
  }

  static func details(_ name: String, _ data: JSONValue) -> (String, [String]) {
    func text(_ key: String) -> String { shown(data[key]) }
    switch name {
    case "status":
      let title = shown(data["title"] ?? data["file"])
      return ("\(title), \(text("state")), document \(text("tag"))", [])
    case "started": return ("document \(text("tag"))", [])
    case "changed":
      return (
        "by \(text("by")), document \(text("tag"))", CtlText.changes(in: data).map { "  \($0)" }
      )
    case "refused":
      let lines = printableLines(data["text"]?.string ?? "")
        .split(separator: "\n", omittingEmptySubsequences: false)
      return ("a change by \(text("by"))", lines.map { $0.isEmpty ? "" : "  \($0)" })
    case "xrun":
      let under = data["underruns"]?.integer ?? 0
      let over = data["overruns"]?.integer ?? 0
      return ("\(counted(under, "underrun")), \(counted(over, "overrun")) so far", [])
    case "route":
      return ("the \(text("direction")) is now \(quoted(data["name"]?.string ?? ""))", [])
    case "interruption": return (data["begins"]?.bool == true ? "begins" : "is over", [])
    case "device": return (text("message"), [])
    case "state": return (text("state"), [])
    case "saved": return ("\(text("file")), document \(text("tag"))", [])
    case "warning", "underrun", "file": return (text("message"), [])
    case "ended":
      return ([text("reason"), text("message")].filter { !$0.isEmpty }.joined(separator: ": "), [])
    case "meters":
      return ("", data["meters"].map { $0.elements.map { "  " + CtlText.meter($0) } } ?? [])
    default: return ("", [])
    }
  }
}
