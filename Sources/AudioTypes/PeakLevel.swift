internal import Glibc

/// The highest magnitude that a signal can reach, where 1 is full scale. Callbacks and units
/// compute it before anything is played.
public struct PeakLevel: Hashable, Sendable {
  /// From the sources whose level is known: tones, sweeps, noise.
  public var known: Double
  /// From all sources: those of unknown level, files and microphones, are taken to reach full
  /// scale.
  public var possible: Double

  /// Silence by default.
  public init(known: Double = 0, possible: Double = 0) {
    self.known = known
    self.possible = possible
  }

  /// The level of a source whose level is known.
  public static func certain(_ peak: Double) -> PeakLevel { PeakLevel(known: peak, possible: peak) }

  /// The level of a source of unknown level, or of a unit whose gains are not tracked.
  public static let unknown = PeakLevel(known: 0, possible: 1)

  /// - Parameter gain: Linear; its sign does not matter.
  public func scaled(by gain: Double) -> PeakLevel {
    PeakLevel(known: known * abs(gain), possible: possible * abs(gain))
  }

  /// The level of the sum of two signals.
  public static func + (one: PeakLevel, other: PeakLevel) -> PeakLevel {
    PeakLevel(known: one.known + other.known, possible: one.possible + other.possible)
  }

  /// The higher of both levels.
  public static func largest(_ one: PeakLevel, _ other: PeakLevel) -> PeakLevel {
    PeakLevel(known: max(one.known, other.known), possible: max(one.possible, other.possible))
  }

  /// The level after clipping at full scale.
  public var clipped: PeakLevel {
    PeakLevel(known: min(known, 1), possible: min(possible, 1))
  }

  /// The level after a filter. The lowest gain of the filter, if above 0 dB, applies to every
  /// sound. The boost beyond that counts only as possible, because a source of known level may lack
  /// those frequencies; for sources of unknown level it is ignored.
  ///
  /// - Parameter gains: In decibels, over the whole range of frequencies; empty for none.
  public func filtered(by gains: [Double]) -> PeakLevel {
    guard let most = gains.max(), let least = gains.min(), most > 0 else { return self }
    let everywhere = Self.linear(max(0, least))
    let certain = scaled(by: everywhere)
    return PeakLevel(
      known: certain.known, possible: certain.possible + known * (Self.linear(most) - everywhere))
  }

  private static func linear(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}
