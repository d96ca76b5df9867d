import ArgumentParser
import AudioGraphs
import AudioTypes
import BackEnds
import Control
import Diagnostics
import Glibc
import PatchGraph
import PatchSyntax
import RenderHost
import RenderTaps

struct Run: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Plays a patch on a PulseAudio server.",
    discussion: """
      It validates the patch, then runs it for --duration, or until its sources end, or until \
      Ctrl-C, which fades out and finishes the recordings. The word 'run' may be left out.

      With --watch the patch is read again whenever its file has been written. The sound changes \
      to the new patch without a gap. If the new patch is wrong, its mistakes are reported, and \
      the old one plays on. 'patchrun diff' says how a change sounds.

      With --panel a browser shows the graph with its meters, and a control for every parameter; \
      the address is printed, and --open opens it.

      With --to and --from a pipe takes the output and another delivers the input, instead of the \
      sound server. The pipes set the pace: a slice is rendered when its input has arrived and the \
      slice before it has been read.

      If the sound server or a device is missing or disappears, the run waits for it, unless the \
      patch or --wait-device says otherwise.

      EXAMPLES:
        patchrun mix.json --duration 5
        patchrun mix.json --duration 5 --sink @DEFAULT_SINK@
        patchrun mix.json --set /nodes/mixer/inputs/0/parameters/volume=0.3
        patchrun run mix.json --watch
        patchrun run mix.json --panel --open
        patchrun run mix.json --duration 5 --to - | wc -c

      EXIT STATUS:
        0  the end of the patch or of the reader of standard output, or Ctrl-C
        1  the patch is wrong
        2  wrong usage, or a patch for 'patchrun render'
        3  no pipe or no file; no server or no device, if the run does not wait
        4  a failure while running: recordings are finished, except one that
           cannot be written
        130  a second Ctrl-C

      SIGNALS:
        SIGINT  Ctrl-C: fades out, finishes the files being written, and ends
                with 0; a second one ends at once
        SIGTERM  the same as SIGINT
        SIGHUP  reads the patch again, and changes to it
        SIGUSR1  prints the state and position of the run on standard error
        SIGUSR2  begins a new take of each recording

      ENVIRONMENT:
        PULSE_SERVER  the sound server, if it is not the default one
        PULSE_SINK  the sink, if there is no --sink
        PULSE_SOURCE  the source, if there is no --source
        DBUS_SYSTEM_BUS_ADDRESS  the bus of RealtimeKit, if not the system bus
        PULSE_COOKIE  the file with the cookie of another user's server
        XDG_RUNTIME_DIR  contains the folders of the control sockets and of the
                         sound server
        NOTIFY_SOCKET  the socket for reports to systemd, as in sd_notify(3)
        WATCHDOG_USEC  the interval within which systemd expects a sign of life
        WATCHDOG_PID  the process that WATCHDOG_USEC is for

      FILES:
        TAKE.unfinished.wav  a recording while it is written. It gets its name
                when it is complete and on the disk. A killed run leaves it
                behind; players can play it, 'patchrun recover' repairs it
        $XDG_RUNTIME_DIR/patchrun/NAME.sock  the control socket of a run; in
                /run/user/UID or /tmp/patchrun-UID if that is not set
      """)

  @Argument(help: .patch, completion: .file(extensions: ["json", "jsonc"]))
  var file: String

  @Option(help: .duration, transform: Seconds.read)
  var duration: Seconds?

  @Option(
    help: ArgumentHelp("The sink to play on; see 'patchrun devices'.", valueName: "name"),
    completion: .custom(CompletionValues.sinks))
  var sink: String?

  @Option(
    help: ArgumentHelp("The source to record from; see 'patchrun devices'.", valueName: "name"),
    completion: .custom(CompletionValues.sources))
  var source: String?

  @Option(
    // With another parsing strategy the parser drops the value behind '=' if an option follows.
    name: .customLong("wait-device"), defaultAsFlag: .endless, parsing: .next,
    help: ArgumentHelp(
      "Wait this long for a sound server or a device that is missing or disappears; "
        + "without a number, wait for ever; 0 ends the run instead. Without this option the "
        + "patch's onDeviceLoss decides, or else the run waits.", valueName: "seconds"))
  var deviceWait: DeviceWait?

  @Flag(
    name: [.customShort("w"), .long], help: "Change to the new patch when its file is written.")
  var watch = false

  @Flag(
    help: ArgumentHelp(
      "Let recordings and pictures replace existing files. Otherwise a take whose name is "
        + "taken gets a number: take-2.wav."))
  var overwrite = false

  @Flag(name: [.customShort("q"), .long], help: "Print only errors and warnings.")
  var quiet = false

  @OptionGroup var beginning: StartOptions
  @OptionGroup var pipes: PipeOptions
  @OptionGroup var level: LevelOptions
  @OptionGroup var kernel: KernelOptions
  @OptionGroup var threads: ThreadOptions
  @OptionGroup var native: NativeOptions
  @OptionGroup var control: ControlOptions
  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if watch && file == "-" {
      throw ValidationError("--watch needs a file: standard input is read once")
    }
    if let text = DeviceWait.wrongValue(in: CommandLine.arguments) {
      throw ValidationError("'--wait-device' takes a number of seconds, not '\(text)'")
    }
    if file == "-" && pipes.from == "-" {
      throw ValidationError("the patch and --from cannot both be standard input")
    }
    if pipes.areUsed && (sink != nil || source != nil) {
      throw ValidationError(
        "\(sink != nil ? "--sink" : "--source") is for the sound server, which --to and --from replace"
      )
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    try kernel.apply()
    let signals = try Signals()
    let file = try policy.patchFile(self.file)
    let reading = file.read(overrides)
    let takes = Takes(overwrite ? .replace : .number, goesOnWhenThereIsRoom: true)
    let manager = ServiceManager(environment: environmentVariable)
    let status = RunStatus()
    signals.answerStatus { status.line }
    let files = try watch ? FileWatch() : nil
    try files?.add(self.file)
    let wait = StartWait(
      signals: signals, manager: manager, deviceWait: deviceWait, appearance: appearance,
      quiet: quiet,
      status: status, files: files)
    let first = try open(reading, policy.surroundings(of: file, takes: takes), wait)
    guard let stage = first else { return ExitStatus.wrongPatch }
    let live = LiveControl(
      stage, file: LiveFile(self.file, file, reading), takes: takes, signals: signals)
    let server = try openControl(for: live)
    defer { server?.stop() }
    let run = LiveRun(
      stage, signals: signals, files: files, takes: takes, appearance: appearance, quiet: quiet,
      control: live, manager: manager, deviceWait: deviceWait,
      status: status, read: { () throws(CommandFailure) in try reread() },
      open: { (reading, route) throws(CommandFailure) in
        try open(reading, policy.surroundings(of: file, takes: takes), on: route, wait)
      })
    return try run.run(duration, from: beginning.start)
  }

  /// Reads the patch's file again; `nil` for standard input.
  private func reread() throws(CommandFailure) -> (PatchFile, PatchReader.Result)? {
    guard file != "-" else { return nil }
    let file = try policy.patchFile(self.file)
    return (file, file.read(overrides))
  }

  /// Starts the control server; `nil` if it is off, or if it cannot be opened, which is reported.
  private func openControl(for live: LiveControl) throws(CommandFailure) -> ControlServer? {
    guard let options = control.serverOptions(file: file) else { return nil }
    do throws(ControlError) {
      let server = try ControlServer.start(options, for: live)
      if !quiet, control.isMoreThanPanel {
        var places = [server.socketPath]
        if let port = server.port { places.append("http://127.0.0.1:\(port)") }
        if let port = server.oscPort { places.append("OSC on port \(port)") }
        appearance.report("note", "control: " + places.joined(separator: ", "))
      }
      if control.panel, let port = server.port {
        let address = "http://127.0.0.1:\(port)/"
        if !quiet { StandardStream.error.put("panel: \(address)\n") }
        if control.open, let problem = Browser.open(address), !quiet {
          appearance.report("warning", problem, help: ["open \(address) yourself"])
        }
      }
      return server
    } catch {
      guard !control.isRequired else {
        throw CommandFailure(ExitStatus.unavailable, error.message, help: error.help)
      }
      if !quiet {
        appearance.report(
          "note", "\(error.message): the patch plays without 'patchrun ctl'", help: error.help)
      }
      return nil
    }
  }

  /// Opens a device for a patch, and waits for one if the policy says so; `nil` if the patch has
  /// errors, which are reported.
  private func open(
    _ reading: PatchReader.Result, _ surroundings: PatchSurroundings,
    on route: LiveRoute = LiveRoute(), _ wait: StartWait
  ) throws(CommandFailure) -> LiveStage? {
    var reading = reading
    while true {
      switch try attempt(reading, surroundings, on: route, wait) {
      case .opened(let stage): return stage
      case .wrong: return nil
      case .reload: reading = try readAgain(in: surroundings) ?? reading
      }
    }
  }

  /// Reads the patch's file again; `nil` if it has errors, which are reported. The run then waits
  /// with the patch that was read before.
  private func readAgain(
    in surroundings: PatchSurroundings
  ) throws(CommandFailure) -> PatchReader.Result? {
    do throws(CommandFailure) {
      guard let (_, reading) = try reread() else {
        appearance.report("note", "the patch came from standard input: it cannot be read again")
        return nil
      }
      let draft = PatchBuilder.build(
        reading, in: surroundings, device: .assumed(HardwareAssumption()))
      if !draft.hasErrors {
        if !quiet { appearance.report("note", "the patch was read again") }
        return reading
      }
      appearance.report(draft)
    } catch {
      appearance.report("warning", error.message)
    }
    appearance.report("note", "the patch stays as it was")
    return nil
  }

  private enum Attempt {
    case opened(LiveStage)
    case wrong, reload
  }

  private func attempt(
    _ reading: PatchReader.Result, _ surroundings: PatchSurroundings, on route: LiveRoute,
    _ wait: StartWait
  ) throws(CommandFailure) -> Attempt {
    let draft = PatchBuilder.build(
      reading, in: surroundings, device: .assumed(HardwareAssumption()))
    guard !draft.hasErrors, let document = reading.document else {
      appearance.report(draft)
      return .wrong
    }
    let request = PatchBuilder.request(of: document)
    try checkUse(of: request, draft)
    try native.nativeCode.check(draft, appearance, quiet: quiet)
    let outcome = try wait.open(
      document.session?.value.policy ?? .init(), mayAppear: !pipes.areUsed
    ) {
      (isAwaited) throws(HardwareError) in
      try backEnd.open(
        try hardwareRequest(request, on: route, title: draft.title), isAwaited: isAwaited)
    }
    guard case .opened(let hardware) = outcome else { return .reload }
    var allowed = surroundings
    allowed.nativeCode = native.nativeCode
    let patch = PatchBuilder.build(reading, in: allowed, device: .hardware(hardware))
    if patch.hasErrors || !quiet { appearance.report(patch) }
    guard !patch.hasErrors,
      let live = LivePatch(patch, from: reading, in: surroundings)
    else {
      appearance.report("note", "what was granted: \(GrantText.text(hardware.grant))")
      return .wrong
    }
    let meter = LiveMeter()
    live.graph.setMeter(meter.meter)
    if beginning.start != nil { live.graph.closeTaps() }
    live.graph.outputPeakCeiling = level.limitPeak?.magnitude
    live.graph.renderThreadCount = threads.count
    do throws(Violation) { try live.graph.initialize() } catch {
      throw appearance.report(error, of: patch)
    }
    return .opened(LiveStage(live: live, hardware: hardware, meter: meter))
  }

  private func checkUse(
    of request: SessionRequest, _ patch: BuiltPatch
  ) throws(CommandFailure) {
    guard request.isDevice else {
      throw CommandFailure(
        ExitStatus.wrongUsage,
        "the patch ends in a Generic Output, which no device plays: it is rendered to a file",
        help: ["'patchrun render \(file) -o out.wav'"])
    }
    if source != nil && !request.wantsInput {
      throw CommandFailure(
        ExitStatus.wrongUsage, "the patch hears no microphone, so that --source has no use",
        help: [
          "turn the I/O unit's input on: \"inputs\": { \"1\": { \"properties\": "
            + "{ \"enableIO\": true } } }"
        ])
    }
    if sink != nil && !request.wantsOutput {
      throw CommandFailure(
        ExitStatus.wrongUsage,
        "the output of the patch is off, so that --sink has no use")
    }
    try checkPipes(for: request)
    // A live run may write what it plays from, except that a replacing recording would destroy the
    // input of another callback.
    for written in patch.outputFiles where overwrite {
      let read = patch.inputFiles + (file == "-" ? [] : [file])
      if read.contains(where: { OneFile.same($0, written) }) {
        throw CommandFailure(
          ExitStatus.wrongUsage,
          "\(quoted(written)) would be overwritten by a tap: it is read by the patch")
      }
    }
  }

  /// The request to a back end.
  private func hardwareRequest(
    _ request: SessionRequest, on route: LiveRoute, title: String?
  ) throws(HardwareError) -> HardwareRequest {
    var wanted = HardwareRequest(
      wantsOutput: request.wantsOutput, wantsInput: request.wantsInput,
      preferredSampleRate: request.preferredSampleRate,
      preferredIOBufferDuration: request.preferredIOBufferDuration,
      sinkName: try name(route.sink, .sink, pipes.to ?? sink),
      sourceName: try name(route.source, .source, pipes.from ?? source),
      sink: request.sink, source: request.source,
      // Servers refuse a name that is too long or contains control characters.
      streamName: String(printable(title ?? (file == "-" ? "patch" : file)).prefix(120)),
      isConversation: request.isConversation, options: pipes.options)
    if route.sink != nil { wanted.movedSides.insert(.sink) }
    if route.source != nil { wanted.movedSides.insert(.source) }
    return wanted
  }
}

extension Run {
  private var backEnd: any AudioBackEnd {
    pipes.areUsed ? BackEndCatalog.named("pipes") : BackEndCatalog.standard
  }

  /// Throws for a pipe that the patch has no use for, and for a side of the patch that has no pipe.
  private func checkPipes(for request: SessionRequest) throws(CommandFailure) {
    guard pipes.areUsed else { return }
    let problem: (String, String)? =
      switch (request.wantsOutput, pipes.to, request.wantsInput, pipes.from) {
      case (false, .some, _, _):
        ("the output of the patch is off, so that --to has no use", "leave --to out")
      case (true, nil, _, _):
        (
          "the patch plays, and nothing says where to: --from replaces the sound server",
          "add --to: '--to - | aplay' plays what the pipe has"
        )
      case (_, _, false, .some):
        (
          "the patch hears no microphone, so that --from has no use",
          "turn the I/O unit's input on: \"inputs\": { \"1\": { \"properties\": "
            + "{ \"enableIO\": true } } }"
        )
      case (_, _, true, nil):
        (
          "the patch hears a microphone, and nothing says what: --to replaces the sound server",
          "add --from: '--from -' hears standard input"
        )
      default: nil
      }
    guard let (message, help) = problem else { return }
    throw CommandFailure(ExitStatus.wrongUsage, message, help: [help])
  }

  /// The device to ask for after the server has moved a stream to `moved`; otherwise the one asked
  /// for.
  ///
  /// If the moved stream is on the default device, no name is asked for, so that the server moves
  /// it again when the default changes.
  private func name(
    _ moved: String?, _ direction: AudioDevice.Direction, _ asked: String?
  ) throws(HardwareError) -> String? {
    guard let moved else { return asked }
    let backEnd = BackEndCatalog.standard
    guard asked == nil, backEnd.namedByEnvironment(direction) == nil else { return moved }
    let isDefault = try backEnd.devices().contains {
      $0.direction == direction && $0.name == moved && $0.isDefault
    }
    return isDefault ? nil : moved
  }
}

/// The grant of a device in one line.
enum GrantText {
  static func text(_ grant: HardwareGrant, scheduling: String = "") -> String {
    var parts: [String] = []
    if let format = grant.outputFormat {
      parts.append("sink \(grant.outputName) (\(format.channelCount) ch)")
    }
    if let format = grant.inputFormat {
      parts.append("source \(grant.inputName) (\(format.channelCount) ch)")
    }
    parts.append("\(rateText(grant.sampleRate)) Hz")
    let duration = Double(grant.ioBufferFrames) / max(1, grant.sampleRate) * 1000
    parts.append("slice \(grant.ioBufferFrames) frames (\(fixed(duration, 1)) ms)")
    var latencies: [String] = []
    if grant.outputFormat != nil {
      latencies.append("out \(fixed(grant.outputLatency * 1000, 1)) ms")
    }
    if grant.inputFormat != nil {
      latencies.append("in \(fixed(grant.inputLatency * 1000, 1)) ms")
    }
    parts.append("latency \(latencies.joined(separator: " "))")
    if !scheduling.isEmpty { parts.append("scheduling \(scheduling)") }
    parts += grant.notes
    return parts.joined(separator: ", ")
  }
}
