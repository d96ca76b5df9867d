internal import Glibc
internal import RenderCore

/// Average and peak levels of a number of signals.
///
/// Core Audio documents no time constants; these are patchrun's. The average is the mean square,
/// smoothed with a time constant of 300 ms; the peak is the largest magnitude, held for 1 s and then
/// falling by 20 dB a second; neither goes below -120 dB. Levels are taken over blocks of 256 frames
/// that are counted from the first frame of all, so that they do not depend on how a render is cut.
struct LevelMeters: ~Copyable {
  /// In decibels: what silence reads.
  static var floor: Float { @_noLocks get { -120 } }
  /// In frames.
  static var blockLength: Int { @_noLocks get { 256 } }

  private static let stride = 6
  // For each signal the sum of squares and the peak of the block so far, the frames in them, the
  // smoothed mean square, the held peak, and the frames that it is still to be held.
  private let values: DoubleStorage
  private let smoothing: Double
  private let fall: Double
  private let holdLength: Double

  // MARK: Control thread

  init(count: Int, sampleRate: Double) {
    values = DoubleStorage(repeating: 0, count: count * Self.stride)
    smoothing = 1 - exp(-Double(Self.blockLength) / (0.3 * sampleRate))
    fall = pow(10, -Double(Self.blockLength) / sampleRate)
    holdLength = sampleRate
  }

  // MARK: Render thread

  /// Makes a meter read silence.
  @_noLocks
  func reset(_ meter: Int) {
    for offset in 0..<Self.stride { values[meter * Self.stride + offset] = 0 }
  }

  /// Takes in a stretch of one signal as it is and after a steady gain. Stretches do not go past
  /// the end of a block.
  @_noLocks
  func measure(_ buffer: ChannelBuffer, before: Int, after: Int, gain: Float) {
    var pre = Block(sum: sum(before), peak: peakSoFar(before))
    var post = Block(sum: sum(after), peak: peakSoFar(after))
    for frame in buffer.indices {
      pre.take(buffer[frame])
      post.take(gain * buffer[frame])
    }
    keep(pre, frameCount: buffer.count, as: before)
    keep(post, frameCount: buffer.count, as: after)
  }

  /// The same with a gain that moves.
  @_noLocks
  func measure(_ buffer: ChannelBuffer, before: Int, after: Int, slope: GainSlope) {
    var pre = Block(sum: sum(before), peak: peakSoFar(before))
    var post = Block(sum: sum(after), peak: peakSoFar(after))
    for frame in buffer.indices {
      pre.take(buffer[frame])
      post.take(slope.gain(frame) * buffer[frame])
    }
    keep(pre, frameCount: buffer.count, as: before)
    keep(post, frameCount: buffer.count, as: after)
  }

  /// Takes in a stretch of one signal as it is.
  @_noLocks
  func measure(_ buffer: ChannelBuffer, as meter: Int) {
    var block = Block(sum: sum(meter), peak: peakSoFar(meter))
    for frame in buffer.indices { block.take(buffer[frame]) }
    keep(block, frameCount: buffer.count, as: meter)
  }

  /// Takes in the sum of two signals, each with a gain of its own.
  @_noLocks
  func measure(
    _ buffer: ChannelBuffer, _ gain: GainSlope, _ other: ChannelBuffer, _ otherGain: GainSlope,
    as meter: Int
  ) {
    var block = Block(sum: sum(meter), peak: peakSoFar(meter))
    for frame in buffer.indices {
      block.take(gain.gain(frame) * buffer[frame] + otherGain.gain(frame) * other[frame])
    }
    keep(block, frameCount: buffer.count, as: meter)
  }

  private struct Block: BitwiseCopyable {
    var sum: Double
    var peak: Float

    @_noLocks
    init(sum: Double, peak: Float) {
      self.sum = sum
      self.peak = peak
    }

    @_noLocks
    @inline(__always)
    mutating func take(_ sample: Float) {
      sum += Double(sample) * Double(sample)
      peak = sample.magnitude > peak ? sample.magnitude : peak
    }
  }

  @_noLocks
  private func sum(_ meter: Int) -> Double { values[meter * Self.stride] }

  @_noLocks
  private func peakSoFar(_ meter: Int) -> Float { Float(values[meter * Self.stride + 1]) }

  @_noLocks
  private func keep(_ block: Block, frameCount: Int, as meter: Int) {
    let first = meter * Self.stride
    values[first] = block.sum
    values[first + 1] = Double(block.peak)
    values[first + 2] += Double(frameCount)
  }

  /// Ends a block.
  @_noLocks
  func endBlock(_ meter: Int) {
    let first = meter * Self.stride
    guard values[first + 2] > 0 else { return }
    let meanSquare = values[first] / values[first + 2]
    let average = values[first + 3] + smoothing * (meanSquare - values[first + 3])
    // What is not a number must not stay.
    values[first + 3] = average.isFinite ? average : 0
    let peak = values[first + 1]
    values[first + 5] -= Double(Self.blockLength)
    if values[first + 5] <= 0 { values[first + 4] *= fall }
    if peak >= values[first + 4] {
      values[first + 4] = peak.isFinite ? peak : 0
      values[first + 5] = holdLength
    }
    values[first] = 0
    values[first + 1] = 0
    values[first + 2] = 0
  }

  /// The smoothed mean square in decibels, a full-scale square wave being 0.
  @_noLocks
  func average(_ meter: Int) -> Float {
    level(10 * renderLog10(values[meter * Self.stride + 3]))
  }

  /// The held peak in decibels, full scale being 0.
  @_noLocks
  func peak(_ meter: Int) -> Float {
    level(20 * renderLog10(values[meter * Self.stride + 4]))
  }

  /// The root of the smoothed mean square.
  @_noLocks
  func linearAverage(_ meter: Int) -> Float {
    Float(renderSquareRoot(values[meter * Self.stride + 3]))
  }

  /// The held peak as it is.
  @_noLocks
  func linearPeak(_ meter: Int) -> Float { Float(values[meter * Self.stride + 4]) }

  @_noLocks
  private func level(_ decibels: Double) -> Float {
    decibels > Double(Self.floor) ? Float(decibels) : Self.floor
  }
}
