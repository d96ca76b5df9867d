internal import RenderCore

/// The effect of a wall, an obstacle or a long distance in air: a first-order low-pass, y[n] = (1 -
/// p) x[n] + p y[n-1], with a gain of 1 at 0 Hz and a given attenuation at 5 kHz.
enum Muffling {
  /// The frequency of the attenuation, in hertz.
  static var frequency: Double { @_noLocks get { 5000 } }
  /// The attenuation of the distance filter: decibels at 5 kHz for each meter beyond the reference
  /// distance, in air of 20 °C and 50% humidity (ISO 9613-1).
  static var airAbsorption: Double { @_noLocks get { 0.044 } }

  /// The filter's coefficient p.
  ///
  /// - Parameters:
  ///   - decibels: 0 or less.
  ///   - sampleRate: Where 5 kHz is above half of it, half of it counts.
  @_noLocks
  static func coefficient(_ decibels: Double, sampleRate: Double) -> Double {
    guard decibels < 0 else { return 0 }
    // |H|² = (1 - p)² / (1 + p² - 2 p cos ω) = g, for p.
    let angle = 2 * Double.pi * frequency / sampleRate
    let cosine = renderCosine(angle < Double.pi ? angle : Double.pi)
    let g = renderPower(10, decibels / 10)
    let middle = 1 - g * cosine
    let inside = middle * middle - (1 - g) * (1 - g)
    return (middle - renderSquareRoot(inside > 0 ? inside : 0)) / (1 - g)
  }
}
