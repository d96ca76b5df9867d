public import AudioTypes
import RenderCore

/// Compresses loud sound and expands soft sound, by its own level or that of a key.
///
/// In decibels, for an input level x: above the threshold T the output is T + H (1 - exp(-(x - T) /
/// H)), with the head room H; the slope is 1 at T, and T + H is never reached. Below the expansion
/// threshold E it is E + r (x - E), with the ratio r; between them x. The gain is smoothed, not the
/// level, and is the same for all channels (Giannoulis, Massberg and Reiss 2012, feed-forward in
/// the logarithmic domain).
public enum DynamicsProcessor: EffectUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let threshold: UInt32 = 0
    public static let headRoom: UInt32 = 1
    public static let expansionRatio: UInt32 = 2
    public static let expansionThreshold: UInt32 = 3
    public static let attackTime: UInt32 = 4
    public static let releaseTime: UInt32 = 5
    public static let overallGain: UInt32 = 6
    public static let compressionAmount: UInt32 = 1000
    public static let inputAmplitude: UInt32 = 2000
    public static let outputAmplitude: UInt32 = 3000
  }

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "dcmp", manufacturer: .apple),
    name: "DynamicsProcessor",
    constant: "kAudioUnitSubType_DynamicsProcessor",
    aliases: ["AUDynamicsProcessor"],
    summary: "Compresses what is loud and expands what is soft, by its own level or that of a key.",
    inputs: .init(count: 1, settable: 1...2),
    properties: EffectProperties.common,
    parameters: [
      parameter(
        Parameter.threshold, "threshold", "Threshold", .decibels, -40...20, -20,
        "Above which level there is less gain."),
      parameter(
        Parameter.headRoom, "headRoom", "HeadRoom", .decibels, 0.1...40, 5,
        "How far above the threshold the level may get at most: less compresses harder.",
        "the curve: T + H (1 - exp(-(x - T) / H)) of a level x dB above T"),
      parameter(
        Parameter.expansionRatio, "expansionRatio", "ExpansionRatio", .rate, 1...50, 2,
        "Decibels out for a decibel in, below the expansion threshold; 1 is off."),
      parameter(
        Parameter.expansionThreshold, "expansionThreshold", "ExpansionThreshold", .decibels,
        -120...0, -80, "Below which level there is less gain.", "the default"),
      parameter(
        Parameter.attackTime, "attackTime", "AttackTime", .seconds, 0.0001...0.2, 0.001,
        "How long 63 % of a reduction takes, and of a return above the expansion threshold."),
      parameter(
        Parameter.releaseTime, "releaseTime", "ReleaseTime", .seconds, 0.01...3, 0.05,
        "How long 63 % of a return takes, and of a reduction below the expansion threshold."),
      parameter(
        Parameter.overallGain, "overallGain", "OverallGain", .decibels, -40...40, 0,
        "The gain behind all."),
      meter(
        Parameter.compressionAmount, "compressionAmount", "CompressionAmount", 0...144, 0,
        "By how much the gain is reduced now."),
      meter(
        Parameter.inputAmplitude, "inputAmplitude", "InputAmplitude", -120...40, -120,
        "The peak of the last 256 frames that came in."),
      meter(
        Parameter.outputAmplitude, "outputAmplitude", "OutputAmplitude", -120...40, -120,
        "The peak of the last 256 frames that left."),
    ],
    formatNotes: EffectProperties.formatNotes + [
      "inputCount 2: input 1 is the key, whose level decides, of any channels at the same rate (ours, "
        + "beyond Core Audio)"
    ])

  private static func parameter(
    _ id: UInt32, _ key: String, _ constant: String, _ unit: ParameterUnit,
    _ range: ClosedRange<Double>, _ value: Double, _ summary: String, _ proposed: String? = nil
  ) -> ParameterInfo {
    ParameterInfo(
      id: id, key: key, constant: "kDynamicsProcessorParam_\(constant)", scope: .global, unit: unit,
      range: range, defaultValue: value, canRamp: true, summary: summary,
      proposed: (proposed.map { $0 + "; " } ?? "") + "that it may ramp")
  }

  private static func meter(
    _ id: UInt32, _ key: String, _ constant: String, _ range: ClosedRange<Double>, _ value: Double,
    _ summary: String
  ) -> ParameterInfo {
    ParameterInfo(
      id: id, key: key, constant: "kDynamicsProcessorParam_\(constant)", scope: .global,
      unit: .decibels, range: range, defaultValue: value, isReadOnly: true, summary: summary,
      proposed: "over which time it is measured")
  }

  public static func tailTime(of settings: EffectSettings) -> Double { 0 }

  public static func effectViolations(in configuration: UnitConfiguration) -> [Violation] {
    guard configuration.inputs.count > 1, configuration.inputs[1].isUsed else { return [] }
    let (sound, key) = (configuration.inputs[0].format, configuration.inputs[1].format)
    guard sound.sampleRate == key.sampleRate else {
      return [
        Violation(
          UnitRules.effectFormats, status: .formatNotSupported,
          "the key of a DynamicsProcessor has the rate of its sound: it has "
            + "\(rateText(key.sampleRate)) Hz, the sound \(rateText(sound.sampleRate)) Hz",
          at: .init(node: nil, .streamFormat(.input, 1)),
          notes: [.init("the sound's format", at: .init(node: nil, .streamFormat(.input, 0)))],
          help: ["put a FormatConverter ahead of input 1"])
      ]
    }
    return [
      Violation(
        UnitRules.keyInput, status: .ok,
        "a DynamicsProcessor with a key at its input 1 is beyond Core Audio's, which has one input",
        at: .init(node: nil, .elementCount(.input)),
        help: ["it works here; on an iPhone the unit would refuse a second input"])
    ]
  }

  /// Unknown: the output level of a compressor is not computed.
  public static func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PeakLevel { .unknown }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(
      main: .holding(DynamicsKernel(configuration, controls: controls), with: controls.block))
  }
}
