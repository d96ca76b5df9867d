import CKissFFT
import CVector

/// The discrete Fourier transform of real samples, and its inverse, in floats, for even lengths
/// whose prime factors are 2, 3 and 5. Powers of two from 128 to 16384, and three times those from
/// 128 to 4096, use our own transform, with the vectors in use; other lengths use kissfft.
///
/// A plan and its scratch memory are made on the control thread. The transforms neither allocate
/// nor lock nor call the system. One thread at a time may use them, because they share the scratch
/// memory. kissfft would allocate for a complex transform in place, for factors above 5 and for a
/// length of 2; none of these occurs here.
///
/// Spectra have separate real and imaginary parts, so that loops over them vectorize.
///
/// `@safe`: it owns its memory, and each transform checks the lengths of its buffers.
@safe
public struct RealFFT: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: it owns its memory, and one thread at a time uses it.
  /// The number of samples.
  public let length: Int
  /// The number of bins: `length / 2 + 1`, from 0 Hz to half the sample rate.
  public var binCount: Int { @_noLocks get { length / 2 + 1 } }

  // For our own transform.
  private let isOwn: Bool
  private let factors: SampleStorage
  private let memory: SampleStorage

  // For kissfft.
  private let forwardPlan: OpaquePointer?
  private let inversePlan: OpaquePointer?
  /// kissfft's numbers, and the same memory as pairs of floats: in a debug build a loop over the
  /// former would ask for their metadata, on the heap.
  private let bins: UnsafeMutablePointer<kiss_fft_cpx>
  private let pairs: UnsafeMutablePointer<Float>

  /// - Parameter length: Even, from 4 to 2^24, with no prime factors but 2, 3 and 5.
  public init(length: Int) {
    precondition(
      length >= 4 && length <= 1 << 24 && length % 2 == 0 && Self.hasSmallFactors(length),
      "the length of a transform is even, from 4 to 2^24, of the factors 2, 3 and 5")
    self.length = length
    isOwn = Self.isFast(length)
    factors = SampleStorage(repeating: 0, count: isOwn ? cvector_fft_factor_count(length) : 1)
    memory = SampleStorage(repeating: 0, count: isOwn ? cvector_fft_memory_count(length) : 1)
    let pairCount = isOwn ? 2 : length + 2
    let room = UnsafeMutableRawPointer.allocate(
      byteCount: pairCount * MemoryLayout<Float>.stride, alignment: 64)
    unsafe pairs = room.bindMemory(to: Float.self, capacity: pairCount)
    unsafe pairs.initialize(repeating: 0, count: pairCount)
    unsafe bins = room.assumingMemoryBound(to: kiss_fft_cpx.self)
    if isOwn {
      unsafe cvector_fft_factors(length, factors.start)
      unsafe forwardPlan = nil
      unsafe inversePlan = nil
    } else {
      guard let forward = unsafe kiss_fftr_alloc(Int32(length), 0, nil, nil),
        let inverse = unsafe kiss_fftr_alloc(Int32(length), 1, nil, nil)
      else { preconditionFailure("there is no memory for a transform of \(length) samples") }
      unsafe forwardPlan = forward
      unsafe inversePlan = inverse
    }
  }

  /// Whether our own transform, which is faster than kissfft, has this length.
  public static func isFast(_ length: Int) -> Bool {
    func isPower(_ length: Int) -> Bool { length >= 128 && length & (length - 1) == 0 }
    return length <= 16_384 && (isPower(length) || length % 3 == 0 && isPower(length / 3))
  }

  /// Whether 2, 3 and 5 are the only prime factors of a length.
  public static func hasSmallFactors(_ length: Int) -> Bool {
    var rest = length
    for factor in [2, 3, 5] { while rest > 0 && rest % factor == 0 { rest /= factor } }
    return rest == 1
  }

  deinit {
    unsafe free(forwardPlan.map { unsafe UnsafeMutableRawPointer($0) })
    unsafe free(inversePlan.map { unsafe UnsafeMutableRawPointer($0) })
    unsafe pairs.deallocate()
  }

  /// Transforms the first `length` samples: bin k becomes Σ x[n] e^(-2πi k n / length).
  ///
  /// - Parameters:
  ///   - samples: At least `length` of them.
  ///   - real: Room for `binCount` numbers.
  ///   - imaginary: Room for `binCount` numbers; the first and the last become 0.
  @_noLocks
  public mutating func forward(
    _ samples: ChannelBuffer, real: ChannelBuffer, imaginary: ChannelBuffer
  ) {
    precondition(
      samples.count >= length && real.count >= binCount && imaginary.count >= binCount,
      "the buffers are as long as the transform")
    guard let forwardPlan = unsafe forwardPlan else {
      return ownTransform(samples, real, imaginary)
    }
    unsafe transform(forwardPlan, samples)
    let real = unsafe real.start
    let imaginary = unsafe imaginary.start
    for bin in 0..<binCount {
      unsafe real[bin] = pairs[2 * bin]
      unsafe imaginary[bin] = pairs[2 * bin + 1]
    }
  }

  /// The inverse transform, scaled so that it undoes `forward`.
  ///
  /// - Parameters:
  ///   - real: `binCount` numbers.
  ///   - imaginary: `binCount` numbers; the first and the last count as 0.
  ///   - samples: Room for `length` of them.
  @_noLocks
  public mutating func inverse(
    real: ChannelBuffer, imaginary: ChannelBuffer, into samples: ChannelBuffer
  ) {
    precondition(
      samples.count >= length && real.count >= binCount && imaginary.count >= binCount,
      "the buffers are as long as the transform")
    guard let inversePlan = unsafe inversePlan else {
      return ownTransformBack(real, imaginary, samples)
    }
    let realStart = unsafe real.start
    let imaginaryStart = unsafe imaginary.start
    // For a power of two, scaling here is exact.
    let scale = 1 / Float(length)
    for bin in 0..<binCount {
      unsafe pairs[2 * bin] = realStart[bin] * scale
      unsafe pairs[2 * bin + 1] = imaginaryStart[bin] * scale
    }
    unsafe pairs[1] = 0
    unsafe pairs[length + 1] = 0
    unsafe transformBack(inversePlan, samples)
  }

  // The checker cannot see into C.
  @_semantics("no_performance_analysis")
  private func ownTransform(
    _ samples: ChannelBuffer, _ real: ChannelBuffer, _ imaginary: ChannelBuffer
  ) {
    unsafe cvector_fft_forward(
      factors.start, memory.start, length, samples.start, real.start, imaginary.start)
  }

  @_semantics("no_performance_analysis")
  private func ownTransformBack(
    _ real: ChannelBuffer, _ imaginary: ChannelBuffer, _ samples: ChannelBuffer
  ) {
    unsafe cvector_fft_inverse(
      factors.start, memory.start, length, real.start, imaginary.start, samples.start)
  }

  @_semantics("no_performance_analysis")
  private func transform(_ plan: OpaquePointer, _ samples: ChannelBuffer) {
    unsafe kiss_fftr(plan, samples.start, bins)
  }

  @_semantics("no_performance_analysis")
  private func transformBack(_ plan: OpaquePointer, _ samples: ChannelBuffer) {
    unsafe kiss_fftri(plan, bins, samples.start)
  }
}
