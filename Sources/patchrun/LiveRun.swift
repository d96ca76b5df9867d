import AudioGraphs
import AudioTypes
import Glibc
import PulseIO
import RenderCore
import RenderHost

/// A patch that plays, from start to the exit status.
struct LiveRun {
  let graph: AudioGraph
  let hardware: PulseHardware
  let signals: Signals
  let appearance: AppearanceOptions
  let quiet: Bool

  /// Why the sound ended.
  private enum End {
    case reached, interrupted
    case failed(CommandFailure)
  }

  func run(_ duration: Seconds?) throws(CommandFailure) -> Int32 {
    guard let session = graph.session else { return ExitStatus.wrongPatch }
    let rate = session.configuration.sampleRate
    // As in a render: what is asked for, or else what the sources have.
    let frames = duration?.frames(at: rate) ?? graph.duration
    if let frames { session.end(afterFrames: frames) }
    try start()
    if !quiet {
      let text = GrantText.text(
        hardware.grant, scheduling: hardware.schedulingDescription)
      StandardStream.error.put(text + "\n")
    }
    let end = wait(session, total: frames.map { Double($0) / rate }, rate: rate)
    if case .interrupted = end { fade(session) }
    graph.stop()
    // Finishes the files that are being written.
    graph.close()
    return report(end, session, rate)
  }

  private func start() throws(CommandFailure) {
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

  private func wait(_ session: RenderSession, total: Double?, rate: Double) -> End {
    let showsLine = !quiet && StandardStream.error.isTerminal
    let tap = showsLine ? loudnessTap() : nil
    defer { if showsLine { StandardStream.error.put("\r\u{1B}[K") } }
    while true {
      // Cleared before it is looked at, so that nothing is missed and the wait below is one.
      _ = hardware.waitForEvent(timeout: 0)
      if signals.interruptedBy != nil { return .interrupted }
      if let failure = hardware.failure {
        return .failed(
          CommandFailure(ExitStatus.failedRunning, failure.message, help: [failure.help]))
      }
      if let error = graph.serviceErrors.first {
        return .failed(CommandFailure(ExitStatus.failedRunning, error.message))
      }
      if session.hasEnded { return .reached }
      for note in hardware.takeNotes() { report(note, showsLine) }
      if signals.takeReload() {
        clear(showsLine)
        appearance.report("note", "SIGHUP: the patch is not read again; it plays on")
      }
      if showsLine {
        let statistics = hardware.statistics
        let line = LiveLine(
          position: Double(session.renderedFrames) / rate, total: total,
          peak: Double(session.takeOutputPeak()), load: Double(graph.takeMaximumCPULoad()),
          xruns: statistics.underruns + statistics.overruns, loudness: tap.flatMap(loudness))
        StandardStream.error.put(
          "\r" + line.text(width: StandardStream.error.columns ?? 80) + "\u{1B}[K")
      }
      graph.collect()
      signals.wait(milliseconds: showsLine ? 100 : 20, or: hardware.eventDescriptor)
    }
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

  private func report(_ note: PulseNote, _ showsLine: Bool) {
    guard !quiet, case .moved(let direction, let name) = note else { return }
    clear(showsLine)
    appearance.report("note", "the \(direction.rawValue) is now '\(name)'")
  }

  private func clear(_ showsLine: Bool) {
    if showsLine { StandardStream.error.put("\r\u{1B}[K") }
  }

  /// Takes the sound away without a click. A device that pulls nothing is not waited for.
  private func fade(_ session: RenderSession) {
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
    if graph.lostFrames > 0 {
      appearance.report(
        "warning",
        "\(counted(graph.lostFrames, "frame")) of files were not there, or not "
          + "written, in time")
    }
    if !quiet {
      StandardStream.error.put(summary(session, rate) + "\n")
      for measurement in graph.readings {
        StandardStream.error.put(MeasurementText.text(measurement) + "\n")
      }
    }
    return status
  }

  private func summary(_ session: RenderSession, _ rate: Double) -> String {
    let statistics = hardware.statistics
    let xruns = statistics.underruns + statistics.overruns
    return "\(fixed(Double(session.renderedFrames) / rate, 3)) s, "
      + "load \(fixed(session.load * 100, 2)) %, \(counted(xruns, "xrun"))"
  }
}

/// What the line of a running patch shows, ten times a second.
struct LiveLine: Equatable {
  /// Seconds that have been rendered.
  var position: Double
  /// Seconds until the end; `nil` for none.
  var total: Double?
  /// The greatest magnitude since the last line, where 1 is full scale.
  var peak: Double
  /// The largest share of a slice's duration since the last line, 0 to 1.
  var load: Double
  var xruns: Int
  /// In LUFS, where a tap measures it.
  var loudness: Double?

  /// Within so many columns of a terminal; the last one stays free.
  func text(width: Int) -> String {
    let time = clock(position) + (total.map { " of \(clock($0))" } ?? "")
    let rest =
      (loudness.map { "\(fixed($0, 1)) LUFS  " } ?? "")
      + "load \(fixed(load * 100, 1)) %  xruns \(xruns)"
    let room = width - 1 - time.count - rest.count - 4
    var level = decibels(peak)
    level = String(repeating: " ", count: max(0, 10 - level.count)) + level
    if room >= level.count + 13 { level = meter(min(40, room - level.count - 3)) + " " + level }
    return String("\(time)  \(level)  \(rest)".prefix(max(0, width - 1)))
  }

  /// From -60 dBFS to full scale.
  private func meter(_ width: Int) -> String {
    let level = peak > 0 ? 20 * renderLog10(peak) : -60
    let share = max(0, min(1, 1 + level / 60))
    let filled = share.isNaN ? 0 : Int((share * Double(width)).rounded())
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: " ", count: width - filled) + "]"
  }
}
