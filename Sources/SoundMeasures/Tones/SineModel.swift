internal import Glibc

/// A mean, a sine and its harmonics, fitted to samples by least squares under a Hann window, in
/// double precision. The window keeps other tones out: without it, a tone eleven periods away would
/// shift the frequency by far more than noise does.
///
/// For a given frequency the amplitudes follow from linear equations. The frequency is the one with
/// the smallest error (variable projection: G. H. Golub and V. Pereyra, SIAM J. Numer. Anal. 10,
/// 1973). Time 0 is in the middle, which separates the equations of the cosines from those of the
/// sines.
struct SineModel {
  /// For each harmonic, from the fundamental on, the cosine and sine amplitudes at time 0.
  private(set) var cosines: [Double]
  private(set) var sines: [Double]
  private(set) var mean = 0.0
  /// In radians per frame.
  private(set) var angle: Double
  private let samples: WindowedSamples

  /// The amplitude of a harmonic; 1 is the fundamental.
  func amplitude(_ multiple: Int) -> Double {
    hypot(cosines[multiple - 1], sines[multiple - 1])
  }

  /// - Parameters:
  ///   - angle: In radians per frame, at most half a bin off.
  ///   - multiples: The number of harmonics with the fundamental, all below half the rate.
  init(_ samples: WindowedSamples, near angle: Double, multiples: Int) {
    self.samples = samples
    self.angle = angle
    cosines = [Double](repeating: 0, count: multiples)
    sines = cosines
    settle()
  }

  private mutating func settle() {
    let first = angle
    // The window's main lobe reaches two bins to either side.
    let reach = 2 * Double.pi / Double(samples.count)
    var last: (angle: Double, slope: Double)?
    for _ in 0..<20 {
      solve()
      let slope = self.slope()
      let bend = curvature()
      guard bend > 0 else { return }
      var step = slope / bend
      // With few periods the columns are correlated: a secant is then better than the curvature.
      if let last, last.angle != angle {
        let secant = (last.slope - slope) / (angle - last.angle)
        if secant > 0.3 * bend && secant < 3 * bend { step = slope / secant }
      }
      last = (angle, slope)
      let next = max(first - reach, min(first + reach, angle + step))
      guard next > 0 && next < Double.pi && next != angle else { return }
      let isSettled = abs(next - angle) * Double(samples.count) < 1e-10
      angle = next
      if isSettled { break }
    }
    solve()
  }

  /// Computes mean and amplitudes.
  private mutating func solve() {
    let orders = cosines.count
    var evens = [samples.project(angle: 0).cosine]
    var odds: [Double] = []
    for order in 1...orders {
      let sums = samples.project(angle: Double(order) * angle)
      evens.append(sums.cosine)
      odds.append(sums.sine)
    }
    func kernel(_ one: Int, _ other: Int) -> (difference: Double, sum: Double) {
      (
        samples.kernel(Double(one - other) * angle) / 2,
        samples.kernel(Double(one + other) * angle) / 2
      )
    }
    evens = solved(evens) { one, other in
      let pair = kernel(one, other)
      return pair.difference + pair.sum
    }
    odds = solved(odds) { one, other in
      let pair = kernel(one + 1, other + 1)
      return pair.difference - pair.sum
    }
    mean = evens[0]
    cosines = Array(evens.dropFirst())
    sines = odds
  }

  /// Σ w r ∂m/∂angle, with the residual r of the model m: 0 at the best frequency.
  private func slope() -> Double {
    let rest = samples.subtracting(mean: mean, self.parts)
    var sum = 0.0
    for (index, part) in parts.enumerated() {
      let sums = rest.projectTimes(angle: part.angle)
      sum += Double(index + 1) * (part.sine * sums.cosine - part.cosine * sums.sine)
    }
    return sum
  }

  private func curvature() -> Double {
    var power = 0.0
    for (index, part) in parts.enumerated() {
      let order = Double(index + 1)
      power += order * order * (part.cosine * part.cosine + part.sine * part.sine)
    }
    return power / 2 * samples.spread
  }

  private var parts: [WindowedSamples.Part] {
    cosines.indices.map { (Double($0 + 1) * angle, cosines[$0], sines[$0]) }
  }

  /// The residual of the model.
  var rest: [Float] {
    samples.subtracting(mean: mean, parts).values.map(Float.init)
  }
}

/// Solves symmetric positive semidefinite equations by Cholesky's method. An unknown that depends
/// on earlier ones becomes 0.
private func solved(_ right: [Double], matrix: (Int, Int) -> Double) -> [Double] {
  let count = right.count
  var factor = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
  var values = right
  for row in 0..<count {
    for column in 0...row {
      var sum = matrix(row, column)
      for index in 0..<column { sum -= factor[row][index] * factor[column][index] }
      if row == column {
        factor[row][row] = sum > 1e-12 * matrix(0, 0).magnitude ? sum.squareRoot() : 0
      } else {
        factor[row][column] = factor[column][column] > 0 ? sum / factor[column][column] : 0
      }
    }
  }
  for row in 0..<count {
    for index in 0..<row { values[row] -= factor[row][index] * values[index] }
    values[row] = factor[row][row] > 0 ? values[row] / factor[row][row] : 0
  }
  for row in (0..<count).reversed() {
    for index in row + 1..<count { values[row] -= factor[index][row] * values[index] }
    values[row] = factor[row][row] > 0 ? values[row] / factor[row][row] : 0
  }
  return values
}
