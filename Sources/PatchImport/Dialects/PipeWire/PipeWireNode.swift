import AudioTypes
import Diagnostics
import PatchSyntax

/// Reads the nodes of a filter-chain.
enum PipeWireNode {
  struct Content {
    /// The filters of each channel. The last entry applies to all further channels.
    var lanes: [[FilterChain.Kind]]
    /// The factors of a mixer's inputs; `nil` for other nodes.
    var factors: [Double]?

    init(_ kinds: [FilterChain.Kind]) { lanes = [kinds] }

    init(lanes: [[FilterChain.Kind]], factors: [Double]? = nil) {
      self.lanes = lanes
      self.factors = factors
    }
  }

  static func content(
    of node: ConfigValue, sampleRate: Double, _ reading: inout ImportReading
  ) throws(ImportRefused) -> Content {
    let type = node["type"]?.text ?? ""
    let label = node["label"]?.text ?? ""
    let name = node["name"]?.text ?? ""
    if type == "sofa", label == "spatializer" {
      return Content([
        .spatializer(
          file: node["config"]?["filename"]?.text ?? "",
          azimuth: control("Azimuth", of: node) ?? 0,
          elevation: control("Elevation", of: node) ?? 0, radius: control("Radius", of: node) ?? 1)
      ])
    }
    func unsupported(_ why: String) -> Content {
      reading.report(
        ImportRules.unsupported, "the node '\(name)' is left out: \(why)", at: node.range,
        pointer: node.pointer)
      return Content([])
    }
    guard type == "builtin" || type.isEmpty else {
      return unsupported("\(type) '\(label)' has no equivalent here")
    }
    if label.hasPrefix("bq_"), label != "bq_raw" {
      return Content(
        section(
          String(label.dropFirst(3)), control("Freq", of: node) ?? 0, control("Q", of: node) ?? 0,
          control("Gain", of: node) ?? 0, sampleRate))
    }
    switch label {
    case "bq_raw": return try raw(node, sampleRate, &reading)
    case "param_eq": return try equalizer(node, sampleRate, &reading)
    case "mixer":
      return Content(
        lanes: [[]],
        factors: (1...8).map { control("Gain \($0)", of: node) ?? 1 })
    case "copy": return Content([])
    case "invert": return Content([.gain(0, isInverted: true)])
    case "linear":
      if control("Add", of: node) ?? 0 != 0 { return unsupported("it adds a constant") }
      let factor = control("Mult", of: node) ?? 1
      return Content([
        factor == 0 ? .mute : .gain(Decibels.of(factor), isInverted: factor < 0)
      ])
    case "delay":
      if control("Feedback", of: node) ?? 0 != 0 || control("Feedforward", of: node) ?? 0 != 0 {
        return unsupported("its delay has feedback")
      }
      let maximum = node["config"]?["max-delay"]?.number ?? 1
      return Content([.delay(min(max(control("Delay (s)", of: node) ?? 0, 0), max(maximum, 0)))])
    case "convolver": return convolver(node, unsupported)
    case "clamp":
      return Content([
        .clamp(low: control("Min", of: node) ?? 0, high: control("Max", of: node) ?? 1)
      ])
    case "dcblock":
      return Content([.recursive(b: [1, -1], a: [1, -(control("R", of: node) ?? 0.995)])])
    case "debug", "null", "busy", "zeroramp":
      reading.report(
        ImportRules.unsupported, "the node '\(name)', a \(label), is left out: it changes no sound",
        at: node.range, pointer: node.pointer, severity: .note)
      return Content([])
    default: return unsupported("'\(label)' has no equivalent here")
    }
  }

  /// The value of a control.
  private static func control(_ name: String, of node: ConfigValue) -> Double? {
    node["control"]?[name]?.number
  }

  /// A biquad. For a frequency or a Q out of range, the result is what PipeWire makes of it.
  static func section(
    _ type: String, _ frequency: Double, _ q: Double, _ gain: Double, _ sampleRate: Double
  ) -> [FilterChain.Kind] {
    guard let shape = FilterSection.Shape(rawValue: type), shape.hasQ, shape != .linkwitzTransform
    else { return [] }
    let plain = FilterChain.Kind.gain(gain, isInverted: false)
    if frequency <= 0 {
      switch shape {
      case .lowpass, .bandpass: return [.mute]
      // Usual as the gain in front of an equalizer.
      case .highshelf: return [plain]
      default: return []
      }
    }
    if frequency >= sampleRate / 2 {
      switch shape {
      case .highpass: return [.mute]
      case .lowshelf: return [plain]
      default: return []
      }
    }
    if q <= 0 {
      switch shape {
      case .peaking: return [plain]
      case .bandpass: return []
      case .notch: return [.mute]
      case .allpass: return [.gain(0, isInverted: true)]
      default: break
      }
    }
    return [
      .section(
        FilterSection(
          shape, frequency, gain: shape.hasGain ? gain : 0,
          q: q > 0 ? q : FilterSection.butterworth))
    ]
  }

  /// The filter of the coefficients whose sample rate is nearest to that of the chain.
  private static func raw(
    _ node: ConfigValue, _ sampleRate: Double, _ reading: inout ImportReading
  ) throws(ImportRefused) -> Content {
    let sets = node["config"]?["coefficients"]?.list ?? []
    let nearest = sets.min {
      abs(($0["rate"]?.number ?? 0) - sampleRate) < abs(($1["rate"]?.number ?? 0) - sampleRate)
    }
    func values(_ names: [String]) -> [Double] { names.map { nearest?[$0]?.number ?? 0 } }
    let b = values(["b0", "b1", "b2"])
    let a = values(["a0", "a1", "a2"])
    guard nearest != nil, a[0] != 0 else {
      throw reading.refuse(
        "a 'bq_raw' has coefficients whose a0 is not 0", at: node.range, pointer: node.pointer)
    }
    return Content([.recursive(b: b.map { $0 / a[0] }, a: a.map { $0 / a[0] })])
  }

  private static func convolver(
    _ node: ConfigValue, _ unsupported: (String) -> Content
  ) -> Content {
    guard let config = node["config"] else { return unsupported("it names no file") }
    let gain = config["gain"]?.number ?? 1
    guard let file = config["filename"]?.text ?? config["filename"]?.list?.first?.text else {
      return unsupported("it names no file")
    }
    if file.hasPrefix("/dirac") { return Content([.gain(Decibels.of(gain), isInverted: gain < 0)]) }
    if file.hasPrefix("/hilbert") || file.hasPrefix("/ir:") {
      return unsupported("'\(file)' has no equivalent here")
    }
    for key in ["offset", "length", "delay"] where config[key]?.number ?? 0 != 0 {
      return unsupported("its '\(key)' has no equivalent here")
    }
    guard gain > 0 else { return unsupported("its gain is not above 0") }
    return Content([
      .convolution(
        .init(
          file, channel: config["channel"]?.integer, gain: gain == 1 ? 0 : Decibels.of(gain)))
    ])
  }

  // MARK: param_eq

  private static func equalizer(
    _ node: ConfigValue, _ sampleRate: Double, _ reading: inout ImportReading
  ) throws(ImportRefused) -> Content {
    let config = node["config"]
    var lanes: [[FilterChain.Kind]] = []
    for suffix in [""] + (1...8).map(String.init) {
      var kinds: [FilterChain.Kind]?
      if let filters = config?["filters\(suffix)"]?.list {
        guard filters.count <= 64 else {
          throw reading.refuse(
            "a 'param_eq' has up to 64 filters", at: node.range, pointer: node.pointer)
        }
        kinds = filters.flatMap { filter in
          let type = filter["type"]?.text ?? ""
          return section(
            type.hasPrefix("bq_") ? String(type.dropFirst(3)) : type, filter["freq"]?.number ?? 0,
            filter["q"]?.number ?? 1, filter["gain"]?.number ?? 0, sampleRate)
        }
      } else if let file = config?["filename\(suffix)"], let path = file.text {
        kinds = try filters(inFile: path, file, sampleRate, &reading)
      }
      guard let kinds else { continue }
      if suffix.isEmpty { return Content(kinds) }
      while lanes.count < (Int(suffix) ?? 1) - 1 { lanes.append([]) }
      lanes.append(kinds)
    }
    if lanes.isEmpty {
      reading.report(
        ImportRules.unclear, "this 'param_eq' has neither filters nor a file", at: node.range,
        pointer: node.pointer)
    }
    // Channels without filters stay unchanged.
    return Content(lanes: lanes + [[]])
  }

  /// The filters in a file of AutoEq. Its first line is the preamp, and never a filter.
  private static func filters(
    inFile path: String, _ place: ConfigValue, _ sampleRate: Double, _ reading: inout ImportReading
  ) throws(ImportRefused) -> [FilterChain.Kind] {
    guard
      let (text, base) = try reading.include(path, from: reading.options.folder, at: place.range)
    else { throw ImportRefused() }
    var kinds: [FilterChain.Kind] = []
    for number in 1...text.lineCount {
      let line = TextLine(text, line: number, base: base)
      if line.isEmpty { continue }
      let command = line.command
      if number == 1, command?.key.text == "Preamp",
        let gain = NumberText.prefix(of: command?.rest.scalars ?? [])
      {
        kinds.append(.gain(gain, isInverted: false))
        continue
      }
      let words = line.words.map(\.text)
      guard number > 1, words.count == 12, words[0] == "Filter", words[4] == "Fc",
        words[6] == "Hz", words[7] == "Gain", words[9] == "dB", words[10] == "Q",
        let frequency = NumberText.value(of: words[5]), let gain = NumberText.value(of: words[8]),
        let q = NumberText.value(of: words[11])
      else {
        reading.report(
          ImportRules.ignored, "PipeWire passes over this line: it is not in AutoEq's words",
          at: line.range)
        continue
      }
      let types = ["PK": "peaking", "LSC": "lowshelf", "HSC": "highshelf"]
      guard words[2] == "ON", let type = types[words[3]] else {
        reading.report(
          words[2] == "OFF" ? ImportRules.disabled : ImportRules.ignored,
          words[2] == "OFF"
            ? "this filter is switched off"
            : "PipeWire passes over this line: its filter is none of PK, LSC and HSC",
          at: line.range)
        continue
      }
      kinds += section(type, frequency, q, gain, sampleRate)
    }
    return kinds
  }
}
