import CKissFFT

/// The discrete Fourier transform of real samples, and its inverse, in an even length without prime
/// factors above 5: kissfft's, in floats.
///
/// A plan and its scratch memory are made on the control thread. The transforms neither allocate
/// nor lock nor call the system, and belong on one thread at a time, since they share the scratch
/// memory. kissfft allocates for a complex transform in place, for factors above 5 and for a
/// length of 2: none of these happens here.
///
/// Spectra have their real and their imaginary parts apart, so that loops over them vectorize.
///
/// `@safe`: it owns what it points to, and each transform checks the lengths of its buffers.
@safe
public struct RealFFT: ~Copyable, @unchecked Sendable {
  /// How many samples there are.
  public let length: Int
  /// How many bins a spectrum has: `length / 2 + 1`, from 0 Hz to half the sample rate.
  public var binCount: Int { @_noLocks get { length / 2 + 1 } }

  private let forwardPlan: OpaquePointer
  private let inversePlan: OpaquePointer
  /// kissfft's numbers, and the same memory as pairs of floats: a loop over the former would make
  /// a debug build ask for their metadata, on the heap.
  private let bins: UnsafeMutablePointer<kiss_fft_cpx>
  private let pairs: UnsafeMutablePointer<Float>

  /// - Parameter length: Even, from 4 to 2^24, with no prime factor but 2, 3 and 5.
  public init(length: Int) {
    precondition(
      length >= 4 && length <= 1 << 24 && length % 2 == 0 && Self.hasSmallFactors(length),
      "the length of a transform is even, from 4 to 2^24, of the factors 2, 3 and 5")
    guard let forward = unsafe kiss_fftr_alloc(Int32(length), 0, nil, nil),
      let inverse = unsafe kiss_fftr_alloc(Int32(length), 1, nil, nil)
    else { preconditionFailure("there is no memory for a transform of \(length) samples") }
    self.length = length
    unsafe forwardPlan = forward
    unsafe inversePlan = inverse
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: (length + 2) * MemoryLayout<Float>.stride, alignment: 64)
    unsafe pairs = memory.bindMemory(to: Float.self, capacity: length + 2)
    unsafe pairs.initialize(repeating: 0, count: length + 2)
    unsafe bins = memory.assumingMemoryBound(to: kiss_fft_cpx.self)
  }

  /// Whether 2, 3 and 5 are the only prime factors of a length.
  public static func hasSmallFactors(_ length: Int) -> Bool {
    var rest = length
    for factor in [2, 3, 5] { while rest > 0 && rest % factor == 0 { rest /= factor } }
    return rest == 1
  }

  deinit {
    unsafe free(UnsafeMutableRawPointer(forwardPlan))
    unsafe free(UnsafeMutableRawPointer(inversePlan))
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
    unsafe Self.transform(forwardPlan, samples.start, bins)
    let real = unsafe real.start
    let imaginary = unsafe imaginary.start
    for bin in 0..<binCount {
      unsafe real[bin] = pairs[2 * bin]
      unsafe imaginary[bin] = pairs[2 * bin + 1]
    }
  }

  /// Transforms a spectrum back, scaled, so that it undoes `forward`.
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
    unsafe Self.transformBack(inversePlan, bins, samples.start)
  }

  // The checker cannot see into C.
  @_semantics("no_performance_analysis")
  private static func transform(
    _ plan: OpaquePointer, _ samples: UnsafePointer<Float>,
    _ bins: UnsafeMutablePointer<kiss_fft_cpx>
  ) {
    unsafe kiss_fftr(plan, samples, bins)
  }

  @_semantics("no_performance_analysis")
  private static func transformBack(
    _ plan: OpaquePointer, _ bins: UnsafePointer<kiss_fft_cpx>,
    _ samples: UnsafeMutablePointer<Float>
  ) {
    unsafe kiss_fftri(plan, bins, samples)
  }
}
