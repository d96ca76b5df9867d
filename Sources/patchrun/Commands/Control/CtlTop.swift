import ArgumentParser
import Control
import Diagnostics
import Glibc
import PatchSyntax

struct CtlTop: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows the running patch on a full screen, and changes its parameters.",
    discussion: """
      It shows position, load, levels, loudness, spectra and events, and every parameter that can \
      be changed: with arrow keys, or by typing. '?' shows the keys. 'q' quits, and the patch \
      plays on. When the patch ends, it waits for the next run of the same name.

      With --plain, or if input or output is not a terminal or TERM is dumb, it prints lines until \
      the patch ends.

      EXAMPLES:
        patchrun ctl top
        patchrun ctl top --plain --interval 10 >> load.log

      EXIT STATUS:
        0  the patch has ended, or q
        2  wrong usage, or several patches are running and none was named
        3  no patch is running
      """)

  @Option(
    help: ArgumentHelp(
      "The interval between updates of position and load, 0.1 to 3600; by default 0.5, "
        + "and 1 for lines.",
      valueName: "seconds"))
  var interval: Double?

  @Option(
    help: ArgumentHelp(
      "How many times a second the full screen reads the meters, 0.1 to 50.", valueName: "rate"))
  var meters = 15.0

  @Flag(help: "Print lines, on a terminal too.")
  var plain = false

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if let interval, !(0.1...3600).contains(interval) {
      throw ValidationError("'--interval' is 0.1 to 3600 seconds")
    }
    guard (0.1...50).contains(meters) else {
      throw ValidationError("'--meters' is how often a second: 0.1 to 50")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let client = try target.client()
    let hasScreen = TerminalAbilities.hasScreen(environmentVariable)
    let isTerminal = StandardStream.output.isTerminal && hasScreen
    guard !plain, isTerminal, isatty(0) == 1 else {
      return try printLines(of: client, isTerminal: isTerminal && !plain)
    }
    // An unreachable patch is reported before the full screen begins.
    let status = try client.askJSON(ControlClient.Request(.get, "/status"))
    let session = try TopSession(
      client, status: status, meterRate: meters, interval: interval ?? 0.5,
      hasColors: appearance.color.colors(.output),
      isUTF8: TerminalAbilities.isUTF8(environmentVariable))
    return session.run()
  }

  /// Prints a line at each interval; on a terminal the line is overwritten.
  private func printLines(
    of client: ControlClient, isTerminal: Bool
  ) throws(CommandFailure) -> Int32 {
    var isFirst = true
    while true {
      let line: String
      do throws(CommandFailure) {
        let status = try client.askJSON(ControlClient.Request(.get, "/status"))
        let meters = try client.askJSON(ControlClient.Request(.get, "/meters"))
        line = printable(Self.line(status, meters))
      } catch {
        // A patch that has answered before and does not any more has ended.
        guard !isFirst else { throw error }
        if isTerminal { try output("\n") }
        return ExitStatus.success
      }
      isFirst = false
      let width = StandardStream.output.columns ?? 80
      let text = isTerminal ? "\r\(line.prefix(max(1, width - 1)))\u{1B}[K" : line + "\n"
      let number = StandardStream.output.put(drawn: text)
      guard number == 0 else { return ExitStatus.success }
      usleep(UInt32((interval ?? 1) * 1_000_000))
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
