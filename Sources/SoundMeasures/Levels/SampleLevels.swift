internal import Glibc

// Levels of samples. Samples that are not finite are skipped: `nonFinite()` finds them.

extension Sound {
  /// The largest magnitude of a sample of each channel, in dBFS (full scale is 0), and its first
  /// frame; minus infinity, without a frame, for silence.
  public func peak() -> [SoundReading] {
    channels.enumerated().map { number, samples in
      let frame = SampleSums.loudest(samples.span)
      return SoundReading(
        frame.map { decibels(Double(samples[$0].magnitude)) } ?? -.infinity,
        at: SoundPlace(channel: number, frames: frame.map { $0..<$0 + 1 }))
    }
  }

  /// The root mean square of each channel, in dBFS: 0 for a square wave of full scale, -3.01 for a
  /// sine of full scale, minus infinity for silence.
  public func rms() -> [SoundReading] {
    channels.enumerated().map { number, samples in
      let sum = SampleSums.squares(samples.span)
      return SoundReading(
        10 * log10(sum.value / Double(max(1, sum.count))), at: SoundPlace(channel: number))
    }
  }

  /// The magnitude of the mean of each channel, in dBFS: minus infinity for a mean of 0.
  public func dc() -> [SoundReading] {
    channels.enumerated().map { number, samples in
      let sum = SampleSums.sum(samples.span)
      return SoundReading(
        decibels((sum.value / Double(max(1, sum.count))).magnitude),
        at: SoundPlace(channel: number))
    }
  }

  /// The correlation of two channels: Σxy / √(Σx² Σy²), from -1 (one is the other inverted) to 1
  /// (they are the same but for the level). The means are not subtracted. `nil` where one of them
  /// is silent.
  public func correlation(of first: Int, and second: Int) -> Double? {
    let one = channels[first]
    let other = channels[second]
    var (products, squares, otherSquares) = (0.0, 0.0, 0.0)
    for frame in one.indices where one[frame].isFinite && other[frame].isFinite {
      let (x, y) = (Double(one[frame]), Double(other[frame]))
      products += x * y
      squares += x * x
      otherSquares += y * y
    }
    guard squares > 0 && otherSquares > 0 else { return nil }
    return max(-1, min(1, products / (squares.squareRoot() * otherSquares.squareRoot())))
  }

  /// The ratio of the root mean squares of two channels, in dB: 0 where both are silent, infinite
  /// where one is.
  public func balance(of first: Int, and second: Int) -> Double {
    let levels = rms()
    let (one, other) = (levels[first].value, levels[second].value)
    return one == other ? 0 : one - other
  }

  /// The last frame with a magnitude above a level in dBFS, and the lowest channel that has it;
  /// `nil` where there is none.
  public func lastAbove(_ level: Double) -> SoundPlace? {
    // Compared as a float: the bound is off by half a unit in the last place at most.
    let bound = Float(pow(10, level / 20))
    var found: (channel: Int, frame: Int)?
    for (number, samples) in channels.enumerated() {
      let last = samples.indices.last { samples[$0].magnitude > bound && samples[$0].isFinite }
      guard let frame = last, frame > found?.frame ?? -1 else { continue }
      found = (number, frame)
    }
    return found.map { SoundPlace(channel: $0.channel, frames: $0.frame..<$0.frame + 1) }
  }
}

/// A magnitude in dBFS; 1 is full scale.
func decibels(_ magnitude: Double) -> Double { 20 * log10(magnitude) }

/// Sums over the finite samples of a channel, and their count.
enum SampleSums {
  typealias Sum = (value: Double, count: Int)

  /// The first of the loudest finite samples; `nil` where all are 0.
  static func loudest(_ samples: Span<Float>) -> Int? {
    // As integers, magnitudes keep their order, and infinities and NaN are above all others.
    let infinity = Float.infinity.bitPattern
    var most: UInt32 = 0
    for index in samples.indices { most = max(most, samples[index].bitPattern & 0x7FFF_FFFF) }
    if most >= infinity {
      most = 0
      for index in samples.indices {
        let word = samples[index].bitPattern & 0x7FFF_FFFF
        if word < infinity { most = max(most, word) }
      }
    }
    guard most > 0 else { return nil }
    return samples.indices.first { samples[$0].bitPattern & 0x7FFF_FFFF == most }
  }

  static func sum(_ samples: Span<Float>) -> Sum {
    total(samples) { $0 }
  }

  static func squares(_ samples: Span<Float>) -> Sum {
    total(samples) { $0 * $0 }
  }

  @inline(__always)
  private static func total(
    _ samples: Span<Float>, of term: (SIMD8<Double>) -> SIMD8<Double>
  ) -> Sum {
    var sums = SIMD8<Double>()
    var index = 0
    while index + 8 <= samples.count {
      sums += term(samples.doubles(at: index))
      index += 8
    }
    var rest = SIMD8<Double>()
    for lane in 0..<samples.count - index { rest[lane] = Double(samples[index + lane]) }
    sums += term(rest)
    let sum = sums.sum()
    // Sums and sums of squares of finite floats are finite doubles.
    if sum.isFinite { return (sum, samples.count) }
    var finite: Sum = (0, 0)
    for index in samples.indices where samples[index].isFinite {
      finite.value += term(SIMD8(repeating: Double(samples[index])))[0]
      finite.count += 1
    }
    return finite
  }
}

extension Span<Float> {
  /// Eight samples from an index on.
  @inline(__always)
  func doubles(at index: Int) -> SIMD8<Double> {
    let samples = SIMD8<Float>(
      self[index], self[index + 1], self[index + 2], self[index + 3], self[index + 4],
      self[index + 5], self[index + 6], self[index + 7])
    return SIMD8<Double>(samples)
  }
}
