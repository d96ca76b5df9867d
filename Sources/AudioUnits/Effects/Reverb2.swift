public import AudioTypes
import RenderCore

/// Reverberation: a feedback delay network for one or two channels.
public enum Reverb2: EffectUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let dryWetMix: UInt32 = 0
    public static let gain: UInt32 = 1
    public static let minDelayTime: UInt32 = 2
    public static let maxDelayTime: UInt32 = 3
    public static let decayTimeAt0Hz: UInt32 = 4
    public static let decayTimeAtNyquist: UInt32 = 5
    public static let randomizeReflections: UInt32 = 6
  }

  /// The longest delay of a line, in seconds.
  static var longest: Double { @_noLocks get { 1 } }

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "rvb2", manufacturer: .apple),
    name: "Reverb2",
    constant: "kAudioUnitSubType_Reverb2",
    summary: "Reverberation, by two decay times or by the name of a room.",
    properties: EffectProperties.common.filter { $0.id != .supportedChannelCounts } + [
      PropertyInfo.channelCounts([(1, 1), (2, 2)], "1 with 1, 2 with 2.")
    ]
      + EffectProperties.presets(
        presets, proposed: "what the rooms are: the values behind Apple's names are not known"),
    parameters: [
      EffectParameters.mix(
        Parameter.dryWetMix, key: "dryWetMix", constant: "kReverb2Param_DryWetMix",
        defaultValue: 100),
      ParameterInfo(
        id: Parameter.gain, key: "gain", constant: "kReverb2Param_Gain", scope: .global,
        unit: .decibels, range: -20...20, defaultValue: 0, canRamp: true,
        summary: "The gain of the reverberation.",
        proposed: "that at 0 dB it has the energy of what comes in"),
      time(
        Parameter.minDelayTime, "minDelayTime", "kReverb2Param_MinDelayTime", 0.0001...1, 0.008,
        "The shortest way from wall to wall.",
        "what a change does: it fades over 50 ms"),
      time(
        Parameter.maxDelayTime, "maxDelayTime", "kReverb2Param_MaxDelayTime", 0.0001...1, 0.050,
        "The longest way from wall to wall.",
        "what a change does: it fades over 50 ms"),
      time(
        Parameter.decayTimeAt0Hz, "decayTimeAt0Hz", "kReverb2Param_DecayTimeAt0Hz", 0.001...20, 1,
        "In which time a low sound falls by 60 dB.", ""),
      time(
        Parameter.decayTimeAtNyquist, "decayTimeAtNyquist", "kReverb2Param_DecayTimeAtNyquist",
        0.001...20, 0.5, "The same at half the rate.", ""),
      ParameterInfo(
        id: Parameter.randomizeReflections, key: "randomizeReflections",
        constant: "kReverb2Param_RandomizeReflections", scope: .global, unit: .generic,
        range: 1...1000, defaultValue: 1,
        summary: "Which pattern of ways there is: a whole number is a pattern, always the same.",
        proposed: "the patterns, and the value at birth"),
    ],
    formatNotes: [
      "input: 1 or 2 channels of any sample type, any rate",
      "output: the same format as the input; both are to be set",
    ])

  private static func time(
    _ id: UInt32, _ key: String, _ constant: String, _ range: ClosedRange<Double>,
    _ defaultValue: Double, _ summary: String, _ proposed: String
  ) -> ParameterInfo {
    ParameterInfo(
      id: id, key: key, constant: constant, scope: .global, unit: .seconds, range: range,
      defaultValue: defaultValue, canRamp: true, summary: summary, proposed: proposed)
  }

  /// The presets: the 13 rooms of the 3D Mixer.
  static let presets = ReverbRoom.all.enumerated().map {
    Preset(number: Int32($0), name: $1.name)
  }

  public static func parameters(ofPreset number: Int32) -> [UInt32: Float] {
    guard ReverbRoom.all.indices.contains(Int(number)) else { return [:] }
    let room = ReverbRoom.all[Int(number)]
    return [
      Parameter.minDelayTime: Float(0.6 * room.meanDelay),
      Parameter.maxDelayTime: Float(1.67 * room.meanDelay),
      Parameter.decayTimeAt0Hz: Float(room.decay),
      Parameter.decayTimeAtNyquist: Float(room.decay * room.treble),
    ]
  }

  public static func refusal(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> FormatRefusal? {
    guard !(1...2).contains(format.channelCount) else { return nil }
    return FormatRefusal("a Reverb2 is mono or stereo, not \(channels(format.channelCount))")
  }

  public static func tailTime(of settings: EffectSettings) -> Double {
    guard settings[Parameter.dryWetMix] > 0 else { return 0 }
    let decay = Swift.max(
      settings[Parameter.decayTimeAt0Hz], settings[Parameter.decayTimeAtNyquist])
    let delay = Swift.max(settings[Parameter.minDelayTime], settings[Parameter.maxDelayTime])
    return 2 * decay + delay
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    EffectLine.memory(
      channelCount: 16,
      reach: Int(longest * configuration.outputs[0].format.sampleRate) + 1000)
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(
      main: .holding(
        ReverbKernel(configuration, controls: controls), with: controls.block))
  }
}
