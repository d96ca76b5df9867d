import CVector

// Calls of the vector kernels are not checked for locks and allocations: the checker cannot see
// into C.

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

  /// Updates a running mean: `1 - share` of itself plus `share` of the conjugate of `a` times `b`.
  @_semantics("no_performance_analysis")
  public func average(share: Float, conjugate a: Spectrum, times b: Spectrum) {
    precondition(a.count >= count && b.count >= count, "the spectra are as long as each other")
    unsafe cvector_spectrum_average(
      a.real.start, a.imaginary.start, b.real.start, b.imaginary.start, share, count, real.start,
      imaginary.start)
  }

  /// The sum over all bins of the squared magnitude divided by the product of the two powers
  /// `first` and `second` plus `least`.
  @_semantics("no_performance_analysis")
  public func coherence(_ first: ChannelBuffer, _ second: ChannelBuffer, least: Float) -> Float {
    precondition(first.count >= count && second.count >= count, "a power for each bin")
    return unsafe cvector_coherence(
      real.start, imaginary.start, first.start, second.start, least, count)
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
  /// The distance from the real to the imaginary parts, and from there to the next row.
  private let width: Int

  /// Allocates spectra of zeros.
  public init(rowCount: Int, binCount: Int) {
    width = VectorMath.rowLength(binCount)
    memory = SampleStorage(repeating: 0, count: 2 * rowCount * width)
    self.rowCount = rowCount
    self.binCount = binCount
  }

  /// One of the spectra. An index out of range ends the process.
  public subscript(row: Int) -> Spectrum {
    @_noLocks get {
      precondition(row >= 0 && row < rowCount, "row out of range")
      return Spectrum(
        real: memory.buffer(at: 2 * row * width, count: binCount),
        imaginary: memory.buffer(at: (2 * row + 1) * width, count: binCount))
    }
  }

  /// Adds to `sum` the products of `count` rows, from `row` on, with as many rows of another storage, in order.
  @_semantics("no_performance_analysis")
  public func addProducts(
    _ count: Int, from row: Int, times other: borrowing SpectrumStorage, from otherRow: Int,
    to sum: Spectrum
  ) {
    precondition(
      count >= 0 && row >= 0 && row + count <= rowCount && otherRow >= 0
        && otherRow + count <= other.rowCount && other.binCount == binCount
        && sum.count == binCount, "the rows are there, and as long as the sum")
    guard count > 0 else { return }
    unsafe cvector_spectrum_rows(
      memory.start + 2 * row * width, other.memory.start + 2 * otherRow * width, width, count,
      binCount, sum.real.start, sum.imaginary.start)
  }
}

/// Rows of numbers that a kernel owns, all of one length, never resized.
@safe
public struct RowStorage: ~Copyable, Sendable {
  private let memory: SampleStorage
  /// The number of rows.
  public let rowCount: Int
  /// The number of numbers in each row.
  public let count: Int
  /// The distance from one row to the next.
  private let width: Int

  /// Allocates rows of zeros.
  public init(rowCount: Int, count: Int) {
    width = VectorMath.rowLength(count)
    memory = SampleStorage(repeating: 0, count: rowCount * width)
    self.rowCount = rowCount
    self.count = count
  }

  /// One of the rows; one that is out of range ends the process.
  public subscript(row: Int) -> ChannelBuffer {
    @_noLocks get {
      precondition(row >= 0 && row < rowCount, "row out of range")
      return memory.buffer(at: row * width, count: count)
    }
  }

  /// Adds to `sum` the products of `number` rows, from `row` on, with as many rows of another storage, in order.
  @_semantics("no_performance_analysis")
  public func addProducts(
    _ number: Int, from row: Int, times other: borrowing RowStorage, from otherRow: Int,
    to sum: ChannelBuffer
  ) {
    precondition(
      number >= 0 && row >= 0 && row + number <= rowCount && otherRow >= 0
        && otherRow + number <= other.rowCount && other.count == count && sum.count == count,
      "the rows are there, and as long as the sum")
    guard number > 0 else { return }
    unsafe cvector_product_rows(
      memory.start + row * width, other.memory.start + otherRow * width, width, number, count,
      sum.start)
  }

  /// Adds all rows to `sum`, each multiplied by its own gain, in order.
  @_semantics("no_performance_analysis")
  public func addRows(times gains: ChannelBuffer, to sum: ChannelBuffer) {
    precondition(gains.count == rowCount && sum.count == count, "a gain for each row")
    unsafe cvector_scaled_rows(
      memory.start, gains.start, width, rowCount, count, sum.start)
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
  /// Computes the factor from a variance to a step size: `trust = 1 / (spread + 2 noise + floor)`.
  @_noLocks
  public static func trust(
    _ trust: ChannelBuffer, spread: ChannelBuffer, noise: ChannelBuffer, floor: Float
  ) {
    let count = trust.count
    precondition(
      spread.count >= count && noise.count >= count, "the stretches are as long as each other")
    let (result, s, n) = unsafe (trust.start, spread.start, noise.start)
    for bin in 0..<count { unsafe result[bin] = 1 / (s[bin] + 2 * n[bin] + floor) }
  }

  /// Adds `variance` times the conjugate of `far` times `error` to the coefficients and multiplies them by the
  /// forgetting factor a. Then `variance = a² (1 - rate variance trust power) variance + (1 - a²)
  /// |coefficients|²`, at least `least`.
  ///
  /// - Parameters:
  ///   - power: The power of `far`.
  ///   - error: The error, already multiplied by `trust`.
  @_semantics("no_performance_analysis")
  public static func adapt(
    _ coefficients: Spectrum, _ variance: ChannelBuffer, far: Spectrum, power: ChannelBuffer,
    error: Spectrum, trust: ChannelBuffer, rate: Float, forgetting: Float, least: Float
  ) {
    let count = coefficients.count
    precondition(
      variance.count >= count && far.count >= count && power.count >= count
        && error.count >= count && trust.count >= count, "the stretches are as long as each other")
    var step = unsafe cvector_adaptation(
      far_re: far.real.start, far_im: far.imaginary.start, power: power.start,
      error_re: error.real.start, error_im: error.imaginary.start, trust: trust.start,
      forgetting: forgetting, rate: rate, least: least)
    unsafe cvector_adapt(
      &step, count, variance.start, coefficients.real.start, coefficients.imaginary.start)
  }

  /// Adds `rate` times `variance` times the conjugate of `far` times `error` to the coefficients. The error has
  /// been multiplied by `trust`.
  @_semantics("no_performance_analysis")
  public static func approach(
    _ coefficients: Spectrum, _ variance: ChannelBuffer, far: Spectrum, error: Spectrum,
    rate: Float
  ) {
    let count = coefficients.count
    precondition(
      variance.count >= count && far.count >= count && error.count >= count,
      "the stretches are as long as each other")
    unsafe cvector_approach(
      far.real.start, far.imaginary.start, error.real.start, error.imaginary.start, rate, count,
      variance.start, coefficients.real.start, coefficients.imaginary.start)
  }
}
