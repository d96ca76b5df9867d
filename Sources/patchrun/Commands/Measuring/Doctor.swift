import ArgumentParser
import BackEnds
import PatchSyntax
import RenderCore
import RenderHost

struct Doctor: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Finds what prevents low latency on this machine, and measures the latency.",
    discussion: """
      It checks the system (real-time scheduling, RealtimeKit, the frequency governor, quotas of \
      control groups) and asks the sound server for its rates, devices and buffers. Then it plays \
      a noise to measure the shortest slices that play without gaps, the round trip from a render \
      to the one that records it, how regular the pulls are, and how much the device's clock \
      differs from the system's. The noise is recorded from the sink's own monitor, or from \
      --source: a cable, or a microphone in front of the loudspeaker. It also works without a \
      server, and says so. Running patches are asked for their underruns, and whether their \
      latency has been raised since.

      EXAMPLES:
        patchrun doctor
        patchrun doctor --no-sound --json

      EXIT STATUS:
        0  the checks are done, whatever they found
        1  there are warnings, and --deny-warnings is given
        2  wrong usage

      ENVIRONMENT:
        PULSE_SERVER  the sound server, if it is not the default one
        XDG_RUNTIME_DIR  contains the folders of the control sockets and of the
                         sound server
      """)

  @Option(
    help: ArgumentHelp("The sink to play on; otherwise the default one.", valueName: "name"),
    completion: .custom(CompletionValues.sinks))
  var sink: String?

  @Option(
    help: ArgumentHelp(
      "The source that records the noise; otherwise the monitor of the sink.",
      valueName: "name"),
    completion: .custom(CompletionValues.sources))
  var source: String?

  @Option(
    help: ArgumentHelp(
      "How long the round trip is measured, 3 to 600. A longer time measures the drift "
        + "more exactly.",
      valueName: "seconds"))
  var seconds = 6.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The peak of the noise, -80 to 0 dBFS.", valueName: "dBFS"))
  var level = -40.0

  @Flag(help: "Play nothing: look at the system and ask the server.")
  var noSound = false

  @Flag(help: "Take warnings as errors.")
  var denyWarnings = false

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    guard (3...600).contains(seconds) else {
      throw ValidationError("'--seconds' is a number from 3 to 600")
    }
    guard (-80...0).contains(level) else {
      throw ValidationError("'--level' is a number from -80 to 0")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    var report = DoctorReport(findings: DoctorSystem.current().findings)
    do throws(HardwareError) {
      if let server = try BackEndCatalog.standard.server() {
        report.note(server, sink: sink, source: source)
        if !noSound { measure(server, &report) }
      }
    } catch {
      report.findings.append(
        .init(topic: "sound server", state: .warning, found: error.message, cure: error.help))
      report.findings += DoctorDevices.unchecked(sink: sink, source: source)
    }
    report.findings += DoctorRuns.findings()
    try output(json ? report.json.document : report.text)
    let isFine = report.findings.allSatisfy { $0.state != .warning }
    return denyWarnings && !isFine ? ExitStatus.wrongPatch : ExitStatus.success
  }

  // MARK: Playing

  /// The slice durations to try, in seconds.
  private static let durations = [0.003, 0.005, 0.01, 0.02, 0.04]

  private func measure(_ server: SoundServer, _ report: inout DoctorReport) {
    let devices = DoctorDevices(server: server)
    // A missing device has been told.
    guard let device = devices.device(.sink, sink) else { return }
    let peak = Float(renderExp(level / 20 * 2.302585092994046))
    let sound = DoctorSound(sink: device.name, source: source, level: peak)
    do throws(HardwareError) {
      var chosen: DoctorSound.Run?
      var tried: [Double] = []
      for duration in Self.durations {
        let run = try sound.run(bufferDuration: duration, seconds: 2, listening: false)
        tried.append(duration)
        chosen = run
        if run.underruns == 0 { break }
      }
      guard let chosen, let last = tried.last else { return }
      report.note(slices: chosen, duration: last)
      guard source == nil || devices.device(.source, source) != nil else { return }
      let monitor = server.devices.first { $0.monitorOf == device.name }?.name
      guard source != nil || monitor != nil else {
        report.findings.append(
          .init(topic: "round trip", state: .note, found: "nothing hears the sink"))
        return
      }
      let run = try sound.run(
        bufferDuration: last, seconds: seconds, listening: true, heardBy: monitor)
      report.note(roundTrip: run, heardBy: source ?? monitor ?? "")
    } catch {
      report.findings.append(
        .init(topic: "measurement", state: .warning, found: error.message, cure: error.help))
    }
  }
}
