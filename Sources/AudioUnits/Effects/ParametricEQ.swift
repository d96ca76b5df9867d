public import AudioTypes

/// Raises or lowers frequencies around a center.
public enum ParametricEQ: SingleFilterUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let centerFrequency: UInt32 = 0
    public static let q: UInt32 = 1
    public static let gain: UInt32 = 2
  }

  public static let description = filter(
    "pmeq", name: "ParametricEQ", summary: "Raises or lowers what is around a frequency.",
    parameters: [
      FilterParameters.frequency(
        Parameter.centerFrequency, key: "centerFrequency",
        constant: "kParametricEQParam_CenterFreq", range: 20...192_000,
        defaultValue: 2000, summary: "The frequency that is raised or lowered most."),
      ParameterInfo(
        id: Parameter.q, key: "q", constant: "kParametricEQParam_Q", scope: .global, unit: .generic,
        range: 0.1...20, defaultValue: 1, canRamp: true,
        summary: "How narrow: the center frequency over the bandwidth.",
        proposed: "that it is the Audio EQ Cookbook's Q, with which a cut undoes a boost"),
      FilterParameters.gain(
        Parameter.gain, constant: "kParametricEQParam_Gain", range: -20...20,
        summary: "The gain at the center frequency."),
    ])

  public static let band = FilterBand(
    shape: .parametric, frequency: Parameter.centerFrequency, gain: Parameter.gain,
    width: Parameter.q)
  public static let width = FilterWidth.q
}
