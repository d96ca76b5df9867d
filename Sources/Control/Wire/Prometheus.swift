/// Prometheus' text exposition format, version 0.0.4.
struct PrometheusText {
  enum Kind: String { case counter, gauge }

  private(set) var text = ""

  /// Adds a metric with its samples, each with labels and a value. Does nothing without samples.
  mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [([(String, String)], Double)]
  ) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    for (labels, value) in samples {
      text += name
      if !labels.isEmpty {
        let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }
        text += "{" + list.joined(separator: ",") + "}"
      }
      text += " " + Self.written(value) + "\n"
    }
  }

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [([], value)])
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func written(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return abs(value) < 0x1p53 && value == value.rounded() ? "\(Int(value))" : "\(value)"
  }
}

/// The answer of `GET /metrics`.
enum Metrics {
  static func text(
    _ status: ControlStatus, _ meters: [ControlMeter], _ control: ControlCounts, version: String
  ) -> String {
    var text = PrometheusText()
    text.add(
      "patchrun_info", .gauge, "The patch and its devices, as labels.",
      [
        (
          [
            ("version", version), ("file", status.file), ("title", status.title ?? ""),
            ("sink", status.grant.sink?.name ?? ""), ("source", status.grant.source?.name ?? ""),
          ], 1
        )
      ])
    text.add(
      "patchrun_state", .gauge, "1 for the current state of the run, 0 for the others.",
      ControlState.allCases.map { ([("state", $0.rawValue)], $0 == status.state ? 1 : 0) })
    text.add(
      "patchrun_rendered_seconds_total", .counter, "Seconds of sound that have been rendered.",
      status.position)
    addDevice(status, to: &text)
    text.add(
      "patchrun_load_ratio", .gauge, "Render time of a slice divided by its duration.",
      status.load.rounded(digits: 5))
    text.add(
      "patchrun_peak_load_ratio", .gauge, "The largest load since the last request.",
      status.peakLoad.rounded(digits: 5))
    text.add(
      "patchrun_render_threads", .gauge, "Threads that rendered the last slice.",
      Double(status.renderThreads))
    text.add(
      "patchrun_xruns_total", .counter, "Underruns and overruns, by direction.",
      [
        ([("direction", "output")], Double(status.underruns)),
        ([("direction", "input")], Double(status.overruns)),
      ])
    text.add(
      "patchrun_underruns_total", .counter,
      "Underruns, by cause.",
      status.underrunCauses.map { ([("cause", $0.name)], Double($0.count)) })
    text.add(
      "patchrun_device_losses_total", .counter,
      "How often a sink, a source or the server was lost and the run waited for it.",
      Double(status.deviceLosses))
    text.add(
      "patchrun_failed_slices_total", .counter, "Slices that could not be rendered.",
      Double(status.failedSlices))
    text.add(
      "patchrun_lost_frames_total", .counter,
      "Frames of files that were not read or written in time.", Double(status.lostFrames))
    text.add(
      "patchrun_file_events_total", .counter,
      "Events of files that are read or written, by kind.",
      status.fileEvents.map { ([("kind", $0.name)], Double($0.count)) })
    addLimit(status, to: &text)
    text.add(
      "patchrun_pending_changes", .gauge, "Accepted changes that are not heard yet.",
      Double(status.pendingStages))
    addMeters(meters, to: &text)
    text.add(
      "patchrun_control_connections", .gauge, "Connections to the control server.",
      Double(control.connections))
    text.add(
      "patchrun_control_refused_total", .counter, "Refused connections, by reason.",
      [
        ([("reason", "stranger")], Double(control.strangers)),
        ([("reason", "full")], Double(control.turnedAway)),
      ])
    text.add(
      "patchrun_control_unread_total", .counter,
      "Connections closed because the client did not read.", Double(control.unread))
    text.add(
      "patchrun_control_requests_total", .counter, "Requests to the control server.",
      Double(control.requests))
    text.add(
      "patchrun_changes_total", .counter, "Requested changes, by result.",
      [
        ([("result", "applied")], Double(control.applied)),
        ([("result", "refused")], Double(control.refused)),
      ])
    text.add(
      "patchrun_osc_datagrams_total", .counter, "OSC datagrams, by result.",
      [
        ([("result", "taken")], Double(control.oscTaken)),
        ([("result", "malformed")], Double(control.oscMalformed)),
        ([("result", "unmatched")], Double(control.oscUnmatched)),
        ([("result", "dropped")], Double(control.oscDropped)),
      ])
    text.add(
      "patchrun_osc_pauses_total", .counter,
      "How often reading OSC datagrams was paused because they came too fast.",
      Double(control.oscPauses))
    return text.text
  }

  private static func addLimit(_ status: ControlStatus, to text: inout PrometheusText) {
    if let limit = status.outputLimit {
      text.add(
        "patchrun_output_limit_decibels", .gauge, "The output limit in dBFS.",
        limit.level.rounded(digits: 2))
      text.add(
        "patchrun_limited_seconds_total", .counter,
        "Seconds of sound that the output limit turned down.",
        limit.seconds.rounded(digits: 3))
    }
    text.add(
      "patchrun_silenced_samples_total", .counter,
      "Samples that were not finite and were replaced by silence.", Double(status.silencedSamples))
  }

  private static func addDevice(_ status: ControlStatus, to text: inout PrometheusText) {
    let grant = status.grant
    text.add(
      "patchrun_sample_rate_hertz", .gauge, "The sample rate that the device has granted.",
      grant.sampleRate)
    text.add(
      "patchrun_slice_frames", .gauge, "Frames of a slice.", Double(grant.sliceFrames))
    var latencies: [([(String, String)], Double)] = []
    if let sink = grant.sink { latencies.append(([("direction", "output")], sink.latency)) }
    if let source = grant.source { latencies.append(([("direction", "input")], source.latency)) }
    text.add("patchrun_latency_seconds", .gauge, "Latency of the device.", latencies)
    let raised = status.raisedLatency
    text.add(
      "patchrun_raised_latency_seconds", .gauge,
      "The output latency above the requested one, raised after an underrun.",
      max(0, (raised?.granted ?? 0) - (raised?.asked ?? 0)).rounded(digits: 6))
    guard let raised else { return }
    text.add(
      "patchrun_raised_latency_age_seconds", .gauge, "How long the latency has been raised.",
      raised.age.rounded(digits: 3))
    guard let time = raised.timeUntilLess else { return }
    text.add(
      "patchrun_raised_latency_until_less_seconds", .gauge,
      "Time until the latency is lowered by a slice, if there is no further underrun.",
      time.rounded(digits: 3))
  }

  private static func addMeters(_ meters: [ControlMeter], to text: inout PrometheusText) {
    typealias Sample = ([(String, String)], Double)
    var averages: [Sample] = []
    var peaks: [Sample] = []
    var readings: [Sample] = []
    for meter in meters {
      let place = labels(meter.place)
      let sides = [("post", meter.levels), ("pre", meter.preFaderLevels ?? [])]
      for (side, levels) in sides {
        for (channel, level) in levels.enumerated() {
          let labels = place + [("channel", "\(channel)"), ("fader", side)]
          averages.append((labels, level.average.rounded(digits: 2)))
          peaks.append((labels, level.peak.rounded(digits: 2)))
        }
      }
      for reading in meter.readings {
        for (index, value) in reading.values.enumerated() {
          readings.append(
            (
              place + [
                ("reading", reading.name), ("unit", reading.unit), ("index", "\(index)"),
              ], value.rounded(digits: 3)
            ))
        }
      }
    }
    text.add(
      "patchrun_level_average_decibels", .gauge, "Average level of a meter's channel.", averages)
    text.add("patchrun_level_peak_decibels", .gauge, "Peak level of a meter's channel.", peaks)
    text.add("patchrun_reading", .gauge, "Further readings of the taps, in their units.", readings)
  }

  private static func labels(_ place: ControlMeter.Place) -> [(String, String)] {
    switch place {
    case .tap(let name): [("tap", name)]
    case .bus(let node, let isInput, let element):
      [("node", node), ("scope", isInput ? "input" : "output"), ("element", "\(element)")]
    case .crosspoint(let node, let input, let output):
      [("node", node), ("scope", "crosspoint"), ("input", "\(input)"), ("output", "\(output)")]
    case .master(let node): [("node", node), ("scope", "master")]
    }
  }
}
