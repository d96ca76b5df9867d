public import AudioTypes

/// Raises or lowers frequencies below a cutoff.
public enum LowShelfFilter: SingleFilterUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let cutoffFrequency: UInt32 = 0
    public static let gain: UInt32 = 1
  }

  public static let description = filter(
    "lshf", name: "LowShelfFilter", summary: "Raises or lowers what is below a frequency.",
    parameters: [
      FilterParameters.frequency(
        Parameter.cutoffFrequency, key: "cutoffFrequency",
        constant: "kAULowShelfParam_CutoffFrequency", range: 10...200,
        defaultValue: 80, summary: "Where the gain is half of what it is below, in decibels."),
      FilterParameters.gain(
        Parameter.gain, constant: "kAULowShelfParam_Gain", range: -40...40,
        summary: "The gain of what is far below."),
    ])

  public static let band = FilterBand(
    shape: .lowShelf, frequency: Parameter.cutoffFrequency, gain: Parameter.gain)
  public static let width = FilterWidth.none
}
