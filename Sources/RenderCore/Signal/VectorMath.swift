import CVector
import Glibc

// The functions that call the vector kernels in C, which neither allocate nor lock nor call the
// system. They use the widest vectors of the processor. Every result is summed in a fixed order,
// which depends neither on how a stretch was cut nor on what is computed beside it.

/// Sums and filters over planar samples.
public enum VectorMath {
  /// `count` rounded up to a whole row.
  @_noLocks
  public static func rowLength(_ count: Int) -> Int { (count + 15) / 16 * 16 }

  /// The kernels in use: `avx512`, `avx2`, `neon` or `baseline`. Control thread.
  public static var name: String { unsafe String(cString: cvector_name()) }

  /// The kernels that this processor supports, the simplest first. `baseline` is always among them;
  /// all give the same bits. Control thread.
  public static var names: [String] {
    var names: [String] = []
    while let kind = unsafe cvector_kind(Int32(names.count)) {
      names.append(unsafe String(cString: kind.pointee.name))
    }
    return names
  }

  /// Selects the kernels. Call it before the first render, and before other threads start.
  ///
  /// - Returns: Whether this processor supports them; otherwise nothing changes.
  public static func choose(_ name: String) -> Bool { unsafe cvector_choose(name) != 0 }

  /// The largest magnitude, as the bits of a float: magnitudes have the order of their bits, with
  /// infinity above every number and NaN above infinity.
  @_semantics("no_performance_analysis")
  public static func largest(_ samples: ChannelBuffer) -> UInt32 {
    unsafe cvector_largest(samples.start, samples.count)
  }

  /// Copies samples. Returns the largest magnitude, as `largest(_:)` does.
  @_semantics("no_performance_analysis")
  public static func copy(
    _ samples: ChannelBuffer, into output: UnsafeMutablePointer<Float>
  ) -> UInt32 {
    unsafe cvector_copy(samples.start, samples.count, output)
  }

  /// The largest magnitude of floats given as bytes.
  public static func largest(of floats: Span<UInt8>) -> UInt32 {
    unsafe floats.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe cvector_largest(base.assumingMemoryBound(to: Float.self), bytes.count / 4)
    }
  }

  /// White noise: see `cvector_noise`.
  @_semantics("no_performance_analysis")
  public static func noise(
    _ state: UInt64, gain: Double, count: Int, into output: ChannelBuffer
  ) {
    precondition(count >= 0 && count <= output.count, "the buffer holds the noise")
    unsafe cvector_noise(state, gain, count, output.start)
  }

  /// Multiplies every sample by a gain, in place.
  @_semantics("no_performance_analysis")
  public static func scale(_ samples: ChannelBuffer, by gain: Float) {
    unsafe cvector_scale(samples.start, gain, samples.count)
  }

  /// Multiplies every sample by a gain, into another channel of the same length, or the same one.
  @_semantics("no_performance_analysis")
  public static func multiply(
    _ samples: ChannelBuffer, by gain: Float, into output: ChannelBuffer
  ) {
    precondition(samples.count == output.count, "both channels are as long")
    unsafe cvector_multiply(samples.start, gain, output.count, output.start)
  }

  /// Multiplies two channels by a gain each, into two others of the same length. The result has the
  /// same bits as a mix of one signal by `WaitingSignals`.
  @_semantics("no_performance_analysis")
  public static func amplify(
    _ left: ChannelBuffer, by leftGain: Float, _ right: ChannelBuffer, by rightGain: Float,
    into leftOutput: ChannelBuffer, _ rightOutput: ChannelBuffer
  ) {
    let count = leftOutput.count
    precondition(
      left.count == count && right.count == count && rightOutput.count == count,
      "all channels are as long")
    unsafe cvector_amplify(
      left.start, leftGain, right.start, rightGain, count, leftOutput.start, rightOutput.start)
  }

  /// The sum of the products of a row of coefficients with samples.
  ///
  /// - Parameters:
  ///   - row: A multiple of 16 coefficients; fill up with zeros.
  ///   - samples: At least as many samples, all finite.
  @_semantics("no_performance_analysis")
  public static func dot(_ row: ChannelBuffer, _ samples: ChannelBuffer) -> Float {
    precondition(row.count % 16 == 0 && samples.count >= row.count, "a row is 16 long, or 32, …")
    return unsafe cvector_dot(row.start, samples.start, row.count)
  }

  /// The sums for two rows and the same samples, as for a left and a right ear, at little more than
  /// the cost of one.
  @_semantics("no_performance_analysis")
  public static func dots(
    _ first: ChannelBuffer, _ second: ChannelBuffer, _ samples: ChannelBuffer
  ) -> (Float, Float) {
    precondition(
      first.count % 16 == 0 && second.count == first.count && samples.count >= first.count,
      "a row is 16 long, or 32, …")
    // Not into a tuple: without optimization its memory asks the run time for the tuple's type.
    var (one, other): (Float, Float) = (0, 0)
    unsafe cvector_dot_rows(first.start, second.start, samples.start, first.count, &one, &other)
    return (one, other)
  }

  /// Filters samples: `output[n]` is the sum of `row[k] * samples[n + k]`. For a convolution `row`
  /// is the impulse response backwards, and `samples` begins with the `row.count - 1` frames before
  /// the first output.
  ///
  /// - Parameters:
  ///   - row: Any number of coefficients.
  ///   - samples: At least `output.count + row.count - 1` frames.
  ///   - output: Must not overlap `samples`.
  @_semantics("no_performance_analysis")
  public static func filter(
    _ row: ChannelBuffer, _ samples: ChannelBuffer, into output: ChannelBuffer
  ) {
    precondition(samples.count >= output.count + row.count - 1, "the samples are too few")
    unsafe cvector_fir(row.start, row.count, samples.start, output.start, output.count)
  }

  /// Filters samples with two rows of one length, into two outputs of one length.
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

/// The sums for `rows` (1 to 4) successive rows of `count` coefficients and one channel.
@_semantics("no_performance_analysis")
func dotBlock(
  _ row: UnsafePointer<Float>, rows: Int, _ samples: UnsafePointer<Float>, count: Int,
  into sums: UnsafeMutablePointer<Float>
) {
  unsafe cvector_dot_block(row, rows, samples, count, sums)
}

/// The sums for one to four rows and two channels.
@_semantics("no_performance_analysis")
func dotBlock(
  _ row: UnsafePointer<Float>, rows: Int, _ first: UnsafePointer<Float>,
  _ second: UnsafePointer<Float>, count: Int, into firstSums: UnsafeMutablePointer<Float>,
  _ secondSums: UnsafeMutablePointer<Float>
) {
  unsafe cvector_dot_block_channels(row, rows, first, second, count, firstSums, secondSums)
}

/// The places of a channel that `dotBlock` computes at once with the same rows.
var repeatedPlaces: Int { @_noLocks get { CVECTOR_PLACES } }

/// The sums for one to four rows at `repeatedPlaces` places of one channel, or of two where there
/// is a `second`: the places lie `distance` samples from each other, and their sums `period`.
@_semantics("no_performance_analysis")
func dotBlock(
  _ row: UnsafePointer<Float>, rows: Int, _ first: UnsafePointer<Float>,
  _ second: UnsafePointer<Float>?, count: Int, distance: Int,
  into firstSums: UnsafeMutablePointer<Float>, _ secondSums: UnsafeMutablePointer<Float>?,
  period: Int
) {
  unsafe cvector_dot_block_repeated(
    row, rows, first, second, count, distance, firstSums, secondSums, period)
}

/// The weighted sum of four successive rows.
@_semantics("no_performance_analysis")
func blendRows(
  _ rows: UnsafePointer<Float>, count: Int, _ w0: Float, _ w1: Float, _ w2: Float, _ w3: Float,
  into row: UnsafeMutablePointer<Float>
) {
  unsafe cvector_blend(rows, count, w0, w1, w2, w3, count, row)
}

/// Filters between the frames of one channel, or of two where there is a `second`: see
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

/// Copies samples. Samples that are not finite become 0.
@_semantics("no_performance_analysis")
func copyFinite(
  _ samples: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, count: Int
) {
  unsafe cvector_copy_finite(samples, output, count)
}

// MARK: - For the pair convolver

/// Adds the product of two spectra; `count` is a multiple of 16.
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

/// Multiplies number k of a spectrum by the k-th power of a number of magnitude 1: see
/// `cvector_turn`.
@_semantics("no_performance_analysis")
func turn(
  _ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>, _ cosine: Double,
  _ sine: Double, count: Int
) {
  unsafe cvector_turn(real, imaginary, cosine, sine, count)
}

// MARK: - For the filter cascade

/// Converts one channel, or two interleaved ones for a `width` of 2, to doubles.
@_semantics("no_performance_analysis")
func widen(
  _ first: ChannelBuffer, _ second: ChannelBuffer, width: Int, into samples: borrowing DoubleStorage
) {
  unsafe cvector_widen(first.start, width == 2 ? second.start : nil, first.count, samples.start)
}

/// Runs second-order filters in series: see `cvector_filter`.
@_semantics("no_performance_analysis")
func filter(
  _ samples: borrowing DoubleStorage, _ length: Int, width: Int,
  _ coefficients: borrowing DoubleStorage, from first: Int, _ memory: borrowing DoubleStorage,
  from place: Int, stride: Int, filters: Int
) {
  unsafe cvector_filter(
    coefficients.start + first, memory.start + place, stride, filters, Int32(width), samples.start,
    length)
}

/// Converts doubles back to channels, with a gain: see `cvector_narrow`.
@_semantics("no_performance_analysis")
func narrow(
  _ samples: borrowing DoubleStorage, width: Int, gain: Double, rise: Double, place: Int,
  into first: ChannelBuffer, _ second: ChannelBuffer
) {
  unsafe cvector_narrow(
    samples.start, first.count, gain, rise, Int32(truncatingIfNeeded: place), first.start,
    width == 2 ? second.start : nil)
}

// MARK: - For gliding controls

/// Multiplies samples by a ramp, into another channel of the same length, or the same one: see
/// `cvector_ramp`.
@_semantics("no_performance_analysis")
func multiplyByRamp(
  _ samples: ChannelBuffer, from origin: Double, rise: Double, place: Int, length: Int,
  into output: ChannelBuffer
) {
  precondition(samples.count == output.count, "both channels are as long")
  unsafe cvector_ramp(
    samples.start, output.count, origin, rise, Double(place), Double(length), output.start)
}

// MARK: - For sample coding

/// Rounds samples, in place, to 16 bits: see `cvector_quantize16`.
@_semantics("no_performance_analysis")
func quantize16(_ samples: ChannelBuffer) {
  unsafe cvector_quantize16(samples.start, samples.count)
}

/// Converts samples to words, as many as both buffers have; the two may be the same: see
/// `cvector_encode`.
@_semantics("no_performance_analysis")
func encodeWords(
  _ samples: ChannelBuffer, times full: Double, atMost last: Int32, into words: ChannelBuffer
) {
  let count = samples.count < words.count ? samples.count : words.count
  unsafe cvector_encode(samples.start, count, full, Double(last), words.start)
}

/// Converts one channel of interleaved doubles, times a gain, to words, as many as there is room
/// for: see `cvector_encode_doubles`.
@_semantics("no_performance_analysis")
public func encodeWords(
  _ samples: UnsafePointer<Double>, stride: Int, gain: Double, times full: Double,
  atMost last: Int32, into words: ChannelBuffer
) {
  unsafe cvector_encode_doubles(
    samples, stride, gain, words.count, full, Double(last), words.start)
}

/// Converts words to samples, as many as both buffers have; the two may be the same: see
/// `cvector_decode`.
@_semantics("no_performance_analysis")
func decodeWords(
  _ words: ChannelBuffer, times unit: Float, atMost most: Float, into samples: ChannelBuffer
) {
  let count = words.count < samples.count ? words.count : samples.count
  unsafe cvector_decode(words.start, count, unit, most, samples.start)
}

/// Converts words to words of another unit, as many as both buffers have; the two may be the same:
/// see `cvector_recode`.
@_semantics("no_performance_analysis")
func recodeWords(
  _ words: ChannelBuffer, times ratio: Double, atMost last: Int32, into output: ChannelBuffer
) {
  let count = words.count < output.count ? words.count : output.count
  unsafe cvector_recode(words.start, count, ratio, Double(last), output.start)
}

// MARK: - For the paced reader

/// Filters successive frames with one row.
@_semantics("no_performance_analysis")
func filterBlock(
  _ row: UnsafePointer<Float>, count: Int, _ samples: UnsafePointer<Float>,
  into output: UnsafeMutablePointer<Float>, frameCount: Int
) {
  unsafe cvector_fir(row, count, samples, output, frameCount)
}

// MARK: - Copies

/// Copies one channel out of interleaved frames, as many as `output` has.
@_semantics("no_performance_analysis")
func pick(_ samples: UnsafePointer<Float>, stride: Int, into output: ChannelBuffer) {
  unsafe cvector_pick(samples, stride, output.count, output.start)
}

/// Copies one channel out of interleaved frames, times a gain.
@_semantics("no_performance_analysis")
public func pick(
  _ samples: UnsafePointer<Float>, stride: Int, times gain: Double, into output: ChannelBuffer
) {
  unsafe cvector_pick_scaled(samples, stride, gain, output.count, output.start)
}

@_semantics("no_performance_analysis")
func copySamples(
  _ samples: UnsafeMutablePointer<Float>, into output: UnsafeMutablePointer<Float>, _ count: Int
) {
  unsafe memmove(output, samples, count * 4)
}

@_semantics("no_performance_analysis")
func clearSamples(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
  unsafe memset(samples, 0, count * 4)
}

/// Interleaves two channels of one length. Returns the largest magnitude, as
/// `VectorMath.largest(_:)` does.
@_semantics("no_performance_analysis")
@discardableResult
public func interleave(
  _ first: ChannelBuffer, _ second: ChannelBuffer, into output: UnsafeMutablePointer<Float>
) -> UInt32 {
  precondition(first.count == second.count, "both channels are as long")
  return unsafe cvector_interleave(first.start, second.start, first.count, output)
}

/// Copies the two channels out of interleaved frames, as many as each output has. Returns the
/// largest magnitude, as `VectorMath.largest(_:)` does.
@_semantics("no_performance_analysis")
func deinterleave(
  _ samples: UnsafePointer<Float>, into first: ChannelBuffer, _ second: ChannelBuffer
) -> UInt32 {
  precondition(first.count == second.count, "both channels are as long")
  return unsafe cvector_deinterleave(samples, first.count, first.start, second.start)
}

/// Adds signals to some frames of a stereo sum: see `cvector_mix`.
@_semantics("no_performance_analysis")
func addSignals(
  _ signals: UnsafePointer<cvector_signal>, _ count: Int, fresh: Bool, _ frames: Range<Int>,
  to left: ChannelBuffer, _ right: ChannelBuffer
) -> UInt32 {
  unsafe cvector_mix(
    signals, count, fresh ? 1 : 0, frames.lowerBound, frames.count, left.start, right.start)
}

/// Copies one channel out of interleaved doubles, times a gain, into floats, as many as `output`
/// has.
@_semantics("no_performance_analysis")
public func pick(
  _ samples: UnsafePointer<Double>, stride: Int, times gain: Double, into output: ChannelBuffer
) {
  unsafe cvector_pick_doubles(samples, stride, gain, output.count, output.start)
}
