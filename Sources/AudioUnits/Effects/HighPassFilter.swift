public import AudioTypes

/// Lets through what is above a frequency: a second-order high pass with resonance.
public enum HighPassFilter: FilterUnit {
  public enum Parameter {
    public static let cutoffFrequency: UInt32 = 0
    public static let resonance: UInt32 = 1
  }

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "hpas", manufacturer: .apple),
    name: "HighPassFilter",
    constant: "kAudioUnitSubType_HighPassFilter",
    summary: "Lets through what is above a frequency.",
    inputs: .init(count: 1),
    outputs: .init(count: 1),
    properties: EffectProperties.common + [FilterProperties.response],
    parameters: [
      FilterParameters.frequency(
        Parameter.cutoffFrequency, key: "cutoffFrequency", constant: "kHipassParam_CutoffFrequency",
        range: 10...192_000,
        defaultValue: 6900, summary: "Below which frequency less gets through."),
      FilterParameters.resonance(Parameter.resonance, constant: "kHipassParam_Resonance"),
    ],
    formatNotes: EffectProperties.formatNotes)

  public static func plan(in configuration: UnitConfiguration) -> FilterPlan {
    FilterPlan(
      bands: [
        FilterBand(
          shape: .resonantHighPass, frequency: Parameter.cutoffFrequency, width: Parameter.resonance
        )
      ],
      width: .resonance)
  }
}
