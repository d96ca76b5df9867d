public import AudioTypes

/// Passes frequencies below a cutoff: a second-order low pass with resonance.
public enum LowPassFilter: SingleFilterUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let cutoffFrequency: UInt32 = 0
    public static let resonance: UInt32 = 1
  }

  public static let description = filter(
    "lpas", name: "LowPassFilter", summary: "Lets through what is below a frequency.",
    parameters: [
      FilterParameters.frequency(
        Parameter.cutoffFrequency, key: "cutoffFrequency",
        constant: "kLowPassParam_CutoffFrequency", range: 10...192_000,
        defaultValue: 6900, summary: "From which frequency on less gets through."),
      FilterParameters.resonance(Parameter.resonance, constant: "kLowPassParam_Resonance"),
    ])

  public static let band = FilterBand(
    shape: .resonantLowPass, frequency: Parameter.cutoffFrequency, width: Parameter.resonance)
  public static let width = FilterWidth.resonance
}
