import Glibc

/// The true peak by band-limited interpolation: sixteen points per frame with 256 taps and a
/// Kaiser window of 90 dB, flat to 0.487 of the rate. Independent of the detectors of units and
/// taps, which have four points and 48 taps.
public func truePeak(_ samples: [Float]) -> Double {
  var peak = Double(samples.map(\.magnitude).max() ?? 0)
  let padding = [Float](repeating: 0, count: half)
  let padded = padding + samples + padding
  // Only between two samples near the peak can the signal exceed it.
  for frame in 0..<samples.count - 1
  where Double(max(samples[frame].magnitude, samples[frame + 1].magnitude)) > 0.6 * peak {
    for row in rows {
      var sum = 0.0
      for tap in 0..<2 * half { sum += row[tap] * Double(padded[frame + 1 + tap]) }
      peak = max(peak, abs(sum))
    }
  }
  return peak
}

private let half = 128

/// The taps of the points between two samples.
private let rows = (1..<16).map { point in
  let beta = 8.96
  return (0..<2 * half).map { tap -> Double in
    let distance = Double(half - 1 - tap) + Double(point) / 16
    let place = distance / Double(half)
    return sin(.pi * distance) / (.pi * distance)
      * bessel(beta * max(0, 1 - place * place).squareRoot()) / bessel(beta)
  }
}

/// The modified Bessel function of the first kind and of order zero.
private func bessel(_ x: Double) -> Double {
  var (term, sum) = (1.0, 1.0)
  for index in 1..<60 {
    term *= (x / 2 / Double(index)) * (x / 2 / Double(index))
    sum += term
  }
  return sum
}
