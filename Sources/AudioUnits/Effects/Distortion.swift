public import AudioTypes
import RenderCore

/// Distorts a sound in stages: echoes, coarse steps, a polynomial, ring modulation, soft clipping.
public enum Distortion: EffectUnit {
  /// The numbers of the parameters, in the order of the stages; units, ranges and meanings are in
  /// `description`.
  public enum Parameter {
    public static let delay: UInt32 = 0
    public static let decay: UInt32 = 1
    public static let delayMix: UInt32 = 2
    public static let decimation: UInt32 = 3
    public static let rounding: UInt32 = 4
    public static let decimationMix: UInt32 = 5
    public static let linearTerm: UInt32 = 6
    public static let squaredTerm: UInt32 = 7
    public static let cubicTerm: UInt32 = 8
    public static let polynomialMix: UInt32 = 9
    public static let ringModFreq1: UInt32 = 10
    public static let ringModFreq2: UInt32 = 11
    public static let ringModBalance: UInt32 = 12
    public static let ringModMix: UInt32 = 13
    public static let softClipGain: UInt32 = 14
    public static let finalMix: UInt32 = 15
  }

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "dist", manufacturer: .apple),
    name: "Distortion",
    constant: "kAudioUnitSubType_Distortion",
    summary: "Echo, coarse steps, a polynomial, ring modulation and soft clipping, in this order.",
    properties: EffectProperties.common
      + EffectProperties.presets(
        DistortionPreset.all.enumerated().map { Preset(number: Int32($0), name: $1.name) },
        proposed: "what is in them: the values behind Apple's names are not known")
      + [
        PropertyInfo(
          .oversampling, key: "oversampling", constant: "ovsp",
          kind: .choice([.init(1, "1"), .init(2, "2"), .init(4, "4"), .init(8, "8")]),
          scopes: [.global], access: .readWriteUntilInitialized, defaultValue: .uint32(4),
          isPatchProperty: true,
          summary:
            "At how many times the rate polynomial, modulation and clipping run, so that their "
            + "overtones do not fold back. More than 1 has a latency of 32 frames.",
          proposed: "all of it")
      ],
    parameters: [
      info(
        Parameter.delay, "delay", "Delay", .milliseconds, 0.1...500, 0.1,
        "From the sound to its echo. A change fades."),
      info(
        Parameter.decay, "decay", "Decay", .rate, 0.1...50, 1,
        "How fast echoes die: each is exp(-decay) of the one before.",
        "that it is so, Apple giving the unit of a rate and no more"),
      info(
        Parameter.delayMix, "delayMix", "DelayMix", .percent, 0...100, 50,
        "0 for the sound, 100 for its echoes."),
      info(
        Parameter.decimation, "decimation", "Decimation", .percent, 0...100, 50,
        "How long a sample is held: 0 for a frame, 100 for 64, in between in equal ratios.",
        "that it is so, and the value at birth"),
      info(
        Parameter.rounding, "rounding", "Rounding", .percent, 0...100, 0,
        "How coarse the steps of the level are: 0 for none, 100 for one bit.",
        "that r percent leave 16 - 0.15 r bits"),
      info(
        Parameter.decimationMix, "decimationMix", "DecimationMix", .percent, 0...100, 50,
        "0 for the sound as it was before decimation and rounding, 100 for what they make of it."),
      info(
        Parameter.linearTerm, "linearTerm", "LinearTerm", .linearGain, 0...1, 1,
        "The factor of x in the polynomial."),
      info(
        Parameter.squaredTerm, "squaredTerm", "SquaredTerm", .linearGain, 0...20, 0,
        "The factor of x²; the direct current that it makes is taken away behind all."),
      info(
        Parameter.cubicTerm, "cubicTerm", "CubicTerm", .linearGain, 0...20, 0,
        "The factor of x³."),
      info(
        Parameter.polynomialMix, "polynomialMix", "PolynomialMix", .percent, 0...100, 50,
        "0 for the sound as it was before the polynomial, 100 for what it makes of it."),
      info(
        Parameter.ringModFreq1, "ringModFreq1", "RingModFreq1", .hertz, 0.5...8000, 100,
        "The frequency of the first cosine that the sound is multiplied by."),
      info(
        Parameter.ringModFreq2, "ringModFreq2", "RingModFreq2", .hertz, 0.5...8000, 100,
        "The frequency of the second."),
      info(
        Parameter.ringModBalance, "ringModBalance", "RingModBalance", .percent, 0...100, 50,
        "0 for the first cosine alone, 100 for the second."),
      info(
        Parameter.ringModMix, "ringModMix", "RingModMix", .percent, 0...100, 0,
        "0 for the sound as it was before the ring modulation, 100 for what that makes of it."),
      info(
        Parameter.softClipGain, "softClipGain", "SoftClipGain", .decibels, -80...20, -6,
        "The gain in front of the clipping.", "that this is tanh"),
      info(
        Parameter.finalMix, "finalMix", "FinalMix", .percent, 0...100, 50,
        "0 for the input as it is, 100 for what all stages have made of it."),
    ],
    formatNotes: EffectProperties.formatNotes)

  private static func info(
    _ id: UInt32, _ key: String, _ constant: String, _ unit: ParameterUnit,
    _ range: ClosedRange<Double>, _ defaultValue: Double, _ summary: String, _ proposed: String = ""
  ) -> ParameterInfo {
    ParameterInfo(
      id: id, key: key, constant: "kDistortionParam_\(constant)", scope: .global, unit: unit,
      range: range, defaultValue: defaultValue, canRamp: true, summary: summary,
      proposed: proposed)
  }

  public static func parameters(ofPreset number: Int32) -> [UInt32: Float] {
    guard DistortionPreset.all.indices.contains(Int(number)) else { return [:] }
    return DistortionPreset.all[Int(number)].parameters
  }

  /// The latency of the filters around the oversampled stages, in frames.
  public static func latency(in configuration: UnitConfiguration) -> Int {
    oversampling(in: configuration) > 1 ? 2 * Oversampler.delay : 0
  }

  static func oversampling(in configuration: UnitConfiguration) -> Int {
    if case .uint32(let factor)? = configuration.properties[
      PropertyPlace(.oversampling, .global, 0)], [1, 2, 4, 8].contains(factor)
    {
      return Int(factor)
    }
    return 4
  }

  public static func tailTime(of settings: EffectSettings) -> Double {
    guard settings[Parameter.finalMix] > 0 else { return 0 }
    let echoes = settings[Parameter.delayMix] > 0 ? 1 + 14 / settings[Parameter.decay] : 0
    return settings[Parameter.delay] / 1000 * echoes + 0.5
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    let format = configuration.outputs[0].format
    return EffectLine.memory(
      channelCount: format.channelCount, reach: Int(format.sampleRate / 2) + 4)
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(
      main: .holding(DistortionKernel(configuration, controls: controls), with: controls.block))
  }
}
