/// A spectrum of a real signal, with separate real and imaginary parts.
///
/// Each operation checks the lengths once and then loops without checks, so that it vectorizes.
@safe
public struct Spectrum: BitwiseCopyable {
  /// The real part of each bin, from 0 Hz up.
  public let real: ChannelBuffer
  /// The imaginary part of each bin.
  public let imaginary: ChannelBuffer
  /// The number of bins.
  public var count: Int { @_noLocks get { real.count } }

  @_noLocks
  init(real: ChannelBuffer, imaginary: ChannelBuffer) {
    self.real = real
    self.imaginary = imaginary
  }

  /// Sets all bins to 0.
  @_noLocks
  public func clear() {
    real.clear()
    imaginary.clear()
  }

  /// Copies another spectrum with as many bins.
  @_noLocks
  public func copy(from source: Spectrum) {
    real.copy(from: source.real)
    imaginary.copy(from: source.imaginary)
  }

  /// Adds `factor` times another spectrum.
  @_noLocks
  public func add(_ other: Spectrum, times factor: Float) {
    precondition(other.count >= count, "the spectra are as long as each other")
    let (re, im) = unsafe (real.start, imaginary.start)
    let (otherRe, otherIm) = unsafe (other.real.start, other.imaginary.start)
    for bin in 0..<count {
      unsafe re[bin] += factor * otherRe[bin]
      unsafe im[bin] += factor * otherIm[bin]
    }
  }

  /// Adds the product of two spectra.
  @_noLocks
  public func add(_ a: Spectrum, times b: Spectrum) {
    precondition(a.count >= count && b.count >= count, "the spectra are as long as each other")
    let (re, im) = unsafe (real.start, imaginary.start)
    let (aRe, aIm) = unsafe (a.real.start, a.imaginary.start)
    let (bRe, bIm) = unsafe (b.real.start, b.imaginary.start)
    for bin in 0..<count {
      unsafe re[bin] += aRe[bin] * bRe[bin] - aIm[bin] * bIm[bin]
      unsafe im[bin] += aRe[bin] * bIm[bin] + aIm[bin] * bRe[bin]
    }
  }

  /// Sets each bin to `factors` times the conjugate of `a` times `b`.
  @_noLocks
  public func set(_ factors: ChannelBuffer, conjugate a: Spectrum, times b: Spectrum) {
    precondition(
      factors.count >= count && a.count >= count && b.count >= count,
      "the spectra are as long as each other")
    let (re, im) = unsafe (real.start, imaginary.start)
    let (aRe, aIm) = unsafe (a.real.start, a.imaginary.start)
    let (bRe, bIm) = unsafe (b.real.start, b.imaginary.start)
    let gain = unsafe factors.start
    for bin in 0..<count {
      unsafe re[bin] = gain[bin] * (aRe[bin] * bRe[bin] + aIm[bin] * bIm[bin])
      unsafe im[bin] = gain[bin] * (aRe[bin] * bIm[bin] - aIm[bin] * bRe[bin])
    }
  }

  /// Adds to each bin `scale` times `factors` times the conjugate of `a` times `b`.
  @_noLocks
  public func add(
    _ factors: ChannelBuffer, _ scale: Float, conjugate a: Spectrum, times b: Spectrum
  ) {
    precondition(
      factors.count >= count && a.count >= count && b.count >= count,
      "the spectra are as long as each other")
    let (re, im) = unsafe (real.start, imaginary.start)
    let (aRe, aIm) = unsafe (a.real.start, a.imaginary.start)
    let (bRe, bIm) = unsafe (b.real.start, b.imaginary.start)
    let gain = unsafe factors.start
    for bin in 0..<count {
      let factor = unsafe scale * gain[bin]
      unsafe re[bin] += factor * (aRe[bin] * bRe[bin] + aIm[bin] * bIm[bin])
      unsafe im[bin] += factor * (aRe[bin] * bIm[bin] - aIm[bin] * bRe[bin])
    }
  }

  /// Updates a running mean: `1 - share` of itself plus `share` of the conjugate of `a` times `b`.
  @_noLocks
  public func average(share: Float, conjugate a: Spectrum, times b: Spectrum) {
    precondition(a.count >= count && b.count >= count, "the spectra are as long as each other")
    let (re, im) = unsafe (real.start, imaginary.start)
    let (aRe, aIm) = unsafe (a.real.start, a.imaginary.start)
    let (bRe, bIm) = unsafe (b.real.start, b.imaginary.start)
    let rest = 1 - share
    for bin in 0..<count {
      unsafe re[bin] = rest * re[bin] + share * (aRe[bin] * bRe[bin] + aIm[bin] * bIm[bin])
      unsafe im[bin] = rest * im[bin] + share * (aRe[bin] * bIm[bin] - aIm[bin] * bRe[bin])
    }
  }

  /// Multiplies each bin by its own factor.
  @_noLocks
  public func multiply(by factors: ChannelBuffer) {
    precondition(factors.count >= count, "a factor for each bin")
    let (re, im) = unsafe (real.start, imaginary.start)
    let gain = unsafe factors.start
    for bin in 0..<count {
      unsafe re[bin] *= gain[bin]
      unsafe im[bin] *= gain[bin]
    }
  }

  /// Multiplies all bins by one factor.
  @_noLocks
  public func multiply(by factor: Float) {
    let (re, im) = unsafe (real.start, imaginary.start)
    for bin in 0..<count {
      unsafe re[bin] *= factor
      unsafe im[bin] *= factor
    }
  }

  /// The squared magnitude of each bin.
  @_noLocks
  public func power(into result: ChannelBuffer) {
    precondition(result.count >= count, "room for each bin")
    let (re, im) = unsafe (real.start, imaginary.start)
    let power = unsafe result.start
    for bin in 0..<count { unsafe power[bin] = re[bin] * re[bin] + im[bin] * im[bin] }
  }

  /// The real part of the sum over all bins of `weights` times this spectrum times the conjugate of
  /// `other`.
  @_noLocks
  public func correlation(with other: Spectrum, weights: ChannelBuffer) -> Double {
    precondition(
      other.count >= count && weights.count >= count, "the spectra are as long as each other")
    let (re, im) = unsafe (real.start, imaginary.start)
    let (otherRe, otherIm) = unsafe (other.real.start, other.imaginary.start)
    let weight = unsafe weights.start
    var sum = 0.0
    for bin in 0..<count {
      sum += unsafe Double(weight[bin] * (re[bin] * otherRe[bin] + im[bin] * otherIm[bin]))
    }
    return sum
  }
}

/// Spectra of one length that a kernel owns; never resized.
@safe
public struct SpectrumStorage: ~Copyable, Sendable {
  private let memory: SampleStorage
  /// The number of spectra.
  public let rowCount: Int
  /// The number of bins of each.
  public let binCount: Int

  /// Allocates spectra of zeros.
  public init(rowCount: Int, binCount: Int) {
    memory = SampleStorage(repeating: 0, count: 2 * rowCount * binCount)
    self.rowCount = rowCount
    self.binCount = binCount
  }

  /// One of the spectra. An index out of range ends the process.
  public subscript(row: Int) -> Spectrum {
    @_noLocks get {
      precondition(row >= 0 && row < rowCount, "row out of range")
      return Spectrum(
        real: memory.buffer(at: 2 * row * binCount, count: binCount),
        imaginary: memory.buffer(at: (2 * row + 1) * binCount, count: binCount))
    }
  }
}

extension ChannelBuffer {
  /// Adds the products of two buffers, sample by sample.
  @_noLocks
  public func add(_ a: ChannelBuffer, times b: ChannelBuffer) {
    precondition(a.count >= count && b.count >= count, "the stretches are as long as each other")
    let (sum, a, b) = unsafe (start, a.start, b.start)
    for index in 0..<count { unsafe sum[index] += a[index] * b[index] }
  }

  /// Adds `factor` times another buffer.
  @_noLocks
  public func add(_ other: ChannelBuffer, times factor: Float) {
    precondition(other.count >= count, "the stretches are as long as each other")
    let (sum, other) = unsafe (start, other.start)
    for index in 0..<count { unsafe sum[index] += factor * other[index] }
  }

  /// The sum of the squares of the samples.
  @_noLocks
  public func energy() -> Float {
    let samples = unsafe start
    var sum: Float = 0
    for index in 0..<count { sum += unsafe samples[index] * samples[index] }
    return sum
  }

  /// The sum of the samples.
  @_noLocks
  public func sum() -> Float {
    let samples = unsafe start
    var sum: Float = 0
    for index in 0..<count { sum += unsafe samples[index] }
    return sum
  }
}

extension RealFFT {
  /// Transforms `samples`, at least `length` of them.
  @_noLocks
  public mutating func forward(_ samples: ChannelBuffer, into spectrum: Spectrum) {
    forward(samples, real: spectrum.real, imaginary: spectrum.imaginary)
  }

  /// Transforms a spectrum back into `length` samples.
  @_noLocks
  public mutating func inverse(_ spectrum: Spectrum, into samples: ChannelBuffer) {
    inverse(real: spectrum.real, imaginary: spectrum.imaginary, into: samples)
  }
}

/// The update of an adaptive filter's uncertainty and step size: a diagonal Kalman filter in the
/// frequency domain (G. Enzner and P. Vary, "Frequency-domain adaptive Kalman filter for acoustic
/// echo control in hands-free telephones", Signal Processing 86, 2006).
public enum KalmanBins {
  /// `gains = variance / (spread + 2 noise + floor)`.
  @_noLocks
  public static func gains(
    _ gains: ChannelBuffer, variance: ChannelBuffer, spread: ChannelBuffer, noise: ChannelBuffer,
    floor: Float
  ) {
    let count = gains.count
    precondition(
      variance.count >= count && spread.count >= count && noise.count >= count,
      "the stretches are as long as each other")
    let (gain, p, s, n) = unsafe (gains.start, variance.start, spread.start, noise.start)
    for bin in 0..<count { unsafe gain[bin] = p[bin] / (s[bin] + 2 * n[bin] + floor) }
  }

  /// `variance = a² (1 - rate gain power) variance + (1 - a²) |coefficients|²`, at least `least`.
  @_noLocks
  public static func settle(
    _ variance: ChannelBuffer, gains: ChannelBuffer, power: ChannelBuffer, rate: Float,
    forgetting: Float, coefficients: Spectrum, least: Float
  ) {
    let count = variance.count
    precondition(
      gains.count >= count && power.count >= count && coefficients.count >= count,
      "the stretches are as long as each other")
    let (p, gain, x2) = unsafe (variance.start, gains.start, power.start)
    let (re, im) = unsafe (coefficients.real.start, coefficients.imaginary.start)
    let kept = forgetting * forgetting
    for bin in 0..<count {
      let size = unsafe re[bin] * re[bin] + im[bin] * im[bin]
      let next = unsafe kept * (1 - rate * gain[bin] * x2[bin]) * p[bin] + (1 - kept) * size
      unsafe p[bin] = next > least ? next : least
    }
  }
}
