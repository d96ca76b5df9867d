internal import Glibc

/// How far a signal goes at most, 1 being full scale: what callbacks and units say when they are asked
/// before anything is played.
public struct PeakLevel: Hashable, Sendable {
  /// What comes of the sources that say how loud they are: tones, sweeps, noise.
  public var known: Double
  /// The same with those that do not, files and microphones, taken to reach full scale.
  public var possible: Double

  /// Silence, unless something else is said.
  public init(known: Double = 0, possible: Double = 0) {
    self.known = known
    self.possible = possible
  }

  /// Of a source that says how loud it is.
  public static func certain(_ peak: Double) -> PeakLevel { PeakLevel(known: peak, possible: peak) }

  /// Of a source that does not, and of a unit whose gains nobody follows.
  public static let unknown = PeakLevel(known: 0, possible: 1)

  /// - Parameter gain: Linear; the magnitude of it counts.
  public func scaled(by gain: Double) -> PeakLevel {
    PeakLevel(known: known * abs(gain), possible: possible * abs(gain))
  }

  /// What two signals reach together.
  public static func + (one: PeakLevel, other: PeakLevel) -> PeakLevel {
    PeakLevel(known: one.known + other.known, possible: one.possible + other.possible)
  }

  /// The further of both.
  public static func largest(_ one: PeakLevel, _ other: PeakLevel) -> PeakLevel {
    PeakLevel(known: max(one.known, other.known), possible: max(one.possible, other.possible))
  }

  /// What is left of it behind a place that clips at full scale.
  public var clipped: PeakLevel {
    PeakLevel(known: min(known, 1), possible: min(possible, 1))
  }

  /// What a filter leaves of it. A gain that the filter has everywhere is certain. Where it lifts more, the
  /// sound of a source that does not say how loud it is need not be: only of the others is that followed.
  ///
  /// - Parameter gains: In decibels, at frequencies from end to end; empty for none.
  public func filtered(by gains: [Double]) -> PeakLevel {
    guard let most = gains.max(), let least = gains.min(), most > 0 else { return self }
    let everywhere = Self.linear(max(0, least))
    let certain = scaled(by: everywhere)
    return PeakLevel(
      known: certain.known, possible: certain.possible + known * (Self.linear(most) - everywhere))
  }

  private static func linear(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}
