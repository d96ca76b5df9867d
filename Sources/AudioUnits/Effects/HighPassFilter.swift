public import AudioTypes

/// Passes frequencies above a cutoff: a second-order high pass with resonance.
public enum HighPassFilter: SingleFilterUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let cutoffFrequency: UInt32 = 0
    public static let resonance: UInt32 = 1
  }

  public static let description = filter(
    "hpas", name: "HighPassFilter", summary: "Lets through what is above a frequency.",
    parameters: [
      FilterParameters.frequency(
        Parameter.cutoffFrequency, key: "cutoffFrequency", constant: "kHipassParam_CutoffFrequency",
        range: 10...192_000,
        defaultValue: 6900, summary: "Below which frequency less gets through."),
      FilterParameters.resonance(Parameter.resonance, constant: "kHipassParam_Resonance"),
    ])

  public static let band = FilterBand(
    shape: .resonantHighPass, frequency: Parameter.cutoffFrequency, width: Parameter.resonance)
  public static let width = FilterWidth.resonance
}
