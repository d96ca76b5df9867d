public import AudioTypes
internal import Glibc

/// The levels of the mixer that are known before rendering.
extension MultichannelMixer {
  public static func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PeakLevel {
    var left = PeakLevel()
    var right = PeakLevel()
    for (input, level) in inputs.sorted(by: { $0.key < $1.key }) {
      guard configuration.parameter(Parameter.enable, .input, input) != 0 else { continue }
      let volume = Double(configuration.parameter(Parameter.volume, .input, input) ?? 1)
      let gains = peakGains(of: input, configuration)
      left = left + level.scaled(by: volume * gains.left)
      right = right + level.scaled(by: volume * gains.right)
    }
    let master = Double(configuration.parameter(Parameter.volume, .output, 0) ?? 1)
    return PeakLevel.largest(left, right).scaled(by: master)
  }

  /// The largest gains of an input to the left and to the right of the mix.
  private static func peakGains(
    of input: Int, _ configuration: UnitConfiguration
  ) -> (left: Double, right: Double) {
    let levels = PropertyPlace(.matrixLevels, .input, input)
    if case .floats(let levels)? = configuration.properties[levels] {
      let rows = stride(from: 0, to: levels.count - 1, by: 2)
      func sum(_ side: Int) -> Double {
        rows.reduce(0) { $0 + Double(abs(levels[$1 + side])) }
      }
      return (sum(0), sum(1))
    }
    let pan = configuration.parameter(Parameter.pan, .input, input) ?? 0
    let isMono = configuration.inputs[input].format.channelCount == 1
    let points = CrossPoints(pan: pan, channelCount: isMono ? 1 : 2)
    return (points.leftToLeft, isMono ? points.leftToRight : points.rightToRight)
  }

  public static func help(toLowerTo share: Double, in configuration: UnitConfiguration) -> String {
    let volume = Double(configuration.parameter(Parameter.volume, .output, 0) ?? 1)
    let lower = (volume * share * 100).rounded(.down) / 100
    return
      "lower the volumes of its inputs, or of the mix: "
      + "\"outputs\": { \"0\": { \"parameters\": { \"volume\": \(lower) } } }"
  }

  public static func notes(on name: String, in configuration: UnitConfiguration) -> [Violation] {
    inputsOff(name, configuration) + effectiveGains(configuration)
  }

  private static func fedInputs(_ configuration: UnitConfiguration) -> [Int] {
    configuration.inputs.indices.filter { configuration.inputs[$0].isUsed }
  }

  /// A note where every fed input is switched off, so that the mixer puts out silence.
  private static func inputsOff(
    _ name: String, _ configuration: UnitConfiguration
  ) -> [Violation] {
    let fed = fedInputs(configuration)
    guard let first = fed.first,
      fed.allSatisfy({ configuration.parameter(Parameter.enable, .input, $0) == 0 })
    else { return [] }
    return [
      Violation(
        UnitRules.inputsOff, status: .ok,
        "\(fed.count == 1 ? "the only input" : "every input") of \(name) that is fed is "
          + "switched off: it puts out silence",
        at: .init(node: nil, .parameter(Parameter.enable, .input, first)),
        help: ["\"enable\": true switches it on; a ramp or a control may do so later"],
        remedies: [Remedy("switch it on", [.setParameter("enable", .input, first, "true")])])
    ]
  }

  /// Notes on the product of an input's volume and the output's, where both have been set.
  private static func effectiveGains(_ configuration: UnitConfiguration) -> [Violation] {
    let volume = Parameter.volume
    guard let master = configuration.parameter(volume, .output, 0), master != 1 else { return [] }
    return fedInputs(configuration).compactMap { input in
      guard let gain = configuration.parameter(volume, .input, input), gain != 1 else { return nil }
      let product = Double(gain) * Double(master)
      let decibels = (200 * log10(abs(product))).rounded() / 10
      let shown = (product * 10_000).rounded() / 10_000
      return Violation(
        UnitRules.effectiveGain, status: .ok,
        "the input is heard at \(gain) × \(master) = \(shown)"
          + (product == 0 ? "" : ", \(decibels) dB"),
        at: .init(node: nil, .parameter(volume, .input, input)),
        notes: [
          .init("the volume of the mix", at: .init(node: nil, .parameter(volume, .output, 0)))
        ])
    }
  }

  public static func silenceReasons(
    of name: String, in configuration: UnitConfiguration
  ) -> [String] {
    let volume = Parameter.volume
    if configuration.parameter(volume, .output, 0) == 0 {
      return ["the output volume of the mixer \(name) is 0"]
    }
    let fed = fedInputs(configuration)
    guard !fed.isEmpty,
      fed.allSatisfy({ configuration.parameter(volume, .input, $0) == 0 })
    else { return [] }
    return ["the volume of every input of the mixer \(name) that is fed is 0"]
  }
}
