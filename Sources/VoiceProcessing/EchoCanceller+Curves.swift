import RenderCore

/// The distortion of the loudspeaker.
extension EchoCanceller {
  /// Sums the far end of one hop and its weighted curves.
  @_noLocks
  mutating func addCurves(to row: Int) {
    far[row].copy(from: plain[row])
    if effort.modelsDistortion {
      for curve in 0..<Self.curveCount
      where curveWeights[curve] != 0 && curvePowers[row * Self.curveCount + curve] != 0 {
        far[row].add(
          curves[curve * (largestLength + 1) + row], times: Float(curveWeights[curve]))
      }
    }
    far[row].power(into: powers[row])
  }

  /// Applies a curve to samples: the square, or the part beyond a threshold.
  @_noLocks
  static func distort(_ samples: ChannelBuffer, _ curve: Int, into bent: ChannelBuffer) {
    if curve == curveCount - 1 {
      for index in samples.indices { bent[index] = samples[index] * samples[index] }
      return
    }
    let threshold = threshold(curve)
    for index in samples.indices {
      let sample = samples[index]
      bent[index] =
        sample > threshold ? sample - threshold : sample < -threshold ? sample + threshold : 0
    }
  }

  /// The magnitude at which a curve begins, where 1 is full scale.
  @_noLocks
  static func threshold(_ curve: Int) -> Float {
    switch curve {
    case 0: 0.1
    case 1: 0.2
    case 2: 0.4
    case 3: 0.7
    // The square applies to every sample.
    default: 0
    }
  }

  @_noLocks
  mutating func forgetCurves() {
    hasNewCurves = true
    let count = Self.curveCount
    for row in 0..<count {
      curveWeights[row] = 0
      curveTargets[row] = 0
      for column in 0..<count { curveProducts[row * count + column] = 0 }
    }
  }

  /// Finds the weights of the curves by recursive least squares over the last seconds. A bin counts
  /// less the larger its error and the variance of the filter are: the residual of a filter that
  /// has not converged looks like distortion.
  @_noLocks
  mutating func fitCurves(_ error: Spectrum) {
    let count = Self.curveCount
    let weights = weights.buffer(at: 0, count: bins)
    let heard = levels(.main, 0)
    for bin in 0..<bins {
      weights[bin] = 1 / (heard[bin] + 20 * uncertainty[bin] + 1e-9 * Float(2 * hop))
    }
    let frame = frame.buffer(at: 0, count: 2 * hop)
    for curve in 0..<count {
      let echo = curveEchoes[curve]
      echo.clear()
      var isHeard = false
      var part = 0
      while part < effort.length {
        // Successive parts with a spectrum are summed in one call.
        let (row, first) = (slot(part), part)
        let end = part + rowsBeforeWrap(row, effort.length - part)
        while part < end && curvePowers[slot(part) * count + curve] > 0 { part += 1 }
        filter.addProducts(
          part - first, from: first, times: curves, from: curve * (largestLength + 1) + row,
          to: echo)
        if part > first { isHeard = true } else { part += 1 }
      }
      guard isHeard else { continue }
      fft.inverse(echo, into: frame)
      frame.prefix(hop).clear()
      fft.forward(frame, into: echo)
    }
    for row in 0..<count { curveTargets[row] *= 0.996 }
    for row in 0..<count {
      for column in row..<count {
        let product = curveEchoes[row].correlation(with: curveEchoes[column], weights: weights)
        let next = 0.996 * curveProducts[row * count + column] + product
        curveProducts[row * count + column] = next
        curveProducts[column * count + row] = next
        curveTargets[row] += product * curveWeights[column]
        if column != row { curveTargets[column] += product * curveWeights[row] }
      }
      curveTargets[row] += curveEchoes[row].correlation(with: error, weights: weights)
    }
    solve()
  }

  /// Solves the regularized normal equations by elimination; they are positive definite.
  @_noLocks
  mutating func solve() {
    hasNewCurves = true
    let count = Self.curveCount
    var trace = 0.0
    for row in 0..<count { trace += curveProducts[row * count + row] }
    let ridge = 1e-3 + 1e-6 * trace / Double(count)
    for row in 0..<count {
      for column in 0..<count {
        equations[row * (count + 1) + column] =
          curveProducts[row * count + column] + (row == column ? ridge : 0)
      }
      equations[row * (count + 1) + count] = curveTargets[row]
    }
    for pivot in 0..<count {
      let diagonal = equations[pivot * (count + 1) + pivot]
      guard diagonal > 0 else { return }
      for row in 0..<count where row != pivot {
        let factor = equations[row * (count + 1) + pivot] / diagonal
        for column in pivot...count {
          equations[row * (count + 1) + column] -=
            factor * equations[pivot * (count + 1) + column]
        }
      }
    }
    for row in 0..<count {
      let weight = equations[row * (count + 1) + count] / equations[row * (count + 1) + row]
      // A larger weight is no plausible distortion.
      curveWeights[row] = weight < -2 ? -2 : weight > 2 ? 2 : weight
    }
  }
}
