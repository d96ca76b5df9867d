import PatchSyntax
import SoundMeasures

/// What a job can have measured of what its output unit plays, beside its peak and its loudness.
public enum SoundMeasurement: String, CaseIterable, Sendable {
  case truePeak, rms, dc, integratedLoudness, shortTermLoudness, loudnessRange, clippedRuns
  case clicks, dropouts, nonFiniteSamples

  /// Levels in decibels, rounded to 0.001, those of channels in a list; counts as they are; `null` for what
  /// cannot be measured.
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
