import AudioTypes
import Glibc

/// Parameters that several filter units share.
enum FilterParameters {
  /// The note on the closed form of every filter.
  static let form = "that its response is the Audio EQ Cookbook's"

  static func frequency(
    _ id: UInt32, key: String, constant: String, range: ClosedRange<Double>, defaultValue: Double,
    summary: String
  ) -> ParameterInfo {
    ParameterInfo(
      id: id, key: key, constant: constant, scope: .global, unit: .hertz, range: range,
      defaultValue: defaultValue, canRamp: true, summary: summary,
      proposed: form + (range.upperBound > 96_000 ? "; above 0.49 of the rate it is that" : ""))
  }

  static func resonance(_ id: UInt32, constant: String) -> ParameterInfo {
    ParameterInfo(
      id: id, key: "resonance", constant: constant, scope: .global, unit: .decibels,
      range: -20...40, defaultValue: 0, canRamp: true,
      summary: "The gain at the cutoff frequency; -3.01 dB is the Butterworth filter.",
      proposed: "that Q is 10^(resonance/20), and the order of the filter two")
  }

  static func gain(
    _ id: UInt32, constant: String, range: ClosedRange<Double>, summary: String,
    proposed: String = ""
  ) -> ParameterInfo {
    ParameterInfo(
      id: id, key: "gain", constant: constant, scope: .global, unit: .decibels, range: range,
      defaultValue: 0, canRamp: true, summary: summary, proposed: proposed)
  }
}

/// Properties that all filter units have.
enum FilterProperties {
  /// The number of frequencies in the response.
  static let responseCount = 1024

  static let response = PropertyInfo(
    .frequencyResponse, key: "frequencyResponse",
    constant: "kAudioUnitProperty_FrequencyResponse", kind: .structure(.doubles), scopes: [.global],
    access: .readOnly,
    summary:
      "At 1024 frequencies from 10 Hz to half the rate, each in hertz, the gain in decibels.",
    proposed:
      "the frequencies, which are equally far from each other in octaves; the unit of the gain")

  static func value(
    of place: PropertyPlace, _ plan: FilterPlan, _ settings: EffectSettings
  ) -> PropertyValue? {
    guard place.id == .frequencyResponse, settings.sampleRate > 20 else { return nil }
    let ratio = settings.sampleRate / 2 / 10
    let frequencies = (0..<responseCount).map {
      10 * pow(ratio, Double($0) / Double(responseCount - 1))
    }
    return .doubles(
      zip(frequencies, plan.gains(at: frequencies, settings)).flatMap { [$0, $1] })
  }
}
