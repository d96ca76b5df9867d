import CVector

// The doors to the vector kernels in C, which neither allocate nor lock nor call the system. They
// use the widest vectors that the processor has; every result is summed in an order of its own,
// which depends neither on how a stretch was cut nor on what is computed beside it.

/// Sums and filters over planar samples.
public enum VectorMath {
  /// What a row's length is a multiple of.
  public static var rowUnit: Int { @_noLocks get { 16 } }

  /// `count` coefficients, filled up with zeros to a whole row.
  @_noLocks
  public static func rowLength(_ count: Int) -> Int { (count + 15) / 16 * 16 }

  /// The vectors in use: `avx512`, `avx2` or `baseline`. Control thread.
  public static var name: String { unsafe String(cString: cvector_name()) }

  /// The sum of the products of a row of coefficients and as many samples.
  ///
  /// - Parameters:
  ///   - row: A multiple of 16 coefficients; zeros at its end are good.
  ///   - samples: As many samples at least, all of them finite.
  @_semantics("no_performance_analysis")
  public static func dot(_ row: ChannelBuffer, _ samples: ChannelBuffer) -> Float {
    precondition(row.count % 16 == 0 && samples.count >= row.count, "a row is 16 long, or 32, …")
    return unsafe cvector_dot(row.start, samples.start, row.count)
  }

  /// The same of two rows against the same samples, at little more than the cost of one: a left and
  /// a right ear.
  @_semantics("no_performance_analysis")
  public static func dots(
    _ first: ChannelBuffer, _ second: ChannelBuffer, _ samples: ChannelBuffer
  ) -> (Float, Float) {
    precondition(
      first.count % 16 == 0 && second.count == first.count && samples.count >= first.count,
      "a row is 16 long, or 32, …")
    // Not a tuple's memory: without optimization that asks the run time for the tuple's type.
    var (one, other): (Float, Float) = (0, 0)
    unsafe cvector_dot_rows(first.start, second.start, samples.start, first.count, &one, &other)
    return (one, other)
  }

  /// Filters a stretch of samples: `output[n]` is the sum of `row[k] * samples[n + k]`. For a
  /// convolution the row is the impulse response backwards, and `samples` begins with the
  /// `row.count - 1` frames before the first output.
  ///
  /// - Parameters:
  ///   - row: Any number of coefficients.
  ///   - samples: `output.count + row.count - 1` frames at least.
  ///   - output: Not overlapping `samples`.
  @_semantics("no_performance_analysis")
  public static func filter(
    _ row: ChannelBuffer, _ samples: ChannelBuffer, into output: ChannelBuffer
  ) {
    precondition(samples.count >= output.count + row.count - 1, "the samples are too few")
    unsafe cvector_fir(row.start, row.count, samples.start, output.start, output.count)
  }

  /// The same with two rows of one length, into two outputs of one length.
  @_semantics("no_performance_analysis")
  public static func filter(
    _ first: ChannelBuffer, _ second: ChannelBuffer, _ samples: ChannelBuffer,
    into firstOutput: ChannelBuffer, _ secondOutput: ChannelBuffer
  ) {
    precondition(
      first.count == second.count && firstOutput.count == secondOutput.count
        && samples.count >= firstOutput.count + first.count - 1, "the samples are too few")
    unsafe cvector_fir_rows(
      first.start, second.start, first.count, samples.start, firstOutput.start,
      secondOutput.start, firstOutput.count)
  }
}

// MARK: - For the resampler

/// `rows` (1 to 4) neighbouring rows of `count` coefficients against one channel.
@_semantics("no_performance_analysis")
func dotBlock(
  _ row: UnsafePointer<Float>, rows: Int, _ samples: UnsafePointer<Float>, count: Int,
  into sums: UnsafeMutablePointer<Float>
) {
  unsafe cvector_dot_block(row, rows, samples, count, sums)
}

/// The same against two channels.
@_semantics("no_performance_analysis")
func dotBlock(
  _ row: UnsafePointer<Float>, rows: Int, _ first: UnsafePointer<Float>,
  _ second: UnsafePointer<Float>, count: Int, into firstSums: UnsafeMutablePointer<Float>,
  _ secondSums: UnsafeMutablePointer<Float>
) {
  unsafe cvector_dot_block_channels(row, rows, first, second, count, firstSums, secondSums)
}

/// The sum of four neighbouring rows, each times its weight.
@_semantics("no_performance_analysis")
func blendRows(
  _ rows: UnsafePointer<Float>, count: Int, _ w0: Float, _ w1: Float, _ w2: Float, _ w3: Float,
  into row: UnsafeMutablePointer<Float>
) {
  unsafe cvector_blend(rows, count, w0, w1, w2, w3, count, row)
}

/// A filter between the frames of one channel, or of two where there is a `second`: see
/// `cvector_walk`. The step and its increment are in 2^-64 frames.
@_semantics("no_performance_analysis")
func walk(
  _ rows: UnsafePointer<Float>, rowCount: Int, width: Int, fraction: UInt64, step: Int128,
  increment: Int128, _ first: UnsafePointer<Float>, _ second: UnsafePointer<Float>?, frames: Int,
  into firstOutput: UnsafeMutablePointer<Float>, _ secondOutput: UnsafeMutablePointer<Float>?
) {
  var places = cvector_places(
    fraction: fraction, step_high: Int64(truncatingIfNeeded: step &>> 64),
    step_low: UInt64(truncatingIfNeeded: step),
    increment_high: Int64(truncatingIfNeeded: increment &>> 64),
    increment_low: UInt64(truncatingIfNeeded: increment))
  unsafe cvector_walk(
    rows, rowCount, width, &places, first, second, frames, firstOutput, secondOutput)
}

/// Copies samples; what is not finite becomes 0.
@_semantics("no_performance_analysis")
func copyFinite(
  _ samples: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, count: Int
) {
  unsafe cvector_copy_finite(samples, output, count)
}

// MARK: - For the pair convolver

/// Adds the product of two spectra, real and imaginary parts apart; `count` is a multiple of 16.
@_semantics("no_performance_analysis")
func addProduct(
  _ real: UnsafePointer<Float>, _ imaginary: UnsafePointer<Float>,
  _ filterReal: UnsafePointer<Float>, _ filterImaginary: UnsafePointer<Float>, count: Int,
  to sumReal: UnsafeMutablePointer<Float>, _ sumImaginary: UnsafeMutablePointer<Float>
) {
  unsafe cvector_spectrum_add(
    real, imaginary, filterReal, filterImaginary, count, sumReal, sumImaginary)
}

/// Adds samples times a gain; `count` is a multiple of 16.
@_semantics("no_performance_analysis")
func addScaled(
  _ samples: UnsafePointer<Float>, _ gain: Float, count: Int, to sum: UnsafeMutablePointer<Float>
) {
  unsafe cvector_add_scaled(samples, gain, count, sum)
}

// MARK: - For the paced reader

/// One row over time.
@_semantics("no_performance_analysis")
func filterBlock(
  _ row: UnsafePointer<Float>, count: Int, _ samples: UnsafePointer<Float>,
  into output: UnsafeMutablePointer<Float>, frameCount: Int
) {
  unsafe cvector_fir(row, count, samples, output, frameCount)
}
