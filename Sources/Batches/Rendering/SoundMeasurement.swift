import PatchSyntax
import SoundMeasures

/// A measurement of a job's output, besides its peak and its loudness.
public enum SoundMeasurement: String, CaseIterable, Sendable {
  case truePeak, rms, dc, integratedLoudness, shortTermLoudness, loudnessRange, clippedRuns
  case clicks, dropouts, nonFiniteSamples

  /// The result: levels in decibels with three decimals, as a list for each channel; counts as
  /// numbers; `null` if it cannot be measured.
  func json(of sound: Sound) -> JSONText {
    switch self {
    case .truePeak: .array(sound.truePeak().map { Self.level($0.value) })
    case .rms: .array(sound.rms().map { Self.level($0.value) })
    case .dc: .array(sound.dc().map { Self.level($0.value) })
    case .integratedLoudness: Self.level(sound.integratedLoudness())
    case .shortTermLoudness: Self.level(sound.shortTermLoudness()?.greatest.value)
    case .loudnessRange: Self.level(sound.loudnessRange())
    case .clippedRuns: .number(sound.clipped().count)
    case .clicks: .number(sound.clicks().count)
    case .dropouts: .number(sound.dropouts().count)
    case .nonFiniteSamples: .number(sound.nonFinite()?.count ?? 0)
    }
  }

  static func level(_ value: Double?) -> JSONText {
    guard let value, value.isFinite else { return .null }
    return .number((value * 1000).rounded() / 1000)
  }
}
