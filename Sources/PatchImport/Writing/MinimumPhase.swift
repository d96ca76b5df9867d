import Glibc

/// Computes a minimum-phase filter with the gains of a curve from the cepstrum (A. V. Oppenheim,
/// R. W. Schafer, "Discrete-Time Signal Processing").
enum MinimumPhase {
  /// The number of taps: twice that of Equalizer APO, to follow the curve more closely.
  static let tapCount = 32_768
  /// The length of the transforms: four times the taps.
  private static let gridCount = 131_072

  static func taps(of points: [FilterChain.CurvePoint], sampleRate: Double) -> [Double] {
    let half = gridCount / 2
    var real = [Double](repeating: 0, count: gridCount)
    for index in 0...half {
      let frequency = Double(index) * sampleRate / Double(gridCount)
      let decibels = max(FilterChain.decibels(of: points, at: frequency), -100)
      real[index] = decibels * log(10.0) / 20
      if index > 0, index < half { real[gridCount - index] = real[index] }
    }
    var imaginary = [Double](repeating: 0, count: gridCount)
    transform(&real, &imaginary, isInverse: true)
    // Folds the negative part of the cepstrum onto the positive one.
    for index in 1..<half {
      real[index] *= 2
      real[gridCount - index] = 0
    }
    for index in imaginary.indices { imaginary[index] = 0 }
    transform(&real, &imaginary, isInverse: false)
    for index in real.indices {
      let magnitude = exp(real[index])
      let phase = imaginary[index]
      real[index] = magnitude * cos(phase)
      imaginary[index] = magnitude * sin(phase)
    }
    transform(&real, &imaginary, isInverse: true)
    // The last quarter fades out.
    let fade = tapCount / 4
    return (0..<tapCount).map { index in
      let rest = tapCount - index
      return rest >= fade
        ? real[index] : real[index] * (0.5 - 0.5 * cos(Double.pi * Double(rest) / Double(fade)))
    }
  }

  /// Transforms in place, radix 2. The inverse is divided by the length.
  private static func transform(
    _ real: inout [Double], _ imaginary: inout [Double], isInverse: Bool
  ) {
    let count = real.count
    var reversed = 0
    for index in 1..<count {
      var bit = count >> 1
      while reversed & bit != 0 {
        reversed ^= bit
        bit >>= 1
      }
      reversed |= bit
      if index < reversed {
        real.swapAt(index, reversed)
        imaginary.swapAt(index, reversed)
      }
    }
    let sign = isInverse ? 1.0 : -1.0
    let turns = (0..<(count / 2)).map { index -> (Double, Double) in
      let angle = 2 * Double.pi * Double(index) / Double(count)
      return (cos(angle), sign * sin(angle))
    }
    var size = 2
    while size <= count {
      let half = size / 2
      let step = count / size
      var start = 0
      while start < count {
        for index in 0..<half {
          let (c, s) = turns[index * step]
          let low = start + index
          let high = low + half
          let r = real[high] * c - imaginary[high] * s
          let i = real[high] * s + imaginary[high] * c
          real[high] = real[low] - r
          imaginary[high] = imaginary[low] - i
          real[low] += r
          imaginary[low] += i
        }
        start += size
      }
      size *= 2
    }
    guard isInverse else { return }
    for index in real.indices {
      real[index] /= Double(count)
      imaginary[index] /= Double(count)
    }
  }
}
