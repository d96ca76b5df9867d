public import AudioTypes

/// Passes a band around a frequency: a second-order band pass whose peak is 0 dB.
public enum BandPassFilter: SingleFilterUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let centerFrequency: UInt32 = 0
    public static let bandwidth: UInt32 = 1
  }

  public static let description = filter(
    "bpas", name: "BandPassFilter", summary: "Lets through what is around a frequency.",
    parameters: [
      FilterParameters.frequency(
        Parameter.centerFrequency, key: "centerFrequency",
        constant: "kBandpassParam_CenterFrequency", range: 20...192_000,
        defaultValue: 5000, summary: "The frequency that gets through as it is."),
      ParameterInfo(
        id: Parameter.bandwidth, key: "bandwidth", constant: "kBandpassParam_Bandwidth",
        scope: .global, unit: .cents, range: 100...12_000, defaultValue: 600, canRamp: true,
        summary: "From where the gain is -3 dB below the center to where it is above.",
        proposed: "that it is the analogue filter's, Q = 1/(2 sinh(N ln 2/2)) of N octaves"),
    ])

  public static let band = FilterBand(
    shape: .bandPass, frequency: Parameter.centerFrequency, width: Parameter.bandwidth)
  public static let width = FilterWidth.cents
}
