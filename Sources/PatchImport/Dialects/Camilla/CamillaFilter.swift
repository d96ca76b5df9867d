import Diagnostics
import Glibc
import PatchSyntax

/// A filter of a CamillaDSP document.
struct CamillaFilter {
  private let group: CamillaGroup
  private let type: String
  /// The type in its parameters, such as `Peaking` of a `Biquad`; empty for filters without one.
  private let form: String
  private let parameters: CamillaGroup
  private let sampleRate: Double

  /// - Throws: A refusal for unknown types and keys.
  init(
    _ value: ConfigValue, _ name: String, sampleRate: Double, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    self.sampleRate = sampleRate
    group = try CamillaGroup(value, name, keys: ["type", "description", "parameters"], &reading)
    type = try group.text("type", &reading)
    guard let keys = Self.keys[type] else {
      throw reading.refuse(
        "there is no filter of the type '\(type)'", at: value["type"]?.range ?? value.range,
        pointer: value.pointer,
        help: didYouMean(type, among: Self.keys.keys.sorted()))
    }
    guard let inside = value["parameters"] else {
      guard Self.needsNoParameters.contains(type) else {
        throw reading.refuse("\(name) lacks 'parameters'", at: value.range, pointer: value.pointer)
      }
      form = ""
      parameters = try CamillaGroup(
        ConfigValue(content: .map([]), range: value.range, pointer: value.pointer), name, keys: [],
        &reading)
      return
    }
    guard let forms = Self.forms[type] else {
      form = inside["type"]?.text ?? ""
      parameters = try CamillaGroup(inside, "the parameters of \(name)", keys: keys, &reading)
      return
    }
    guard let form = inside["type"]?.text, let keys = forms[form] else {
      throw reading.refuse(
        """
        \(name) has no 'type' in its parameters that is one of \
        \(forms.keys.sorted().joined(separator: ", "))
        """,
        at: inside["type"]?.range ?? inside.range, pointer: inside.pointer)
    }
    self.form = form
    parameters = try CamillaGroup(
      inside, "the \(form) of \(name)", keys: ["type"] + keys, &reading)
  }

  private static let needsNoParameters: Set<String> = ["Gain", "DiffEq", "Volume", "Loudness"]

  /// The types of filters, each with the keys of its parameters. Parameters with a type of their
  /// own have their keys in `forms`.
  private static let keys: [String: [String]] = [
    "Biquad": [], "BiquadCombo": [], "Conv": [], "Dither": ["type", "bits", "amplitude"],
    "Gain": ["gain", "scale", "inverted", "mute"],
    "Delay": ["delay", "unit", "subsample"],
    "Volume": ["ramp_time", "fader", "limit"],
    "Loudness": ["reference_level", "high_boost", "low_boost", "fader", "attenuate_mid"],
    "Limiter": ["clip_limit", "soft_clip"],
    "DiffEq": ["a", "b"],
  ]

  /// For filters whose parameters have a type: the keys of the parameters by that type.
  private static let forms: [String: [String: [String]]] = [
    "Biquad": [
      "Free": ["a1", "a2", "b0", "b1", "b2"],
      "Highpass": ["freq", "q"], "Lowpass": ["freq", "q"],
      "HighpassFO": ["freq"], "LowpassFO": ["freq"], "AllpassFO": ["freq"],
      "Peaking": ["freq", "gain", "q", "bandwidth"],
      "Notch": ["freq", "q", "bandwidth"], "Bandpass": ["freq", "q", "bandwidth"],
      "Allpass": ["freq", "q", "bandwidth"],
      "Highshelf": ["freq", "gain", "q", "slope"], "Lowshelf": ["freq", "gain", "q", "slope"],
      "HighshelfFO": ["freq", "gain"], "LowshelfFO": ["freq", "gain"],
      "GeneralNotch": ["freq_p", "freq_z", "q_p", "normalize_at_dc"],
      "LinkwitzTransform": ["freq_act", "q_act", "freq_target", "q_target"],
    ],
    "BiquadCombo": [
      "ButterworthHighpass": ["freq", "order"], "ButterworthLowpass": ["freq", "order"],
      "LinkwitzRileyHighpass": ["freq", "order"], "LinkwitzRileyLowpass": ["freq", "order"],
      "Tilt": ["gain"],
      "FivePointPeq": [
        "fls", "qls", "gls", "fp1", "qp1", "gp1", "fp2", "qp2", "gp2", "fp3", "qp3", "gp3", "fhs",
        "qhs", "ghs",
      ],
      "GraphicEqualizer": ["freq_min", "freq_max", "gains"],
    ],
    "Conv": [
      "Raw": ["filename", "format", "skip_bytes_lines", "read_bytes_lines"],
      "Wav": ["filename", "channel"], "Values": ["values"], "Dummy": ["length"],
    ],
  ]

  // MARK: Kinds

  /// The stages that the filter becomes; none where it is left out, which is reported.
  func kinds(
    replacingTokens: (String) -> String, _ reading: inout ImportReading
  ) throws(ImportRefused) -> [FilterChain.Kind] {
    switch type {
    case "Biquad": return [try biquad(&reading)]
    case "BiquadCombo": return try combination(&reading).map { .section($0) }
    case "Conv": return try convolution(replacingTokens, &reading)
    case "Gain":
      if try parameters.bool("mute", &reading) { return [.mute] }
      let factor = try Self.factor(of: parameters, &reading)
      return [factor == 0 ? .mute : .gain(Decibels.of(factor), isInverted: factor < 0)]
    case "Delay": return [.delay(try delay(&reading))]
    case "Limiter":
      return [
        .clip(
          try parameters.number("clip_limit", default: 0, &reading),
          isSoft: try parameters.bool("soft_clip", &reading))
      ]
    case "DiffEq":
      let a = try parameters.has("a") ? parameters.numbers("a", &reading) : [1]
      let b = try parameters.has("b") ? parameters.numbers("b", &reading) : [1]
      guard let first = a.first, first != 0, !b.isEmpty, a.count + b.count <= 65_536 else {
        throw reading.refuse(
          "\(group.name) has no coefficients, or its a0 is 0", at: group.value.range,
          pointer: group.value.pointer)
      }
      return [.recursive(b: b.map { $0 / first }, a: a.map { $0 / first })]
    default:
      reading.report(
        ImportRules.unsupported,
        "\(Diagnostic.Message(group.name)), a \(type), has no equivalent here",
        at: group.value.range, pointer: group.value.pointer)
      return []
    }
  }

  /// The factor of a gain that is written in decibels or as a factor; negative where it is
  /// inverted.
  static func factor(
    of group: CamillaGroup, _ reading: inout ImportReading
  ) throws(ImportRefused) -> Double {
    let gain: Double
    switch try group.text("scale", default: "dB", &reading) {
    case "dB": gain = Decibels.factor(try group.number("gain", default: 0, &reading))
    case "linear": gain = try group.number("gain", default: 0, &reading)
    default:
      throw reading.refuse(
        "'scale' is one of dB and linear", at: group.value["scale"]?.range ?? group.value.range,
        pointer: group.value.pointer)
    }
    return try group.bool("inverted", &reading) ? -gain : gain
  }

  /// The delay in seconds.
  private func delay(_ reading: inout ImportReading) throws(ImportRefused) -> Double {
    let value = try parameters.number("delay", &reading)
    let seconds: Double
    switch try parameters.text("unit", default: "ms", &reading) {
    case "ms": seconds = value / 1000
    case "us": seconds = value / 1_000_000
    // The speed of sound is 343 m/s.
    case "mm": seconds = value / 343_000
    case "samples": seconds = value / sampleRate
    default:
      throw reading.refuse(
        "'unit' is one of ms, us, mm and samples",
        at: parameters.value["unit"]?.range ?? parameters.value.range,
        pointer: parameters.value.pointer)
    }
    guard seconds >= 0 else {
      throw reading.refuse(
        "a delay is no shorter than 0", at: parameters.value["delay"]?.range ?? group.value.range,
        pointer: parameters.value.pointer)
    }
    if try parameters.bool("subsample", &reading) { return seconds }
    return (seconds * sampleRate).rounded(.toNearestOrAwayFromZero) / sampleRate
  }

  private func convolution(
    _ replacingTokens: (String) -> String, _ reading: inout ImportReading
  ) throws(ImportRefused) -> [FilterChain.Kind] {
    switch form {
    case "Raw":
      let path = replacingTokens(try parameters.text("filename", &reading))
      return [
        .convolution(
          .init(path, format: try parameters.text("format", default: "TEXT", &reading)))
      ]
    case "Wav":
      let path = replacingTokens(try parameters.text("filename", &reading))
      let channel = try parameters.has("channel") ? parameters.count("channel", &reading) : 0
      return [.convolution(.init(path, channel: channel))]
    case "Values":
      let taps = try parameters.numbers("values", &reading)
      return taps.isEmpty ? [.mute] : [.taps(taps)]
    default: return []
    }
  }

  // MARK: Sections

  private func frequency(
    _ key: String, _ reading: inout ImportReading
  ) throws(ImportRefused) -> Double { try parameters.frequency(key, sampleRate, &reading) }

  /// Q, from `q`, `bandwidth` in octaves or `slope` in decibels per octave.
  private func q(
    _ frequency: Double, gain: Double = 0, _ reading: inout ImportReading
  ) throws(ImportRefused) -> Double {
    let widths = ["q", "bandwidth", "slope"].filter { parameters.has($0) }
    guard widths.count == 1 else {
      throw reading.refuse(
        widths.isEmpty
          ? "\(parameters.name) has no 'q'"
          : "\(parameters.name) has \(widths.joined(separator: " and ")): one of them holds",
        at: parameters.value.range, pointer: parameters.value.pointer)
    }
    let width = try parameters.positive(widths[0], &reading)
    switch widths[0] {
    case "bandwidth":
      return FilterSection.q(octaves: width, at: frequency, sampleRate: sampleRate)
    case "slope":
      guard width <= 12 else {
        throw reading.refuse(
          "a slope is up to 12 dB per octave",
          at: parameters.value["slope"]?.range ?? parameters.value.range,
          pointer: parameters.value.pointer)
      }
      return FilterSection.q(slope: width / 12, gain: gain)
    default: return width
    }
  }

  private func biquad(_ reading: inout ImportReading) throws(ImportRefused) -> FilterChain.Kind {
    let shapes: [String: FilterSection.Shape] = [
      "Highpass": .highpass, "Lowpass": .lowpass, "Peaking": .peaking, "Notch": .notch,
      "Bandpass": .bandpass, "Allpass": .allpass, "Highshelf": .highshelf, "Lowshelf": .lowshelf,
      "HighpassFO": .highpass1, "LowpassFO": .lowpass1, "AllpassFO": .allpass1,
      "HighshelfFO": .highshelf1, "LowshelfFO": .lowshelf1,
    ]
    if let shape = shapes[form] {
      let frequency = try frequency("freq", &reading)
      let gain = shape.hasGain ? try parameters.number("gain", &reading) : 0
      guard shape.hasQ else { return .section(FilterSection(shape, frequency, gain: gain)) }
      let q = try q(frequency, gain: gain, &reading)
      return .section(FilterSection(shape, frequency, gain: gain, q: q))
    }
    switch form {
    case "Free":
      let b = [
        try parameters.number("b0", &reading), try parameters.number("b1", &reading),
        try parameters.number("b2", &reading),
      ]
      return .recursive(
        b: b,
        a: [1, try parameters.number("a1", &reading), try parameters.number("a2", &reading)])
    case "LinkwitzTransform":
      let frequency = try frequency("freq_act", &reading)
      return .section(
        FilterSection(
          .linkwitzTransform, frequency, q: try parameters.positive("q_act", &reading),
          target: .init(
            frequency: try self.frequency("freq_target", &reading),
            q: try parameters.positive("q_target", &reading))))
    default: return try generalNotch(&reading)
    }
  }

  private func generalNotch(
    _ reading: inout ImportReading
  ) throws(ImportRefused) -> FilterChain.Kind {
    let z = tan(Double.pi * (try frequency("freq_z", &reading)) / sampleRate)
    let p = tan(Double.pi * (try frequency("freq_p", &reading)) / sampleRate)
    let q = try parameters.positive("q_p", &reading)
    let gain = try parameters.bool("normalize_at_dc", &reading) ? p * p / (z * z) : 1
    let first = 1 + p / q + p * p
    return .recursive(
      b: [gain * (1 + z * z), -2 * gain * (1 - z * z), gain * (1 + z * z)].map { $0 / first },
      a: [1, (2 * p * p - 2) / first, (1 - p / q + p * p) / first])
  }

  private func combination(
    _ reading: inout ImportReading
  ) throws(ImportRefused) -> [FilterSection] {
    switch form {
    case "ButterworthHighpass", "ButterworthLowpass":
      return FilterSection.butterworth(
        order: try order(&reading), try frequency("freq", &reading),
        isHighpass: form == "ButterworthHighpass")
    case "LinkwitzRileyHighpass", "LinkwitzRileyLowpass":
      let order = try order(&reading)
      guard order % 2 == 0 else {
        throw reading.refuse(
          "the order of a Linkwitz-Riley filter is even",
          at: parameters.value["order"]?.range ?? parameters.value.range,
          pointer: parameters.value.pointer)
      }
      let isHighpass = form == "LinkwitzRileyHighpass"
      let frequency = try frequency("freq", &reading)
      let half = FilterSection.butterworth(order: order / 2, frequency, isHighpass: isHighpass)
      let pairs = half.filter { $0.shape.hasQ }
      // Two filters of the first order make one of the second with a Q of 0.5.
      let odd =
        half.count == pairs.count
        ? [] : [FilterSection(isHighpass ? .highpass : .lowpass, frequency, q: 0.5)]
      return pairs + pairs + odd
    case "Tilt":
      let gain = try parameters.number("gain", &reading)
      guard abs(gain) <= 100 else {
        throw reading.refuse(
          "the gain of a Tilt is from -100 to 100 dB",
          at: parameters.value["gain"]?.range ?? parameters.value.range,
          pointer: parameters.value.pointer)
      }
      return [
        FilterSection(.lowshelf, 110, gain: -gain / 2, q: 0.35),
        FilterSection(.highshelf, 3500, gain: gain / 2, q: 0.35),
      ]
    case "FivePointPeq": return try fivePoints(&reading)
    default: return try graphic(&reading)
    }
  }

  private func order(_ reading: inout ImportReading) throws(ImportRefused) -> Int {
    let order = try parameters.count("order", &reading)
    guard (1...64).contains(order) else {
      throw reading.refuse(
        "an order is from 1 to 64", at: parameters.value["order"]?.range ?? parameters.value.range,
        pointer: parameters.value.pointer)
    }
    return order
  }

  private func fivePoints(
    _ reading: inout ImportReading
  ) throws(ImportRefused) -> [FilterSection] {
    var sections: [FilterSection] = []
    let points: [(String, FilterSection.Shape)] = [
      ("ls", .lowshelf), ("p1", .peaking), ("p2", .peaking), ("p3", .peaking), ("hs", .highshelf),
    ]
    for (name, shape) in points {
      let q = try parameters.number("q\(name)", &reading)
      let frequency = try frequency("f\(name)", &reading)
      let gain = try parameters.number("g\(name)", &reading)
      // CamillaDSP leaves out bands whose Q is 0 as well.
      if abs(q) > 0.001 { sections.append(FilterSection(shape, frequency, gain: gain, q: abs(q))) }
    }
    return sections
  }

  private func graphic(_ reading: inout ImportReading) throws(ImportRefused) -> [FilterSection] {
    let gains = try parameters.numbers("gains", &reading)
    let low = try parameters.has("freq_min") ? frequency("freq_min", &reading) : 20
    let high = try parameters.has("freq_max") ? frequency("freq_max", &reading) : 20_000
    guard high > low, !gains.isEmpty else {
      throw reading.refuse(
        "\(parameters.name) has no gains, or 'freq_max' is not above 'freq_min'",
        at: parameters.value.range, pointer: parameters.value.pointer)
    }
    let octaves = log2(high / low) / Double(gains.count)
    return gains.enumerated().compactMap { index, gain in
      guard abs(gain) > 0.001 else { return nil }
      let frequency = exp2(log2(low) + (Double(index) + 0.5) * octaves)
      return FilterSection(
        .peaking, frequency, gain: gain,
        q: FilterSection.q(octaves: octaves, at: frequency, sampleRate: sampleRate))
    }
  }
}
