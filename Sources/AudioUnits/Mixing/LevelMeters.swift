internal import Glibc
internal import RenderCore
import Synchronization

/// Average and peak levels of a number of signals.
///
/// Core Audio documents no time constants; these are patchrun's. The average is the mean square,
/// smoothed with a time constant of 300 ms. The peak is the largest magnitude, held for 1 s and
/// then falling by 20 dB a second. Neither goes below -120 dB. Levels are computed over blocks of
/// 256 frames, counted from the first frame of all, so that they do not depend on slices.
struct LevelMeters: ~Copyable {
  /// The level of silence, in decibels.
  static var floor: Float { @_noLocks get { -120 } }
  /// In frames.
  static var blockLength: Int { @_noLocks get { 256 } }

  /// The state of one signal's meters: 32 bytes, as a mixer has four for each bus.
  struct Meter: BitwiseCopyable {
    /// The present block so far.
    var block = Block()
    /// Frames in the block.
    var frameCount: Int16 = 0
    /// The blocks left to hold the peak.
    var hold: Int16 = 0
    /// The smoothed mean square.
    var average = 0.0
    /// The held peak.
    var peak = 0.0

    @_noLocks
    init() {}
  }

  /// The time constants at a rate, for each block.
  private struct Ballistics: BitwiseCopyable {
    /// The share by which the average moves.
    let smoothing: Double
    /// The factor of a falling peak.
    let fall: Double
    /// In blocks.
    let holdLength: Int16

    init(_ sampleRate: Double) {
      let blockLength = Double(LevelMeters.blockLength)
      smoothing = 1 - exp(-blockLength / (0.3 * sampleRate))
      fall = pow(10, -blockLength / sampleRate)
      holdLength = Int16(min((sampleRate / blockLength).rounded(.up), 32_767))
    }

    /// Those that were asked for last: a graph may have very many meters of one rate.
    private static let last = Mutex<(sampleRate: Double, ballistics: Ballistics)?>(nil)

    static func at(_ sampleRate: Double) -> Ballistics {
      last.withLock { last in
        if let last, last.sampleRate == sampleRate { return last.ballistics }
        let ballistics = Ballistics(sampleRate)
        last = (sampleRate, ballistics)
        return ballistics
      }
    }
  }

  private let meters: StateStorage<Meter>
  private let ballistics: Ballistics

  // MARK: Control thread

  init(count: Int, sampleRate: Double) {
    meters = StateStorage(repeating: Meter(), count: count)
    ballistics = .at(sampleRate)
  }

  // MARK: Render thread

  /// Resets a meter to silence.
  @_noLocks
  func reset(_ meter: Int) {
    meters[meter] = Meter()
  }

  /// Measures a stretch of one signal before and after a steady gain. A stretch must not cross the
  /// end of a block.
  @_noLocks
  func measure(_ buffer: ChannelBuffer, before: Int, after: Int, gain: Float) {
    var pre = meters[before].block
    var post = meters[after].block
    for frame in buffer.indices {
      pre.take(buffer[frame])
      post.take(gain * buffer[frame])
    }
    keep(pre, frameCount: buffer.count, as: before)
    keep(post, frameCount: buffer.count, as: after)
  }

  /// The same with a moving gain.
  @_noLocks
  func measure(_ buffer: ChannelBuffer, before: Int, after: Int, slope: GainSlope) {
    var pre = meters[before].block
    var post = meters[after].block
    for frame in buffer.indices {
      pre.take(buffer[frame])
      post.take(slope.gain(frame) * buffer[frame])
    }
    keep(pre, frameCount: buffer.count, as: before)
    keep(post, frameCount: buffer.count, as: after)
  }

  /// Measures a stretch of one signal.
  @_noLocks
  func measure(_ buffer: ChannelBuffer, as meter: Int) {
    var block = meters[meter].block
    for frame in buffer.indices { block.take(buffer[frame]) }
    keep(block, frameCount: buffer.count, as: meter)
  }

  /// Measures the sum of two signals, each with a gain of its own.
  @_noLocks
  func measure(
    _ buffer: ChannelBuffer, _ gain: GainSlope, _ other: ChannelBuffer, _ otherGain: GainSlope,
    as meter: Int
  ) {
    var block = meters[meter].block
    for frame in buffer.indices {
      block.take(gain.gain(frame) * buffer[frame] + otherGain.gain(frame) * other[frame])
    }
    keep(block, frameCount: buffer.count, as: meter)
  }

  struct Block: BitwiseCopyable {
    var sum = 0.0
    var peak: Float = 0

    @_noLocks
    init() {}

    @_noLocks
    @inline(__always)
    mutating func take(_ sample: Float) {
      sum += Double(sample) * Double(sample)
      peak = sample.magnitude > peak ? sample.magnitude : peak
    }
  }

  @_noLocks
  private func keep(_ block: Block, frameCount: Int, as meter: Int) {
    meters[meter].block = block
    meters[meter].frameCount += Int16(truncatingIfNeeded: frameCount)
  }

  /// Ends a block, and updates the levels from it.
  @_noLocks
  func endBlock(_ index: Int) {
    var meter = meters[index]
    guard meter.frameCount > 0 else { return }
    let meanSquare = meter.block.sum / Double(meter.frameCount)
    let average = meter.average + ballistics.smoothing * (meanSquare - meter.average)
    // Infinity and NaN must not stay in the average.
    meter.average = average.isFinite ? average : 0
    let peak = Double(meter.block.peak)
    if meter.hold > 0 { meter.hold -= 1 }
    if meter.hold == 0 { meter.peak *= ballistics.fall }
    if peak >= meter.peak {
      meter.peak = peak.isFinite ? peak : 0
      meter.hold = ballistics.holdLength
    }
    meter.block = Block()
    meter.frameCount = 0
    meters[index] = meter
  }

  /// The smoothed mean square in decibels; a full-scale square wave is 0.
  @_noLocks
  func average(_ meter: Int) -> Float {
    level(10 * renderLog10(meters[meter].average))
  }

  /// The held peak in decibels; full scale is 0.
  @_noLocks
  func peak(_ meter: Int) -> Float {
    level(20 * renderLog10(meters[meter].peak))
  }

  /// The root of the smoothed mean square, linear.
  @_noLocks
  func linearAverage(_ meter: Int) -> Float {
    Float(renderSquareRoot(meters[meter].average))
  }

  /// The held peak, linear.
  @_noLocks
  func linearPeak(_ meter: Int) -> Float { Float(meters[meter].peak) }

  @_noLocks
  private func level(_ decibels: Double) -> Float {
    decibels > Double(Self.floor) ? Float(decibels) : Self.floor
  }
}
