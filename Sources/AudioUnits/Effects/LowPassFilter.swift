public import AudioTypes

/// Lets through what is below a frequency: a second-order low pass with resonance.
public enum LowPassFilter: FilterUnit {
  public enum Parameter {
    public static let cutoffFrequency: UInt32 = 0
    public static let resonance: UInt32 = 1
  }

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "lpas", manufacturer: .apple),
    name: "LowPassFilter",
    constant: "kAudioUnitSubType_LowPassFilter",
    summary: "Lets through what is below a frequency.",
    inputs: .init(count: 1),
    outputs: .init(count: 1),
    properties: EffectProperties.common + [FilterProperties.response],
    parameters: [
      FilterParameters.frequency(
        Parameter.cutoffFrequency, key: "cutoffFrequency",
        constant: "kLowPassParam_CutoffFrequency", range: 10...192_000,
        defaultValue: 6900, summary: "From which frequency on less gets through."),
      FilterParameters.resonance(Parameter.resonance, constant: "kLowPassParam_Resonance"),
    ],
    formatNotes: EffectProperties.formatNotes)

  public static func plan(in configuration: UnitConfiguration) -> FilterPlan {
    FilterPlan(
      bands: [
        FilterBand(
          shape: .resonantLowPass, frequency: Parameter.cutoffFrequency, width: Parameter.resonance)
      ],
      width: .resonance)
  }
}
