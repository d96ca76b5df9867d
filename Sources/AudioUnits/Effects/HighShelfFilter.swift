public import AudioTypes

/// Raises or lowers what is above a frequency.
public enum HighShelfFilter: FilterUnit {
  public enum Parameter {
    public static let cutoffFrequency: UInt32 = 0
    public static let gain: UInt32 = 1
  }

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "hshf", manufacturer: .apple),
    name: "HighShelfFilter",
    constant: "kAudioUnitSubType_HighShelfFilter",
    summary: "Raises or lowers what is above a frequency.",
    inputs: .init(count: 1),
    outputs: .init(count: 1),
    properties: EffectProperties.common + [FilterProperties.response],
    parameters: [
      FilterParameters.frequency(
        Parameter.cutoffFrequency, key: "cutoffFrequency",
        constant: "kHighShelfParam_CutOffFrequency", range: 10_000...192_000,
        defaultValue: 10_000, summary: "Where the gain is half of what it is above, in decibels."),
      FilterParameters.gain(
        Parameter.gain, constant: "kHighShelfParam_Gain", range: -40...40,
        summary: "The gain of what is far above."),
    ],
    formatNotes: EffectProperties.formatNotes)

  public static func plan(in configuration: UnitConfiguration) -> FilterPlan {
    FilterPlan(
      bands: [
        FilterBand(shape: .highShelf, frequency: Parameter.cutoffFrequency, gain: Parameter.gain)
      ],
      width: .none)
  }
}
