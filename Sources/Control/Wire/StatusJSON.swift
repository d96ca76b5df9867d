import PatchSyntax

extension ControlStatus {
  /// The answer of `GET /status`.
  var json: JSONText {
    [
      "title": .text(title),
      "file": .string(file),
      "state": .string(state.rawValue),
      "position": .number(position),
      "duration": .number(orNull: duration),
      "tag": .string(tag),
      "grant": grant.json,
      "raisedLatency": raisedLatency?.json ?? .null,
      "load": .number(load.rounded(digits: 5)),
      "peakLoad": .number(peakLoad.rounded(digits: 5)),
      "renderThreads": .number(renderThreads),
      "underruns": .number(underruns),
      "underrunCauses": .counts(underrunCauses),
      "deviceLosses": .number(deviceLosses),
      "overruns": .number(overruns),
      "failedSlices": .number(failedSlices),
      "lostFrames": .number(lostFrames),
      "fileEvents": .counts(fileEvents),
      "outputLimit": outputLimit?.json ?? .null,
      "silencedSamples": .number(silencedSamples),
      "pendingStages": .number(pendingStages),
      "saved": .boolean(isSaved),
      "canSave": .boolean(canSave),
    ]
  }
}

extension ControlRaisedLatency {
  var json: JSONText {
    [
      "asked": .number(asked.rounded(digits: 6)), "granted": .number(granted.rounded(digits: 6)),
      "age": .number(age.rounded(digits: 3)),
      "timeUntilLess": .number(orNull: timeUntilLess?.rounded(digits: 3)),
    ]
  }
}

extension ControlLimit {
  var json: JSONText {
    [
      "level": .number(level.rounded(digits: 2)), "seconds": .number(seconds.rounded(digits: 3)),
      "reduction": .number(reduction.rounded(digits: 2)),
    ]
  }
}

extension ControlGrant {
  var json: JSONText {
    [
      "sink": sink?.json ?? .null,
      "source": source?.json ?? .null,
      "sampleRate": .number(sampleRate),
      "sliceFrames": .number(sliceFrames),
      "scheduling": .string(scheduling),
    ]
  }
}

extension ControlGrant.Device {
  var json: JSONText {
    ["name": .string(name), "channels": .number(channels), "latency": .number(latency)]
  }
}

extension ControlMeter {
  var json: JSONText {
    var members: JSONText
    switch place {
    case .tap(let name): members = ["tap": .string(name)]
    case .bus(let node, let isInput, let element):
      members = [
        "node": .string(node), "scope": isInput ? "input" : "output", "element": .number(element),
      ]
    case .crosspoint(let node, let input, let output):
      members = [
        "node": .string(node), "scope": "global", "element": .number(input << 16 | output),
        "input": .number(input), "output": .number(output),
      ]
    case .master(let node):
      members = ["node": .string(node), "scope": "global", "element": .number(0xFFFF_FFFF)]
    }
    if !levels.isEmpty { members = members.adding(["levels": .array(levels.map(\.json))]) }
    if let preFaderLevels {
      members = members.adding(["preFaderLevels": .array(preFaderLevels.map(\.json))])
    }
    if !readings.isEmpty {
      members = members.adding(["readings": .array(readings.map(\.json))])
    }
    return members
  }

  /// The answer of `GET /meters`.
  static func json(_ meters: [ControlMeter]) -> JSONText {
    ["meters": .array(meters.map(\.json))]
  }
}

extension ControlLevel {
  var json: JSONText {
    ["average": .number(average.rounded(digits: 2)), "peak": .number(peak.rounded(digits: 2))]
  }
}

extension ControlReading {
  var json: JSONText {
    let members: JSONText = ["name": .string(name), "unit": .string(unit)]
    let values: JSONText = ["values": .array(values.map { .number($0.rounded(digits: 3)) })]
    let axis: JSONText =
      switch axis {
      case .bins(let width): ["binWidth": .number(width)]
      case .bands(let count):
        ["lowestBand": .number(Self.lowestBand), "bandsPerOctave": .number(count)]
      case nil: [:]
      }
    return members.adding(axis).adding(values)
  }
}

extension ControlEffect {
  var json: JSONText {
    ["pointer": .string(pointer), "summary": .string(summary), "heard": .string(heard)]
  }
}

extension ControlRefusal {
  /// The diagnostics in the report. The report has exactly one patch.
  var diagnostics: JSONText {
    guard let report = JSONReading.value(of: report),
      let patch = report["patches"]?.elements.first(where: { _ in true }),
      let list = patch["diagnostics"]
    else { return [] }
    return JSONText(list)
  }

  var json: JSONText { ["diagnostics": diagnostics, "text": .string(text)] }
}

extension ControlFrequencyResponse {
  var json: JSONText {
    [
      "node": .string(node),
      "frequencies": .array(frequencies.map { .number($0.rounded(digits: 3)) }),
      "decibels": .array(decibels.map { .number($0.rounded(digits: 4)) }),
    ]
  }
}

extension Double {
  /// The value rounded to this many decimals.
  func rounded(digits: Int) -> Double {
    let factor = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    let scaled = (self * factor).rounded() / factor
    return scaled.isFinite ? scaled : self
  }
}

extension JSONText {
  /// The counts above 0 by name.
  static func counts(_ counts: [ControlCount]) -> JSONText {
    .object(counts.filter { $0.count > 0 }.map { .init($0.name, .number($0.count)) })
  }

  static func text(_ value: String?) -> JSONText { value.map(JSONText.string) ?? .null }

  static func number(orNull value: Double?) -> JSONText { value.map { .number($0) } ?? .null }
}
