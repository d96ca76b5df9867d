import ArgumentParser
import Control
import Glibc
import PatchSyntax

struct CtlTop: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows position, load, xruns and levels, again and again, until the patch ends.",
    discussion: """
      On a terminal one line that is written anew; elsewhere a line each time.

      EXAMPLES:
        patchrun ctl top
        patchrun ctl top --interval 10 >> load.log

      EXIT STATUS:
        0  the patch has ended
        2  wrong usage, or several patches are running and none was named
        3  no patch is running
      """)

  @Option(help: ArgumentHelp("From one look to the next, 0.1 to 3600.", valueName: "seconds"))
  var interval = 1.0

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    guard (0.1...3600).contains(interval) else {
      throw ValidationError("'--interval' is 0.1 to 3600 seconds")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let client = try target.client()
    let isTerminal = StandardStream.output.isTerminal
    var isFirst = true
    while true {
      let line: String
      do throws(CommandFailure) {
        let status = try client.askJSON(ControlClient.Request(.get, "/status"))
        let meters = try client.askJSON(ControlClient.Request(.get, "/meters"))
        line = Self.line(status, meters)
      } catch {
        // A patch that has been looked at, and is not there any more, has ended.
        guard !isFirst else { throw error }
        if isTerminal { try output("\n") }
        return ExitStatus.success
      }
      isFirst = false
      let width = StandardStream.output.columns ?? 80
      let text = isTerminal ? "\r\(line.prefix(max(1, width - 1)))\u{1B}[K" : line + "\n"
      let number = StandardStream.write(Array(text.utf8), to: StandardStream.output.rawValue)
      guard number == 0 else { return ExitStatus.success }
      usleep(UInt32(interval * 1_000_000))
    }
  }

  static func line(_ status: JSONValue, _ meters: JSONValue) -> String {
    var text = clock(status["position"]?.number ?? 0)
    if let duration = status["duration"]?.number { text += " of \(clock(duration))" }
    text += "  \(status["state"]?.string ?? "")"
    text += "  load \(CtlStatus.percent(status["load"]))"
    text += " (\(CtlStatus.percent(status["peakLoad"])))"
    let xruns = (status["underruns"]?.integer ?? 0) + (status["overruns"]?.integer ?? 0)
    text += "  xruns \(xruns)"
    for meter in meters["meters"].map({ Array($0.elements) }) ?? [] {
      text += "  " + CtlText.meter(meter)
    }
    return text
  }
}
