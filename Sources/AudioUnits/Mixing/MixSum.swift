internal import RenderCore

/// A stereo sum in the making, in the two buffers that it ends up in.
///
/// Signals are added one after the other, each frame's in the same order, so that the sum is the
/// same to the bit however a render is cut. Those with steady gains are taken four at a time, which
/// is the same arithmetic with fewer passes over the sum. The sum starts from +0, so that a signal
/// of zeros adds nothing, whichever their sign, and may as well be left out.
struct MixSum {
  private let left: ChannelBuffer
  private let right: ChannelBuffer
  private let count: Int
  /// Whether nothing has been added: the buffers hold what they held before.
  private(set) var isEmpty = true
  private var waiting = 0
  private var signal0: Signal
  private var signal1: Signal
  private var signal2: Signal

  private struct Signal: BitwiseCopyable {
    let left: ChannelBuffer
    let right: ChannelBuffer
    let leftGain: Float
    let rightGain: Float

    @_noLocks
    init(left: ChannelBuffer, right: ChannelBuffer, leftGain: Float, rightGain: Float) {
      self.left = left
      self.right = right
      self.leftGain = leftGain
      self.rightGain = rightGain
    }
  }

  /// Both buffers have as many frames as every signal.
  @_noLocks
  init(left: ChannelBuffer, right: ChannelBuffer) {
    self.left = left
    self.right = right
    count = left.count
    let none = Signal(left: left, right: right, leftGain: 0, rightGain: 0)
    signal0 = none
    signal1 = none
    signal2 = none
  }

  /// Adds a signal whose gains move, and end within the slice or not. A mono one is given as both.
  @_noLocks
  mutating func add(_ signalLeft: ChannelBuffer, _ signalRight: ChannelBuffer, ramp: GainRamp) {
    finish()
    let moving = Swift.min(ramp.remaining, count)
    add(signalLeft, to: left, slope: ramp.leftSlope, end: ramp.left, moving: moving)
    add(signalRight, to: right, slope: ramp.rightSlope, end: ramp.right, moving: moving)
    isEmpty = false
  }

  /// Adds a signal with steady gains, now or with those that come next. A mono one is given as both.
  @_noLocks
  mutating func add(
    _ signalLeft: ChannelBuffer, _ signalRight: ChannelBuffer, leftGain: Float, rightGain: Float
  ) {
    let signal = Signal(
      left: signalLeft, right: signalRight, leftGain: leftGain, rightGain: rightGain)
    switch waiting {
    case 0: signal0 = signal
    case 1: signal1 = signal
    case 2: signal2 = signal
    default:
      let gains = (signal0.leftGain, signal1.leftGain, signal2.leftGain, signal.leftGain)
      let otherGains = (signal0.rightGain, signal1.rightGain, signal2.rightGain, signal.rightGain)
      add4(signal0.left, signal1.left, signal2.left, signal.left, gains, to: left)
      add4(signal0.right, signal1.right, signal2.right, signal.right, otherGains, to: right)
      isEmpty = false
      waiting = 0
      return
    }
    waiting += 1
  }

  /// Adds what is still waiting.
  @_noLocks
  mutating func finish() {
    if waiting > 0 { add(signal0) }
    if waiting > 1 { add(signal1) }
    if waiting > 2 { add(signal2) }
    waiting = 0
  }

  @_noLocks
  private mutating func add(_ signal: Signal) {
    add(signal.left, times: signal.leftGain, to: left)
    add(signal.right, times: signal.rightGain, to: right)
    isEmpty = false
  }

  // The counts of the buffers in a loop are made the same value, so that the bounds checks fold and
  // the loop vectorizes.

  @_noLocks
  private mutating func add(_ source: ChannelBuffer, times gain: Float, to sum: ChannelBuffer) {
    let length = sum.count
    let source = source.prefix(length)
    if isEmpty {
      for frame in 0..<length { sum[frame] = 0 + gain * source[frame] }
    } else {
      for frame in 0..<length { sum[frame] += gain * source[frame] }
    }
  }

  @_noLocks
  private mutating func add4(
    _ a: ChannelBuffer, _ b: ChannelBuffer, _ c: ChannelBuffer, _ d: ChannelBuffer,
    _ gains: (Float, Float, Float, Float), to sum: ChannelBuffer
  ) {
    let length = sum.count
    let a = a.prefix(length)
    let b = b.prefix(length)
    let c = c.prefix(length)
    let d = d.prefix(length)
    if isEmpty {
      for frame in 0..<length {
        sum[frame] =
          (((0 + gains.0 * a[frame]) + gains.1 * b[frame]) + gains.2 * c[frame])
          + gains.3 * d[frame]
      }
    } else {
      for frame in 0..<length {
        sum[frame] =
          (((sum[frame] + gains.0 * a[frame]) + gains.1 * b[frame]) + gains.2 * c[frame])
          + gains.3 * d[frame]
      }
    }
  }

  /// Adds a signal whose gain moves in the first `moving` frames.
  @_noLocks
  private mutating func add(
    _ source: ChannelBuffer, to sum: ChannelBuffer, slope: GainSlope, end: Float, moving: Int
  ) {
    let movingSum = sum.prefix(moving)
    let movingSource = source.prefix(moving)
    if isEmpty { movingSum.clear() }
    for frame in 0..<moving { movingSum[frame] += slope.gain(frame) * movingSource[frame] }
    let rest = sum.dropping(moving)
    if end != 0 {
      add(source.dropping(moving), times: end, to: rest)
    } else if isEmpty {
      rest.clear()
    }
  }
}
