import AudioGraphs
import AudioTypes
import Control
import Diagnostics
import Glibc
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost
import RenderTaps

/// A patch on a device that has been opened for it.
struct LiveStage {
  let live: LivePatch
  let hardware: any LiveHardware

  var graph: AudioGraph { live.graph }
}

/// Where the sound server has moved a patch that begins again there; `nil` for what was asked for.
struct LiveRoute {
  var sink: String?
  var source: String?
}

/// A patch that plays, from start to the exit status, whatever it becomes on the way.
final class LiveRun {
  private var stage: LiveStage
  private let signals: Signals
  private let files: FileWatch?
  private let appearance: AppearanceOptions
  private let quiet: Bool
  /// Reads the patch's file again; `nil` where it is no file.
  private let read: () throws(CommandFailure) -> (PatchFile, PatchReader.Result)?
  /// Opens a device for another patch; `nil` where that is wrong.
  private let open: (PatchReader.Result, LiveRoute) throws(CommandFailure) -> LiveStage?
  /// What others see and change; `nil` for nobody.
  private let control: LiveControl?
  /// What is shown on a terminal, ten times a second.
  private var line: TerminalLine
  private var hold = PeakHold()
  /// Who has started the process and wants to hear how it is; `nil` for nobody.
  private let manager: ServiceManager?
  /// What was granted, until it sounds there and has been told.
  private var untoldGrant: String?
  /// Whether the end is what the sources have, and not what was asked for.
  private var endsWithSources = false
  private var route = LiveRoute()
  private let takes: Takes
  private var events = FileEvents()
  private var stall = StallWatch()
  /// Why the device stands still, as far as it has said.
  private var stallCause: (words: String, nanoseconds: UInt64)?
  private var overruns = 0
  /// What the command line says about waiting for a device; `nil` leaves it to the patch.
  private let deviceWait: DeviceWait?
  private var lost = LostDevices()
  /// When the sound stopped that is to go on elsewhere.
  private var stoppedAt: UInt64?

  private var graph: AudioGraph { stage.graph }
  private var hardware: any LiveHardware { stage.hardware }

  init(
    _ stage: LiveStage, signals: Signals, files: FileWatch?, takes: Takes,
    appearance: AppearanceOptions, quiet: Bool, control: LiveControl? = nil,
    manager: ServiceManager? = nil, deviceWait: DeviceWait? = nil,
    read: @escaping () throws(CommandFailure) -> (PatchFile, PatchReader.Result)?,
    open: @escaping (PatchReader.Result, LiveRoute) throws(CommandFailure) -> LiveStage?
  ) {
    self.stage = stage
    self.signals = signals
    self.files = files
    self.takes = takes
    self.appearance = appearance
    self.quiet = quiet
    line = TerminalLine(appearance)
    self.control = control
    self.manager = manager
    self.deviceWait = deviceWait
    self.read = read
    self.open = open
  }

  /// Why the sound ended.
  private enum End {
    /// The sources, a signal or a request, and what the session decides upon an event.
    case reached, interrupted, decided
    case failed(CommandFailure)
    /// The device has ended, and nothing has failed: why.
    case over(String)
    /// Another patch is to begin.
    case restart(PatchReader.Result)

    /// Why the process ends; `nil` where it does not.
    var words: String? {
      switch self {
      case .reached: "the patch is over"
      case .interrupted: "as asked"
      case .decided: "as the patch says"
      case .failed(let failure): failure.message
      case .over(let reason): reason
      case .restart: nil
      }
    }

    /// The same for those who watch.
    var reported: ControlEnd {
      switch self {
      case .reached, .over: .reached
      case .interrupted, .decided, .restart: .stopped
      case .failed(let failure): .failed(message: failure.message)
      }
    }
  }

  func run(_ duration: Seconds?) throws(CommandFailure) -> Int32 {
    endsWithSources = duration == nil
    var played = 0.0
    while true {
      guard let session = graph.session else { return ExitStatus.wrongPatch }
      let rate = session.configuration.sampleRate
      // As in a render: what is asked for, or else what the sources have.
      if let duration {
        session.end(afterFrames: max(0, Int(((duration.value - played) * rate).rounded())))
      }
      try planUpdates()
      try start()
      if let stopped = stoppedAt {
        stoppedAt = nil
        graph.noteGap(
          seconds: Double(monotonicNanoseconds() - stopped) / 1e9, cause: "the patch began again")
      }
      let grant = GrantText.text(
        hardware.grant, scheduling: hardware.schedulingDescription)
      if !quiet { StandardStream.error.put(printable(grant) + "\n") }
      untoldGrant = grant
      control?.begins(stage)
      let end = wait(session, rate: rate)
      control?.ends(nil)
      if let reason = end.words { manager?.stops(reason) }
      switch end {
      case .reached, .failed, .over: break
      case .interrupted, .decided, .restart: fade(session)
      }
      // A recording goes on in its file where the patch begins again.
      if case .restart = end { takes.beginHandover() }
      graph.stop()
      // Finishes the files that are being written.
      graph.close()
      tellEvents()
      // What came together with the end.
      for case .noted(let text) in hardware.takeEvents() { say(text, false) }
      guard case .restart(let reading) = end else {
        control?.ends(end.reported)
        return report(end, session, rate)
      }
      played += Double(session.renderedFrames) / rate
      stoppedAt = monotonicNanoseconds()
      defer { for error in takes.endHandover() { appearance.report("error", error.message) } }
      guard let next = try open(reading, route) else { return ExitStatus.wrongPatch }
      stage = next
      lost = LostDevices()
      stall = StallWatch()
      overruns = 0
    }
  }

  private func start() throws(CommandFailure) {
    takePolicy()
    do throws(GraphStartError) { try graph.start() } catch {
      switch error {
      case .refused(let violation):
        throw CommandFailure(
          ExitStatus.worldRefused, violation.message, help: violation.help)
      case .hardware(let failure):
        throw CommandFailure(ExitStatus.worldRefused, failure.message, help: [failure.help])
      }
    }
  }

  // MARK: While it runs

  private func wait(_ session: RenderSession, rate: Double) -> End {
    let showsLine = !quiet && line.isPossible
    defer { line.clear() }
    watchSubgraphs()
    let descriptors = [hardware.eventDescriptor] + (files.map { [$0.descriptor] } ?? [])
    while true {
      // Cleared before it is looked at, so that nothing is missed and the wait below is one.
      _ = hardware.waitForEvent(timeout: 0)
      tellManager(session)
      if signals.interruptedBy != nil { return .interrupted }
      if let failure = hardware.failure {
        return .failed(
          CommandFailure(ExitStatus.failedRunning, failure.message, help: [failure.help]))
      }
      tellEvents(showsLine)
      watchGaps(session, rate)
      if let error = graph.serviceErrors.first {
        return .failed(CommandFailure(ExitStatus.failedRunning, error.message))
      }
      if session.hasEnded { return .reached }
      takePolicy()
      if let end = decide(upon: hardware.takeEvents(), showsLine) { return end }
      if let end = endOfWait() { return end }
      if files?.takeChange() == true, let reading = reload(by: .file, showsLine) {
        return .restart(reading)
      }
      if signals.takeReload(), let reading = reload(by: .signal, showsLine) {
        return .restart(reading)
      }
      if let reading = control?.takeRestart() { return .restart(reading) }
      do throws(CommandFailure) { try planUpdates() } catch { return .failed(error) }
      if let pointers = stage.live.takePassedSteps() { control?.noteTimeline(pointers) }
      if showsLine { showLine(session, rate) }
      let statistics = hardware.statistics
      control?.noteXruns(underruns: statistics.underruns, overruns: statistics.overruns)
      graph.collect()
      signals.wait(milliseconds: showsLine ? 100 : 20, or: descriptors)
    }
  }

  /// Says what has happened to files.
  private func tellEvents(_ showsLine: Bool = false) {
    for event in graph.takeServiceEvents() {
      guard let (kind, message) = events.take(event), kind == "error" || !quiet else { continue }
      clear(showsLine)
      appearance.report(kind, message)
    }
  }

  /// Has recordings say where time has passed that is not in them.
  private func watchGaps(_ session: RenderSession, _ rate: Double) {
    let now = monotonicNanoseconds()
    // A pause that somebody has asked for is none.
    let isHeld = session.isPausing && stallCause == nil || !hardware.keepsTime
    let seconds = stall.look(
      at: session.renderedFrames, nanoseconds: now, sampleRate: rate, isExpected: isHeld)
    if let seconds {
      graph.noteGap(
        seconds: seconds, cause: stallCause?.words ?? "the sound server stood still")
    }
    // What has been said explains what comes at once.
    if let cause = stallCause, !session.isPausing, now - cause.nanoseconds > 3_000_000_000 {
      stallCause = nil
    }
    let count = hardware.statistics.overruns
    if count > overruns {
      graph.noteGap(seconds: 0, cause: "an overrun: what the source had could not be taken in time")
    }
    overruns = count
  }

  private func noteStall(_ words: String) { stallCause = (words, monotonicNanoseconds()) }

  /// It is ready once it sounds, or as soon as it knows that it is to be silent for now.
  private func tellManager(_ session: RenderSession) {
    manager?.keepAlive()
    guard let grant = untoldGrant, session.renderedFrames > 0 || session.isPausing else { return }
    untoldGrant = nil
    manager?.plays(grant)
  }

  /// Tells the graph of what comes soon, and where it ends then.
  private func planUpdates() throws(CommandFailure) {
    // Longer than the loop above ever waits, and than a slice.
    let ahead = max(0.25, 2 * Double(hardware.grant.ioBufferFrames) / hardware.grant.sampleRate)
    do throws(LivePatch.Refusal) {
      try stage.live.planUpdates(upTo: stage.live.now + ahead)
    } catch {
      throw error.failure(ExitStatus.failedRunning)
    }
    hardware.allowPulls(upTo: stage.live.nextUpdateFrame ?? .max)
    guard endsWithSources else { return }
    // What comes later may bring a source.
    graph.session?.end(
      afterFrames: stage.live.nextUpdate == nil ? graph.duration ?? .max : .max)
  }

  private func showLine(_ session: RenderSession, _ rate: Double) {
    let statistics = hardware.statistics
    let total = session.endFrame.map { Double($0) / rate }
    let peak = Double(session.takeOutputPeak())
    let now = LiveLine(
      position: Double(session.renderedFrames) / rate, total: total, peak: peak,
      held: hold.take(peak, at: Double(monotonicNanoseconds()) / 1e9),
      load: Double(graph.takeMaximumCPULoad()), xruns: statistics.underruns + statistics.overruns,
      reduction: LimitText.reduction(session.takeLeastGain(isShown: true)),
      loudness: loudnessTap().flatMap(loudness))
    line.show { now.grid(width: $0, $1) }
  }

  // MARK: Another patch

  /// Goes over to the file as it is now. Returns a patch that needs a new beginning.
  private func reload(
    by origin: ControlOrigin, _ showsLine: Bool
  ) -> PatchReader.Result? {
    manager?.reloads()
    let (file, reading): (PatchFile, PatchReader.Result)
    do throws(CommandFailure) {
      guard let found = try read() else {
        clear(showsLine)
        let text = "the patch came from standard input: it cannot be read again"
        appearance.report("note", text)
        manager?.hasReloaded(text)
        return nil
      }
      (file, reading) = found
    } catch {
      clear(showsLine)
      appearance.report("warning", "\(error.message); the patch plays on as it was")
      manager?.hasReloaded("as before a reload that was refused: \(error.message)")
      return nil
    }
    do throws(LivePatch.Refusal) {
      let (changes, isOwn) = try take(file, reading, by: origin)
      watchSubgraphs()
      control?.note(changes, by: origin)
      if !isOwn || !changes.isEmpty { report(changes, showsLine) }
      manager?.hasReloaded("reloaded with \(counted(changes.count, "change"))")
    } catch {
      clear(showsLine)
      switch error {
      case .wrong(let patch):
        control?.note(refused: patch, by: origin)
        appearance.report(patch)
        appearance.report("note", "the patch plays on as it was")
        manager?.hasReloaded("as before a reload that was refused: \(patch.mainFindingLine)")
      case .restart(let next, let changes):
        report(changes, showsLine)
        return next
      }
    }
    return nil
  }

  /// Plays what has been read, and says whether it is what has been saved from here. That plays, or did
  /// a moment ago: then it is the files of sub-graphs that may be others.
  private func take(
    _ file: PatchFile, _ reading: PatchReader.Result, by origin: ControlOrigin
  ) throws(LivePatch.Refusal) -> (changes: [PatchChange], isOwn: Bool) {
    let live = stage.live
    guard let control else { return (try live.play(reading), false) }
    return try control.exclusively { () throws(LivePatch.Refusal) in
      if origin == .file, control.file.isOwn(file.source.bytes) {
        return (try live.play(live.reading), true)
      }
      do throws(LivePatch.Refusal) {
        let changes = try live.play(reading)
        control.file.follow(file, reading)
        return (changes, false)
      } catch {
        if case .restart = error { control.file.follow(file, reading) }
        throw error
      }
    }
  }

  /// Watches the files of sub-graphs, too. One that cannot be watched is read with the patch's own.
  private func watchSubgraphs() {
    for path in stage.live.subgraphFiles {
      do throws(CommandFailure) { try files?.add(path) } catch { continue }
    }
  }

  /// Says what has changed and how it is heard.
  private func report(_ changes: [PatchChange], _ showsLine: Bool) {
    guard !quiet else { return }
    clear(showsLine)
    guard !changes.isEmpty else {
      return appearance.report("note", "the patch was read again, and says the same")
    }
    for change in changes.prefix(8) {
      appearance.report("note", "\(change.text) (\(change.heard.words))")
    }
    if changes.count > 8 { appearance.report("note", "and \(changes.count - 8) changes more") }
  }

  /// The first tap that measures loudness.
  private func loudnessTap() -> TapID? {
    graph.readings.first { if case .loudness = $0.reading { true } else { false } }?.id
  }

  /// What it reads: of the last three seconds, in LUFS.
  private func loudness(_ tap: TapID) -> Double? {
    guard case .loudness(let loudness)? = graph.reading(of: tap) else { return nil }
    return loudness.shortTerm
  }

  // MARK: What the session decides

  private var policy: SessionPolicy { stage.live.policy.waiting(deviceWait) }

  private func takePolicy() {
    let policy = policy
    hardware.pausesWhenInterrupted = policy.onInterruption == .pause
    hardware.onDeviceLoss = policy.deviceLoss
  }

  /// Ends the run where a device has been waited for as long as it may be.
  private func endOfWait() -> End? {
    guard !lost.isEmpty else { return nil }
    let limit = policy.onDeviceLoss == .exit ? 0 : policy.deviceWait ?? .infinity
    guard let error = lost.overdue(limit, at: monotonicNanoseconds()) else { return nil }
    return .failed(
      CommandFailure(
        ExitStatus.failedRunning,
        limit > 0
          ? "\(error.message), and was not there again within \(fixed(limit, 1)) s" : error.message,
        help: [error.help]))
  }

  private func lose(_ side: AudioDevice.Direction, _ error: HardwareError, _ showsLine: Bool) {
    noteStall(error.message)
    lost.lose(side, error, at: monotonicNanoseconds())
    // What is about to end is told as an error.
    guard policy.onDeviceLoss != .exit else { return }
    let isUnheard = side == .sink || !hardware.wantsOutput
    let text =
      error.message + ": "
      + (isUnheard
        ? policy.waitingWords : "the patch hears silence until it is there")
    control?.noteDevice(
      ControlDirection(side), isLost: true, isWaiting: true, error.message)
    manager?.waits(text)
    say(text, showsLine)
  }

  private func find(_ side: AudioDevice.Direction, _ name: String, _ showsLine: Bool) {
    guard let seconds = lost.find(side, at: monotonicNanoseconds()) else { return }
    let text = "the \(side.rawValue) '\(name)' is there, after \(fixed(seconds, 1)) s"
    control?.noteDevice(
      ControlDirection(side), isLost: false, isWaiting: !lost.isEmpty, text)
    if lost.isEmpty { manager?.hasWaited() }
    say(text + ": the patch is heard again", showsLine)
  }

  /// Does what the patch says is done then. Returns an end where it is one.
  private func decide(upon happenings: [HardwareEvent], _ showsLine: Bool) -> End? {
    var end: End?
    for happening in happenings {
      switch happening {
      case .moved(let direction, let name):
        noteStall("the \(direction.rawValue) became '\(name)'")
        end = moved(direction, to: name, showsLine) ?? end
      case .interrupted(let cause):
        if case .suspended(let direction) = cause {
          noteStall("the \(direction.rawValue) was suspended")
        } else {
          noteStall("the sound server asked for silence")
        }
        end = interrupted(by: cause, showsLine) ?? end
      case .resumed:
        control?.noteInterruption(begins: false)
        say("the interruption is over: the patch plays on", showsLine)
      case .lost(let side, let error): lose(side, error, showsLine)
      case .returned(let side, let name): find(side, name, showsLine)
      case .noted(let text): say(text, showsLine)
      case .ended(let reason):
        say(reason + ": the patch ends", showsLine)
        end = .over(reason)
      }
    }
    return end
  }

  private func moved(
    _ direction: AudioDevice.Direction, to name: String, _ showsLine: Bool
  ) -> End? {
    control?.noteRoute(ControlDirection(direction), name)
    let text = "the \(direction.rawValue) is now '\(name)'"
    switch stage.live.policy.onRouteChange {
    case .follow:
      say(text, showsLine)
      return nil
    case .restart:
      say(text + ": the patch begins again there", showsLine)
      if direction == .sink { route.sink = name } else { route.source = name }
      return .restart(stage.live.reading)
    case .stop:
      say(text + ": the patch ends", showsLine)
      return .decided
    }
  }

  private func interrupted(by cause: HardwareInterruption, _ showsLine: Bool) -> End? {
    let text =
      switch cause {
      case .suspended(let direction): "the \(direction.rawValue) has been suspended"
      case .asked: "the sound server asks for silence"
      }
    switch stage.live.policy.onInterruption {
    case .continue: return nil
    case .pause:
      control?.noteInterruption(begins: true)
      say(text + ": the patch pauses", showsLine)
      return nil
    case .stop:
      control?.noteInterruption(begins: true)
      say(text + ": the patch ends", showsLine)
      return .decided
    }
  }

  private func say(_ text: String, _ showsLine: Bool) {
    guard !quiet else { return }
    clear(showsLine)
    appearance.report("note", text)
  }

  private func clear(_ showsLine: Bool) {
    if showsLine { line.clear() }
  }

  /// Takes the sound away without a click. A device that pulls nothing is not waited for.
  private func fade(_ session: RenderSession) {
    // A pause is silent already.
    guard !session.isPausing else { return }
    session.fadeOut()
    let begin = monotonicNanoseconds()
    while !session.hasEnded, hardware.failure == nil {
      guard monotonicNanoseconds() - begin < 1_000_000_000 else { return }
      usleep(5000)
    }
  }

  // MARK: Afterwards

  private func report(_ end: End, _ session: RenderSession, _ rate: Double) -> Int32 {
    var status = ExitStatus.success
    var failures: [CommandFailure] = []
    if case .failed(let failure) = end {
      failures.append(failure)
    } else if let failure = hardware.failure {
      failures.append(
        CommandFailure(ExitStatus.failedRunning, failure.message, help: [failure.help]))
    }
    for error in graph.serviceErrors
    where !failures.contains(where: { $0.message == error.message }) {
      failures.append(CommandFailure(ExitStatus.failedRunning, error.message))
    }
    let failed = session.failedSlices
    if failed.count > 0 {
      failures.append(
        CommandFailure(
          ExitStatus.failedRunning,
          "\(counted(failed.count, "slice")) could not be rendered: \(failed.status)"))
    }
    for failure in failures {
      appearance.report("error", failure.message, help: failure.help)
      status = failure.status
    }
    let silenced = session.limited.silencedSamples
    if silenced > 0 {
      appearance.report(
        "warning",
        "\(counted(silenced, "sample")) that were no finite numbers were put out as silence")
    }
    // These have been told when they happened.
    if !events.failures.isEmpty { status = ExitStatus.failedRunning }
    if graph.lostFrames > 0 {
      appearance.report(
        "warning",
        "\(counted(graph.lostFrames, "frame")) of files were not there, or not "
          + "written, in time")
    }
    if !quiet {
      StandardStream.error.put(summary(session, rate) + "\n")
      for line in events.summary { StandardStream.error.put("  \(line)\n") }
      for measurement in graph.readings {
        StandardStream.error.put(MeasurementText.text(measurement) + "\n")
      }
    }
    return status
  }

  private func summary(_ session: RenderSession, _ rate: Double) -> String {
    let statistics = hardware.statistics
    let xruns = statistics.underruns + statistics.overruns
    let limited = LimitText.summary(session).map { ", \($0)" } ?? ""
    return "\(fixed(Double(session.renderedFrames) / rate, 3)) s, "
      + "load \(fixed(session.load * 100, 2)) %, \(counted(xruns, "xrun"))\(limited)"
  }
}

extension ControlDirection {
  init(_ direction: AudioDevice.Direction) { self = direction == .sink ? .sink : .source }
}

extension LiveHardware {
  /// Whether there is a loudspeaker side.
  fileprivate var wantsOutput: Bool { grant.outputFormat != nil }
}
