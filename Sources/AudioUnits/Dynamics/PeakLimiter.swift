public import AudioTypes
import Glibc
import RenderCore

/// Looks ahead to keep peaks below a ceiling, including peaks between samples.
public enum PeakLimiter: EffectUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let attackTime: UInt32 = 0
    public static let decayTime: UInt32 = 1
    public static let preGain: UInt32 = 2
    /// An addition to Core Audio's parameters.
    public static let ceiling: UInt32 = 100
  }

  /// The range of the look-ahead, in seconds.
  static let lookAheads = 0.001...0.03
  static let defaultLookAhead = 0.012

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "lmtr", manufacturer: .apple),
    name: "PeakLimiter",
    constant: "kAudioUnitSubType_PeakLimiter",
    aliases: ["AUPeakLimiter"],
    summary: "Keeps peaks below a ceiling, those between the samples too.",
    properties: EffectProperties.common + [
      PropertyInfo(
        .latency, key: "latency", constant: "kAudioUnitProperty_Latency", kind: .anyNumber,
        unit: .seconds, scopes: [.global], access: .readOnly,
        summary: "How long the sound waits, in seconds: lookAhead and 32 frames, bypassed too.",
        proposed: "its value"),
      PropertyInfo(
        .lookAhead, key: "lookAhead", constant: "look", kind: .anyNumber, unit: .seconds,
        scopes: [.global], access: .readWriteUntilInitialized,
        defaultValue: .float64(defaultLookAhead), isPatchProperty: true,
        summary:
          "How far it looks ahead, in seconds, 0.001 to 0.03. A longer attack takes this time.",
        proposed: "the whole property; the original says nothing of its look-ahead"),
    ],
    parameters: [
      ParameterInfo(
        id: Parameter.attackTime, key: "attackTime", constant: "kLimiterParam_AttackTime",
        scope: .global, unit: .seconds, range: 0.001...0.03, defaultValue: 0.012, canRamp: true,
        summary: "How long the gain takes on its way down, ahead of a peak.",
        proposed: "that a change is taken up at once, without a jump"),
      ParameterInfo(
        id: Parameter.decayTime, key: "decayTime", constant: "kLimiterParam_DecayTime",
        scope: .global, unit: .seconds, range: 0.001...0.06, defaultValue: 0.024, canRamp: true,
        summary: "In what time the gain comes back, to a tenth of its reduction in decibels.",
        proposed: "what is left after that time"),
      ParameterInfo(
        id: Parameter.preGain, key: "preGain", constant: "kLimiterParam_PreGain",
        scope: .global, unit: .decibels, range: -40...40, defaultValue: 0, canRamp: true,
        summary: "The gain ahead of the limiter.", proposed: "that it may ramp"),
      ParameterInfo(
        id: Parameter.ceiling, key: "ceiling", constant: "ceil",
        scope: .global, unit: .decibels, range: -20...0, defaultValue: 0, canRamp: true,
        summary: "The level that no peak exceeds, as ITU-R BS.1770 measures true peaks.",
        proposed: "the whole parameter; the original has none, and lets peaks through"),
    ],
    formatNotes: EffectProperties.formatNotes + [
      "channels: all have one gain, which keeps the places of sources"
    ])

  public static func latency(in configuration: UnitConfiguration) -> Int {
    lookAhead(configuration) + LimiterKernel.lookBeyond
  }

  public static func tailTime(of settings: EffectSettings) -> Double {
    Double(latency(in: settings.configuration)) / settings.sampleRate
  }

  public static func effectViolations(in configuration: UnitConfiguration) -> [Violation] {
    guard
      case .float64(let seconds)? = configuration.properties[
        PropertyPlace(.lookAhead, .global, 0)], !lookAheads.contains(seconds)
    else { return [] }
    return [
      Violation(
        UnitRules.propertyFits, status: .invalidPropertyValue,
        "a PeakLimiter looks 0.001 to 0.03 s ahead, not \(seconds) s",
        at: .init(node: nil, .property(.lookAhead, .global, 0)))
    ]
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    2 * 4 * latency(in: configuration) * configuration.outputs[0].format.channelCount
  }

  /// The level behind the gain: at most full scale, unless the limiter is bypassed.
  public static func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PeakLevel {
    let level = inputs[0] ?? PeakLevel()
    guard !configuration.isOn(.bypassEffect, .global, 0) else { return level }
    let gain = configuration.parameter(Parameter.preGain, .global, 0) ?? 0
    return level.scaled(by: pow(10, Double(gain) / 20)).clipped
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(
      main: .holding(
        LimiterKernel(configuration, controls: controls, lookAhead: lookAhead(configuration)),
        with: controls.block))
  }

  /// The look-ahead in frames.
  private static func lookAhead(_ configuration: UnitConfiguration) -> Int {
    var seconds = defaultLookAhead
    if case .float64(let set)? = configuration.properties[PropertyPlace(.lookAhead, .global, 0)] {
      seconds = min(max(set, lookAheads.lowerBound), lookAheads.upperBound)
    }
    return max(1, Int((seconds * configuration.outputs[0].format.sampleRate).rounded()))
  }
}

extension PropertyID {
  /// An addition to Core Audio's properties, `look`: the look-ahead of a limiter, in seconds.
  public static let lookAhead = PropertyID(rawValue: 0x6C6F_6F6B)
}
