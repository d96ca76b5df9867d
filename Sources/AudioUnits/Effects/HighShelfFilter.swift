public import AudioTypes

/// Raises or lowers frequencies above a cutoff.
public enum HighShelfFilter: SingleFilterUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let cutoffFrequency: UInt32 = 0
    public static let gain: UInt32 = 1
  }

  public static let description = filter(
    "hshf", name: "HighShelfFilter", summary: "Raises or lowers what is above a frequency.",
    parameters: [
      FilterParameters.frequency(
        Parameter.cutoffFrequency, key: "cutoffFrequency",
        constant: "kHighShelfParam_CutOffFrequency", range: 10_000...192_000,
        defaultValue: 10_000, summary: "Where the gain is half of what it is above, in decibels."),
      FilterParameters.gain(
        Parameter.gain, constant: "kHighShelfParam_Gain", range: -40...40,
        summary: "The gain of what is far above."),
    ])

  public static let band = FilterBand(
    shape: .highShelf, frequency: Parameter.cutoffFrequency, gain: Parameter.gain)
  public static let width = FilterWidth.none
}
