import AudioTypes
import Diagnostics
import PatchSyntax
import RenderHost

/// The findings and measurements of `doctor`.
struct DoctorReport {
  var findings: [DoctorFinding]
  /// The recommended `session` of a patch; empty if nothing was played.
  private(set) var settings: [JSONText.Member] = []
  /// What is said of the recommended settings; empty if nothing was played.
  private(set) var advice = ""
  /// The measurements for `--json`.
  private(set) var measured: [JSONText.Member] = []

  init(findings: [DoctorFinding]) { self.findings = findings }

  // MARK: The server

  mutating func note(_ server: SoundServer, sink: String?, source: String?) {
    findings.append(
      .init(
        topic: "sound server", state: .ok,
        found: "\(server.name) \(server.version), \(rateText(server.sampleRate)) Hz, "
          + "\(server.sampleFormat), \(counted(server.channelCount, "channel")) where nothing is said"
      ))
    let devices = DoctorDevices(server: server)
    findings += [devices.complaint(.sink, sink), devices.complaint(.source, source)].compactMap {
      $0
    }
    let played = devices.device(.sink, sink)
    let heard = devices.device(.source, source)
    for device in [played, heard].compactMap({ $0 }) {
      let state = device.state == .suspended ? ", suspended until it is used" : ""
      findings.append(
        .init(
          topic: device.direction.rawValue, state: .ok,
          found: "\(device.name): \(rateText(device.sampleRate)) Hz, \(device.sampleFormat), "
            + "\(counted(device.channelCount, "channel"))\(state)"))
      if let buffer = DoctorBuffers.finding(of: device) { findings.append(buffer) }
    }
    guard let played, let heard else { return }
    let isSame = played.sampleRate == heard.sampleRate
    findings.append(
      .init(
        topic: "resampling", state: isSame ? .ok : .warning,
        found: isSame
          ? "none: a session runs at the rate of the sink, and the source has it, too"
          : "the source runs at \(rateText(heard.sampleRate)) Hz and the sink at "
            + "\(rateText(played.sampleRate)): the server converts what is heard",
        cure: isSame
          ? ""
          : "put both to one rate: 'default-sample-rate' and 'alternate-sample-rate' in "
            + "~/.config/pulse/daemon.conf, or 'default.clock.rate' of PipeWire"))
  }

  // MARK: Playback

  /// - Parameter duration: The duration of an I/O buffer that was asked for, in seconds.
  mutating func note(slices run: DoctorSound.Run, duration: Double) {
    let rate = run.grant.sampleRate
    let isFine = run.underruns == 0
    let frames = run.grant.ioBufferFrames
    let gaps = isFine ? "no gaps" : "and still \(counted(run.underruns, "gap"))"
    let notes = run.grant.notes.map { "; " + $0 }.joined()
    findings.append(
      .init(
        topic: "slices", state: isFine ? .ok : .warning,
        found: "\(counted(frames, "frame")) (\(milli(Double(frames) / rate)); "
          + "\(milli(duration)) were asked for), output latency "
          + "\(milli(run.grant.outputLatency)), \(gaps)\(notes)",
        cure: isFine ? "" : "see to what is warned of above, and end what else runs"))
    if let buffer = DoctorBuffers.finding(playback: run.grant) { findings.append(buffer) }
    if let times = run.times { note(times) }
    settings = [
      .init("preferredSampleRate", .number(rate)),
      .init(
        "preferredIOBufferDuration", .number(Self.preference(forFrames: frames, sampleRate: rate))),
    ]
    advice = Self.advice(frames: frames, sampleRate: rate, hasGaps: !isFine)
    measured += DoctorBuffers.measured(playback: run.grant)
    measured += [
      .init("sampleRate", .number(rate)), .init("sliceFrames", .number(frames)),
      .init("outputLatency", .number(run.grant.outputLatency)),
      .init("underruns", .number(run.underruns)),
      .init("scheduling", .string(run.scheduling)),
    ]
  }

  /// The duration in seconds to ask for in order to get slices of so many frames: theirs, rounded
  /// down to 10 µs, because a duration that is longer than a slice by a frame gets the next size.
  static func preference(forFrames frames: Int, sampleRate: Double) -> Double {
    (Double(frames) / sampleRate * 1e5).rounded(.down) / 1e5
  }

  /// What the recommended settings are, and what to set where they are not enough.
  static func advice(frames: Int, sampleRate: Double, hasGaps: Bool) -> String {
    let slices = "slices of \(counted(frames, "frame"))"
    guard !hasGaps else {
      return "These are \(slices), the longest that were tried, and they had gaps: see to the "
        + "warnings first."
    }
    let granted =
      "These are \(slices), the shortest that played without a gap; a patch that computes much "
      + "may need longer ones"
    guard 2 * frames <= HardwareGrant.ioBufferLimits.upperBound else { return granted + "." }
    let next = JSONText.number(preference(forFrames: 2 * frames, sampleRate: sampleRate))
    return granted + ": \(next.compact) gives \(counted(2 * frames, "frame"))."
  }

  private mutating func note(_ times: PullTimes) {
    findings.append(
      .init(
        topic: "jitter", state: .note,
        found: "pulls come \(milli(times.jitter)) from where they should be (RMS), the latest "
          + "\(milli(times.latest)) late"))
    measured += [
      .init("jitter", .number(Self.rounded(times.jitter, 1e6))),
      .init("latestPull", .number(Self.rounded(times.latest, 1e6))),
    ]
  }

  mutating func note(roundTrip run: DoctorSound.Run, heardBy source: String) {
    let rate = run.grant.sampleRate
    let topic = "round trip"
    if let buffer = DoctorBuffers.finding(capture: run.grant) { findings.append(buffer) }
    measured += DoctorBuffers.measured(capture: run.grant)
    if run.delays.isEmpty {
      findings.append(
        .init(
          topic: topic, state: .warning,
          found:
            "\(quoted(source)) does not hear what is played, in \(counted(run.tries, "try", "tries"))",
          cure: "connect it to the output, turn both up, or play louder: --level -20"))
    } else {
      let (least, most) = (run.delays.min() ?? 0, run.delays.max() ?? 0)
      let mean = run.delays.reduce(0, +) / Double(run.delays.count)
      findings.append(
        .init(
          topic: topic, state: .ok,
          found: "\(fixed(mean, 1)) frames, \(milli(mean / rate)), heard by \(quoted(source)); it "
            + "varied by \(fixed(most - least, 1)) frames in "
            + counted(run.delays.count, "measurement")))
      measured += [
        .init("roundTrip", .number(Self.rounded(mean / rate, 1e6))),
        .init("roundTripFrames", .number(Self.rounded(mean, 100))),
        .init("roundTripVariationFrames", .number(Self.rounded(most - least, 100))),
      ]
    }
    guard let times = run.times else { return }
    // A quartz clock is off by 100 ppm at the worst; more means that the server runs by another
    // clock.
    let isFar = abs(times.drift) > 500 + times.driftError
    findings.append(
      .init(
        topic: "drift", state: isFar ? .warning : .ok,
        found: "the device's clock is \(fixed(times.drift, 0)) ppm ahead of the system's, "
          + "to within \(fixed(times.driftError, 0)); an I/O unit follows it",
        cure: isFar ? "a device this far off is not at its rate: look for a resampler in front" : ""
      ))
    measured += [
      .init("drift", .number(Self.rounded(times.drift, 10))),
      .init("driftError", .number(Self.rounded(times.driftError, 10))),
    ]
  }

  // MARK: Printing

  private func milli(_ seconds: Double) -> String { "\(fixed(seconds * 1000, 1)) ms" }

  private static func rounded(_ value: Double, _ factor: Double) -> Double {
    (value * factor).rounded() / factor
  }

  var text: String {
    let width = findings.map(\.topic.count).max() ?? 0
    let states = ["ok": "ok     ", "warning": "WARNING", "note": "note   "]
    var text = ""
    for finding in findings {
      let topic = finding.topic + String(repeating: " ", count: width - finding.topic.count)
      text += "\(states[finding.state.rawValue] ?? "")  \(topic)  \(printable(finding.found))\n"
      if !finding.cure.isEmpty {
        text += String(repeating: " ", count: width + 11) + "-> \(printable(finding.cure))\n"
      }
    }
    guard !settings.isEmpty else { return text }
    return text + "\nIn a patch: \"session\": \(JSONText.object(settings).compact)\n\(advice)\n"
  }

  var json: JSONText {
    [
      "findings": .array(findings.map(\.json)), "measured": .object(measured),
      "session": settings.isEmpty ? .null : .object(settings),
    ]
  }
}
