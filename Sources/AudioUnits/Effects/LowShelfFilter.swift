public import AudioTypes

/// Raises or lowers what is below a frequency.
public enum LowShelfFilter: FilterUnit {
  public enum Parameter {
    public static let cutoffFrequency: UInt32 = 0
    public static let gain: UInt32 = 1
  }

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "lshf", manufacturer: .apple),
    name: "LowShelfFilter",
    constant: "kAudioUnitSubType_LowShelfFilter",
    summary: "Raises or lowers what is below a frequency.",
    inputs: .init(count: 1),
    outputs: .init(count: 1),
    properties: EffectProperties.common + [FilterProperties.response],
    parameters: [
      FilterParameters.frequency(
        Parameter.cutoffFrequency, key: "cutoffFrequency",
        constant: "kAULowShelfParam_CutoffFrequency", range: 10...200,
        defaultValue: 80, summary: "Where the gain is half of what it is below, in decibels."),
      FilterParameters.gain(
        Parameter.gain, constant: "kAULowShelfParam_Gain", range: -40...40,
        summary: "The gain of what is far below."),
    ],
    formatNotes: EffectProperties.formatNotes)

  public static func plan(in configuration: UnitConfiguration) -> FilterPlan {
    FilterPlan(
      bands: [
        FilterBand(shape: .lowShelf, frequency: Parameter.cutoffFrequency, gain: Parameter.gain)
      ],
      width: .none)
  }
}
