import Glibc

/// Reads a sound between its samples, in doubles: a sinc under a Kaiser window (Kaiser,
/// "Nonrecursive digital filter design using the I0-sinh window function", 1974).
///
/// With 256 taps, its error is below -150 dB up to 0.48 of the sample rate; above that it is not
/// usable.
struct FractionalDelay {
  /// Frames that the filter reaches to either side.
  let half: Int
  /// The whole frames of the delay, rounded down.
  let whole: Int
  /// The filter for the fraction of a frame; empty where there is none.
  private let taps: [Double]

  static let longest = 128

  /// - Parameters:
  ///   - frames: The delay.
  ///   - half: The frames that the filter reaches to either side.
  init(_ frames: Double, half: Int = longest) {
    whole = Int(frames.rounded(.down))
    let rest = frames - Double(whole)
    self.half = half
    taps = rest == 0 ? [] : Self.taps(rest, half: half)
  }

  /// Whether it reads samples as they are, without a filter.
  var isWhole: Bool { taps.isEmpty }

  /// Taps for the frames -(half - 1)...half, around a time between 0 and 1.
  private static func taps(_ time: Double, half: Int) -> [Double] {
    let beta = min(15.6, 0.24 * Double(half))
    let peak = bessel(beta)
    let sine = sin(Double.pi * time) / Double.pi
    return (0..<2 * half).map { index in
      let frame = index - (half - 1)
      let distance = time - Double(frame)
      let place = distance / Double(half)
      let window = bessel(beta * max(0, 1 - place * place).squareRoot()) / peak
      guard distance.magnitude > 1e-12 else { return window }
      // sin(pi (t - n)) is sin(pi t), with the sign changed for odd n.
      return (frame & 1 == 0 ? sine : -sine) / distance * window
    }
  }

  /// Taps for the derivative at a whole frame, in the same order, frame 0 in the middle.
  static func derivative(half: Int = longest) -> [Double] {
    let beta = min(15.6, 0.24 * Double(half))
    let peak = bessel(beta)
    return (0..<2 * half).map { index in
      let frame = index - (half - 1)
      guard frame != 0 else { return 0 }
      let place = Double(frame) / Double(half)
      let window = bessel(beta * max(0, 1 - place * place).squareRoot()) / peak
      return (frame & 1 == 0 ? -1 : 1) / Double(frame) * window
    }
  }

  /// The modified Bessel function of order 0, by its power series (all terms are positive).
  private static func bessel(_ argument: Double) -> Double {
    let quarter = argument * argument / 4
    var (term, sum, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-17 {
      term *= quarter / (index * index)
      sum += term
      index += 1
    }
    return sum
  }

  /// The samples at a range of frames, moved by the delay. Beyond its ends a sound is silent.
  func read(_ samples: [Float], _ frames: Range<Int>) -> [Double] {
    guard !taps.isEmpty else {
      let first = frames.lowerBound + whole
      return Self.samples(samples, first..<(first + frames.count))
    }
    return Self.filter(samples, taps, half, frames.lowerBound + whole, frames.count)
  }

  /// The derivative of a sound at a range of frames, per frame.
  static func slope(_ samples: [Float], _ frames: Range<Int>, _ taps: [Double]) -> [Double] {
    filter(samples, taps, taps.count / 2, frames.lowerBound, frames.count)
  }

  private static func samples(_ samples: [Float], _ frames: Range<Int>) -> [Double] {
    var result = [Double](repeating: 0, count: frames.count)
    let inside = frames.clamped(to: 0..<samples.count)
    var frame = inside.lowerBound
    while frame < inside.upperBound {
      result[frame - frames.lowerBound] = Double(samples[frame])
      frame += 1
    }
    return result
  }

  private static func filter(
    _ samples: [Float], _ taps: [Double], _ half: Int, _ first: Int, _ count: Int
  ) -> [Double] {
    let padded = (count + 7) / 8 * 8
    let start = first - (half - 1)
    let around = start..<(start + padded + taps.count)
    let window = self.samples(samples, around)
    var result = [Double](repeating: 0, count: padded)
    guard window.contains(where: { $0 != 0 }) else { return Array(result.prefix(count)) }
    // Eight outputs at a time: each tap and each sample is fetched once for eight products. The
    // loops count by hand, since ranges take several times as long in a build without optimization.
    var base = 0
    while base < padded {
      var s0 = 0.0
      var s1 = 0.0
      var s2 = 0.0
      var s3 = 0.0
      var s4 = 0.0
      var s5 = 0.0
      var s6 = 0.0
      var s7 = 0.0
      var x0 = window[base]
      var x1 = window[base + 1]
      var x2 = window[base + 2]
      var x3 = window[base + 3]
      var x4 = window[base + 4]
      var x5 = window[base + 5]
      var x6 = window[base + 6]
      var place = base + 7
      var index = 0
      while index < taps.count {
        let tap = taps[index]
        let x7 = window[place]
        s0 += tap * x0
        s1 += tap * x1
        s2 += tap * x2
        s3 += tap * x3
        s4 += tap * x4
        s5 += tap * x5
        s6 += tap * x6
        s7 += tap * x7
        x0 = x1
        x1 = x2
        x2 = x3
        x3 = x4
        x4 = x5
        x5 = x6
        x6 = x7
        place += 1
        index += 1
      }
      result[base] = s0
      result[base + 1] = s1
      result[base + 2] = s2
      result[base + 3] = s3
      result[base + 4] = s4
      result[base + 5] = s5
      result[base + 6] = s6
      result[base + 7] = s7
      base += 8
    }
    if padded > count { result.removeLast(padded - count) }
    return result
  }
}
