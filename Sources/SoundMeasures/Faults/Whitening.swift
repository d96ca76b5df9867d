internal import RenderCore

/// The residual of a linear prediction, and how well a step explains it.
///
/// The prediction has 128 coefficients, by the autocorrelation method under a Hann window of 80 ms
/// (J. Makhoul, "Linear prediction: a tutorial review", Proc. IEEE 63, 1975). White noise 70 dB
/// below the sound is added to the autocorrelation, since floats are no more exact. Tones and other
/// sounds with empty parts in their spectrum are predicted to nearly nothing, while a step leaves
/// the running sum of the coefficients from its frame on. A matched filter for that shape brings
/// out a step as clearly as possible.
struct Whitening {
  static let order = 128
  private static let lagCount = order + 1

  /// The residuals of the hops, one after the other. Each has `order` frames more than the hop, so
  /// that a jump near its end is seen by one prediction.
  private let rest: [Float]
  /// The residual, matched with a step of energy 1 that begins at each frame.
  let matches: [Float]
  /// Frames that share a prediction.
  private let hop: Int
  /// For each hop, the residual of an impulse and of a step.
  private let impulses: [[Float]]
  private let steps: [[Float]]

  init(_ samples: [Float], rate: Double) {
    let hop = max(Self.order, Int(rate * 0.04) / 16 * 16)
    let count = samples.count
    let hops = (count + hop - 1) / hop
    // Zeros before the sound for the first window, and after it for the last.
    let input = SampleStorage(repeating: 0, count: (hops + 3) * hop)
    for frame in 0..<count where samples[frame].isFinite { input[hop + frame] = samples[frame] }
    let length = hop + Self.order
    let rest = SampleStorage(repeating: 0, count: max(1, hops * length))
    let matches = SampleStorage(repeating: 0, count: max(1, hops * hop))
    let row = SampleStorage(repeating: 0, count: Self.lagCount)
    var predictor = LinearPredictor(length: 2 * hop)
    var (impulses, steps): ([[Float]], [[Float]]) = ([], [])
    for number in 0..<hops {
      let start = number * hop
      let filter = predictor.filter(input.buffer(at: start + hop / 2, count: 2 * hop))
      for index in filter.indices { row[index] = Float(filter[Self.order - index]) }
      VectorMath.filter(
        row.buffer(at: 0, count: row.count),
        input.buffer(at: start + hop - Self.order, count: length + Self.order),
        into: rest.buffer(at: number * length, count: length))
      var sum = 0.0
      impulses.append(filter.map(Float.init))
      steps.append(
        filter.map {
          sum += $0
          return Float(sum)
        })
    }
    for number in 0..<hops {
      let energy = steps[number].reduce(0.0) { $0 + Double($1) * Double($1) }
      for (index, value) in steps[number].enumerated() {
        row[index] = Float(Double(value) / energy.squareRoot())
      }
      VectorMath.filter(
        row.buffer(at: 0, count: row.count),
        rest.buffer(at: number * length, count: length),
        into: matches.buffer(at: number * hop, count: hop))
    }
    self.hop = hop
    self.impulses = impulses
    self.steps = steps
    self.rest = (0..<rest.count).map { rest[$0] }
    self.matches = (0..<count).map { matches[$0] }
  }

  /// The height of a step with a given match.
  func height(of match: Double, at frame: Int) -> Double {
    let energy = steps[frame / hop].reduce(0.0) { $0 + Double($1) * Double($1) }
    return match / energy.squareRoot()
  }

  /// The share of the residual after a frame that a step and an impulse at it explain, 0 to 1.
  func explained(at frame: Int) -> Double {
    let (step, impulse) = (steps[frame / hop], impulses[frame / hop])
    let first = frame / hop * (hop + Self.order) + frame % hop
    var (ss, si, ii, rs, ri, energy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for index in 0..<Self.lagCount {
      let (s, i) = (Double(step[index]), Double(impulse[index]))
      let r = Double(rest[first + index])
      ss += s * s
      si += s * i
      ii += i * i
      rs += r * s
      ri += r * i
      energy += r * r
    }
    // The residual of the few frames before, within the hop, counts as unexplained.
    for index in first - min(8, frame % hop)..<first {
      energy += Double(rest[index]) * Double(rest[index])
    }
    let determinant = ss * ii - si * si
    guard energy > 0 && ss > 0 else { return 0 }
    guard determinant > 1e-9 * ss * ii else { return rs * rs / ss / energy }
    return (rs * rs * ii - 2 * rs * ri * si + ri * ri * ss) / determinant / energy
  }
}

/// Finds the prediction filter of a window of samples.
private struct LinearPredictor: ~Copyable {
  private let window: [Float]
  private let weighted: SampleStorage
  private var lags = [Double](repeating: 0, count: Whitening.order + 1)

  /// - Parameter length: The samples of a window: a multiple of 16.
  init(length: Int) {
    window = PowerSpectrum.hann(length).map(Float.init)
    weighted = SampleStorage(repeating: 0, count: length + Whitening.order)
  }

  /// The coefficients of the filter, the first of them 1.
  mutating func filter(_ samples: ChannelBuffer) -> [Double] {
    for index in window.indices { weighted[index] = samples[index] * window[index] }
    // Summed in parts: over more than a few hundred products, floats are not exact enough for 70
    // dB.
    for lag in lags.indices {
      lags[lag] = stride(from: 0, to: window.count, by: 256).reduce(0.0) { sum, start in
        let count = min(256, window.count - start)
        return sum
          + Double(
            VectorMath.dot(
              weighted.buffer(at: start, count: count),
              weighted.buffer(at: start + lag, count: count)))
      }
    }
    // Levinson's recursion.
    var filter = [Double](repeating: 0, count: lags.count)
    filter[0] = 1
    guard lags[0] > 0 else { return filter }
    var error = lags[0] * (1 + 1e-7)
    for step in 1..<lags.count {
      var sum = lags[step]
      for index in 1..<step { sum += filter[index] * lags[step - index] }
      let turn = -sum / error
      // Rounding errors have used up what was predictable.
      guard turn.magnitude < 1 else { break }
      var index = 1
      while 2 * index <= step {
        let (one, other) = (filter[index], filter[step - index])
        filter[index] = one + turn * other
        filter[step - index] = other + turn * one
        index += 1
      }
      filter[step] = turn
      error *= 1 - turn * turn
    }
    return filter
  }
}
