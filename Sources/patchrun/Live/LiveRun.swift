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

/// A running patch and its device.
struct LiveStage {
  let live: LivePatch
  let hardware: any LiveHardware
  /// The render time of its parts.
  let meter: LiveMeter

  var graph: AudioGraph { live.graph }
}

/// The devices that the sound server has moved a patch to before a restart; `nil` for the requested
/// ones.
struct LiveRoute {
  var sink: String?
  var source: String?
}

/// A live run, from its start to its exit status, across reloads and restarts. Used on one thread.
final class LiveRun {
  var stage: LiveStage
  let signals: Signals
  let files: FileWatch?
  let appearance: any Appearance
  let quiet: Bool
  /// Reads the patch's file again; `nil` for standard input.
  let read: () throws(CommandFailure) -> (PatchFile, PatchReader.Result)?
  /// Opens a device for another patch; `nil` if the patch has errors.
  let open: (PatchReader.Result, LiveRoute) throws(CommandFailure) -> LiveStage?
  /// The interface of the control server; `nil` without a server.
  let control: LiveControl?
  /// The live line on the terminal, drawn ten times a second.
  private var line: TerminalLine
  private var hold = PeakHold()
  let manager: ServiceManager?
  /// The grant, until the run plays and has reported it.
  private var unreportedGrant: String?
  /// Whether the run ends with its sources. Otherwise it ends after `--duration`.
  private var endsWithSources = false
  var route = LiveRoute()
  private let takes: Takes
  private var events = FileEvents()
  var underruns = UnderrunReport()
  private var stall = StallWatch()
  /// The known cause of a stop of the device, and its time.
  var stallCause: (words: String, nanoseconds: UInt64)?
  private var overruns = 0
  /// The `--wait-device` of the command line; `nil` leaves it to the patch.
  let deviceWait: DeviceWait?
  var lost = LostDevices()
  let status: RunStatus
  /// When the sound stopped before a restart, in nanoseconds.
  private var stoppedAt: UInt64?

  var graph: AudioGraph { stage.graph }
  var hardware: any LiveHardware { stage.hardware }

  init(
    _ stage: LiveStage, signals: Signals, files: FileWatch?, takes: Takes,
    appearance: any Appearance, quiet: Bool, control: LiveControl? = nil,
    manager: ServiceManager? = nil, deviceWait: DeviceWait? = nil,
    status: RunStatus = RunStatus(),
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
    self.status = status
    self.read = read
    self.open = open
  }

  /// Why the sound has ended.
  enum End {
    /// The sources have ended; a signal or a client ends the run; the session policy ends it.
    case reached, interrupted, decided
    case failed(CommandFailure)
    /// The device has ended without a failure, for this reason.
    case over(String)
    /// Another patch is to start.
    case restart(PatchReader.Result)

    /// The reason as text; `nil` for a restart.
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

    /// The end as clients see it.
    var reported: ControlEnd {
      switch self {
      case .reached, .over: .reached
      case .interrupted, .decided, .restart: .stopped
      case .failed(let failure): .failed(message: failure.message)
      }
    }
  }

  /// Plays until the end and returns the exit status.
  ///
  /// - Parameters:
  ///   - duration: The duration of the run; `nil` for that of the sources.
  ///   - start: Where the patch begins, after restarts too.
  func run(_ duration: Seconds?, from start: StartMoment? = nil) throws(CommandFailure) -> Int32 {
    endsWithSources = duration == nil
    var played = 0.0
    while true {
      guard let session = graph.session else { return ExitStatus.wrongPatch }
      let rate = session.configuration.sampleRate
      // As in a render: `--duration`, or else the duration of the sources.
      if let duration {
        _ = try duration.renderedFrames(at: rate)
        let first = start?.frames(at: rate) ?? 0
        session.end(afterFrames: first + max(0, Int(((duration.value - played) * rate).rounded())))
      }
      try planUpdates()
      try advance(to: start, session, rate)
      try self.start()
      if let stopped = stoppedAt {
        stoppedAt = nil
        graph.noteGap(
          seconds: Double(monotonicNanoseconds() - stopped) / 1e9, cause: "the patch began again")
      }
      let grant = GrantText.text(
        hardware.grant, scheduling: hardware.schedulingDescription)
      if !quiet { StandardStream.error.put(printable(grant) + "\n") }
      unreportedGrant = grant
      control?.begins(stage)
      status.plays(session, on: hardware)
      let end = wait(session, rate: rate)
      control?.ends(nil)
      status.note(.stopping)
      if let reason = end.words { manager?.stops(reason) }
      switch end {
      case .reached, .failed, .over: break
      case .interrupted, .decided, .restart: fade(session)
      }
      // Recordings continue in their files after a restart.
      if case .restart = end { takes.beginHandover() }
      graph.stop()
      // Finishes the files of the taps.
      graph.close()
      reportEvents()
      // Notes that came with the end.
      for case .noted(let text) in hardware.takeEvents() { say(text, false) }
      guard case .restart(let reading) = end else {
        control?.ends(end.reported)
        return report(end, session, rate)
      }
      played += Double(session.renderedFrames - session.advancedFrames) / rate
      stoppedAt = monotonicNanoseconds()
      defer { for error in takes.endHandover() { appearance.report("error", error.message) } }
      guard let next = try open(reading, route) else { return ExitStatus.wrongPatch }
      stage = next
      lost = LostDevices()
      stall = StallWatch()
      overruns = 0
    }
  }

  /// Renders the frames before the start as fast as possible, without playing them.
  private func advance(
    to start: StartMoment?, _ session: RenderSession, _ rate: Double
  ) throws(CommandFailure) {
    guard let frames = start?.frames(at: rate) else { return }
    defer { graph.openTaps() }
    // No longer than the updates are planned ahead.
    let stretch = max(1, Int(rate / 8))
    while session.renderedFrames < frames, signals.interruptedBy == nil {
      let length = min(stretch, frames - session.renderedFrames)
      do throws(ServiceError) {
        guard try graph.advance(length) == length else { break }
      } catch {
        throw CommandFailure(ExitStatus.failedRunning, error.message)
      }
      try planUpdates()
      graph.collect()
      manager?.keepAlive()
    }
    _ = stage.live.takePassedSteps()
    if session.hasEnded {
      say("the patch is over before the time at which it is to begin", false)
    }
  }

  private func start() throws(CommandFailure) {
    takePolicy()
    do throws(GraphStartError) { try graph.start() } catch {
      switch error {
      case .refused(let violation):
        throw CommandFailure(
          ExitStatus.unavailable, violation.message, help: violation.help)
      case .hardware(let failure):
        throw CommandFailure(ExitStatus.unavailable, failure.message, help: [failure.help])
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
      // Cleared before the state is read, so that no event is missed by the wait below.
      _ = hardware.waitForEvent(timeout: 0)
      notifyManager(session)
      if signals.interruptedBy != nil { return .interrupted }
      if let failure = hardware.failure {
        return .failed(
          CommandFailure(ExitStatus.failedRunning, failure.message, help: [failure.help]))
      }
      reportEvents(showsLine, at: Double(session.renderedFrames) / rate)
      watchGaps(session, rate)
      if let error = graph.serviceErrors.first {
        return .failed(CommandFailure(ExitStatus.failedRunning, error.message))
      }
      if session.hasEnded { return .reached }
      takePolicy()
      defer { stage.meter.update(at: monotonicNanoseconds()) }
      if let end = handle(hardware.takeEvents(), showsLine) { return end }
      if let end = endOfWait() { return end }
      if files?.takeChange() == true, let reading = reload(by: .file, showsLine) {
        return .restart(reading)
      }
      if signals.takeReload(), let reading = reload(by: .signal, showsLine) {
        return .restart(reading)
      }
      if signals.takeNewTake() {
        let count = takes.beginNewTakes()
        say(
          count > 0
            ? "a new take begins for each of \(counted(count, "recording"))"
            : "the patch records nothing: there is no take to begin anew", showsLine)
      }
      if let reading = control?.takeRestart() { return .restart(reading) }
      do throws(CommandFailure) { try planUpdates() } catch { return .failed(error) }
      if let pointers = stage.live.takePassedSteps() { control?.noteTimeline(pointers) }
      if showsLine { showLine(session, rate) }
      let statistics = hardware.statistics
      control?.noteXruns(underruns: statistics.underruns, overruns: statistics.overruns)
      graph.collect()
      signals.wait(milliseconds: session.pauseBeforeEnd(rate: rate), or: descriptors)
    }
  }

  /// Reports file events.
  private func reportEvents(_ showsLine: Bool = false, at time: Double = 0) {
    for event in graph.takeServiceEvents() {
      control?.note(event)
      if let underrun = underruns.take(event, at: time) { control?.note(underrun) }
      guard let (kind, message) = events.take(event), kind == "error" || !quiet else { continue }
      clear(showsLine)
      appearance.report(kind, message)
    }
  }

  /// Marks gaps in recordings where time has passed without samples.
  private func watchGaps(_ session: RenderSession, _ rate: Double) {
    let now = monotonicNanoseconds()
    // A pause by a client is no gap.
    let isHeld = session.isPausing && stallCause == nil || !hardware.keepsTime
    let seconds = stall.update(
      at: session.renderedFrames, nanoseconds: now, sampleRate: rate, isExpected: isHeld)
    if let seconds {
      graph.noteGap(
        seconds: seconds, ago: stall.age(at: session.renderedFrames, sampleRate: rate),
        cause: stallCause?.words ?? "the sound server stood still")
    }
    // A cause explains only what happens within three seconds.
    if let cause = stallCause, !session.isPausing, now - cause.nanoseconds > 3_000_000_000 {
      stallCause = nil
    }
    let count = hardware.statistics.overruns
    if count > overruns {
      graph.noteGap(seconds: 0, cause: "an overrun: what the source had could not be taken in time")
    }
    overruns = count
  }

  func noteStall(_ words: String) { stallCause = (words, monotonicNanoseconds()) }

  /// Reports readiness to the service manager: once the run plays, or pauses.
  private func notifyManager(_ session: RenderSession) {
    manager?.keepAlive()
    guard let grant = unreportedGrant,
      session.renderedFrames > session.advancedFrames || session.isPausing
    else { return }
    unreportedGrant = nil
    manager?.plays(grant)
  }

  /// Plans the updates that come soon, and sets the end of the session.
  private func planUpdates() throws(CommandFailure) {
    // Longer than any wait of the loop above, and than a slice.
    let ahead = max(0.25, 2 * Double(hardware.grant.ioBufferFrames) / hardware.grant.sampleRate)
    do throws(LivePatch.Refusal) {
      try stage.live.planUpdates(upTo: stage.live.now + ahead)
    } catch {
      throw error.failure(ExitStatus.failedRunning)
    }
    hardware.allowPulls(upTo: stage.live.nextUpdateFrame ?? .max)
    guard endsWithSources else { return }
    // A later update may add a source.
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
      load: Double(graph.takeMaximumCPULoad()),
      xruns: statistics.underruns + statistics.overruns + underruns.fileCount,
      reduction: LimitText.reduction(session.takeLeastGain(isShown: true)),
      loudness: loudnessTap().flatMap(loudness), isWithoutDevice: !lost.isEmpty)
    line.show { now.grid(width: $0, $1) }
  }

  /// The first loudness tap.
  private func loudnessTap() -> TapID? {
    graph.readings.first { if case .loudness = $0.reading { true } else { false } }?.id
  }

  /// The short-term loudness (the last 3 s) in LUFS.
  private func loudness(_ tap: TapID) -> Double? {
    guard case .loudness(let loudness)? = graph.reading(of: tap) else { return nil }
    return loudness.shortTerm
  }

  // MARK: Messages

  func say(_ text: String, _ showsLine: Bool) {
    guard !quiet else { return }
    clear(showsLine)
    appearance.report("note", text)
  }

  func clear(_ showsLine: Bool) {
    if showsLine { line.clear() }
  }

  /// Fades out. Gives up after a second if the device pulls nothing.
  private func fade(_ session: RenderSession) {
    // A paused session is silent already.
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
    // These were reported when they happened.
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
    let limited = LimitText.summary(session).map { ", \($0)" } ?? ""
    let frames = session.renderedFrames - session.advancedFrames
    return "\(fixed(Double(frames) / rate, 3)) s, "
      + "load \(fixed(session.load * 100, 2)) %, \(underruns.summary(statistics))\(limited)"
  }
}
