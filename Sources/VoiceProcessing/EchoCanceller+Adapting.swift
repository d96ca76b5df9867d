import RenderCore

/// The adaptation of the filters.
extension EchoCanceller {
  /// Computes the expected squared error of the echo from the variance of the coefficients.
  @_noLocks
  mutating func expectedError(_ which: EchoFilter, into sum: ChannelBuffer, ago: Int = 0) {
    sum.clear()
    let (count, row) = (length(which), slot(ago))
    let first = rowsBeforeWrap(row, count)
    if which.index == 0 {
      variance.addProducts(first, from: 0, times: powers, from: row, to: sum)
      variance.addProducts(count - first, from: first, times: powers, from: 0, to: sum)
    } else {
      shadowVariance.addProducts(first, from: 0, times: powers, from: row, to: sum)
      shadowVariance.addProducts(count - first, from: first, times: powers, from: 0, to: sum)
    }
  }

  /// Estimates the power of the error that the variance of the coefficients does not explain:
  /// near-end speech and noise.
  @_noLocks
  mutating func estimateNoise(
    _ which: EchoFilter, _ error: Spectrum, _ spread: ChannelBuffer
  ) {
    let (real, imaginary) = (error.real, error.imaginary)
    let errorPower = levels(which, 0)
    let spreadPower = levels(which, 1)
    // With the far end alone, most of the error is used to adapt; in double talk, little of it.
    let most: Float = nearProbability < 0.05 ? 0.3 : 1
    let least: Float = nearProbability > 0.9 ? 0.7 : 0.05
    for bin in 0..<bins {
      let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
      let heard = 0.8 * errorPower[bin] + 0.2 * power
      let explained = 0.8 * spreadPower[bin] + 0.1 * spread[bin]
      errorPower[bin] = heard
      spreadPower[bin] = explained
      let rest = heard - explained
      noise[bin] = rest < least * heard ? least * heard : rest < most * heard ? rest : most * heard
    }
  }

  /// Adapts the coefficients to the error of a hop. Only for the present hop (`ago` 0) their
  /// variance is updated too. Multiplies `error` by the step sizes, in place.
  @_noLocks
  mutating func adapt(
    _ which: EchoFilter, error: Spectrum, spread: ChannelBuffer, ago: Int = 0
  ) {
    let trust = gains.buffer(at: 0, count: bins)
    let frame = frame.buffer(at: 0, count: 2 * hop)
    let forgetting = which.index == 0 ? Self.forgetting : Self.shadowForgetting
    KalmanBins.trust(
      trust, spread: spread, noise: noise.buffer(at: 0, count: bins), floor: 1e-9 * Float(2 * hop))
    error.multiply(by: trust)
    for part in 0..<length(which) {
      let row = slot(part + ago)
      let coefficients = coefficients(which, part)
      guard ago == 0 else {
        KalmanBins.approach(
          coefficients, variance(which, part), far: far[row], error: error, rate: 0.5)
        continue
      }
      KalmanBins.adapt(
        coefficients, variance(which, part), far: far[row], power: powers[row], error: error,
        trust: trust, rate: Self.settlingRate, forgetting: forgetting,
        least: which.index == 0 ? 0 : 1e-3 * taper[part])
      // A part of the response is a hop long; taps behind that are an artefact of cyclic
      // convolution. They are removed from one part in eight, in turn, at an eighth of the cost.
      guard (part + age) & (Self.roundCount - 1) == 0 else { continue }
      fft.inverse(coefficients, into: frame)
      frame.dropping(hop).clear()
      fft.forward(frame, into: coefficients)
    }
  }

  /// In the first seconds, adapts a second time to the hop before, with the present coefficients.
  @_noLocks
  mutating func repeatPreviousHop() {
    guard settling > 0 else { return }
    if farPower.sum() > 1e-6 * Float(bins * 2 * hop) { settling -= 1 }
    let error = previousError.buffer(at: 0, count: hop)
    predict(.main, into: error, ago: 1)
    subtract(error, from: previousNear.buffer(at: 0, count: hop), into: error)
    let spectrum = errorSpectrum[0]
    transformSecondHalf(error, into: spectrum)
    let spread = weights.buffer(at: 0, count: bins)
    expectedError(.main, into: spread, ago: 1)
    adapt(.main, error: spectrum, spread: spread, ago: 1)
  }
}
