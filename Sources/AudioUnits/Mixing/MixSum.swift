internal import RenderCore

/// A stereo sum under construction, in its two destination buffers.
///
/// Signals are added one after the other, in the same order for each frame, so that the sum has the
/// same bits for all slices. Signals with steady gains are collected and added together: the same
/// arithmetic with fewer passes over the sum. The sum starts from +0, so that a signal of zeros of
/// either sign adds nothing and can be left out.
struct MixSum {
  private let left: ChannelBuffer
  private let right: ChannelBuffer
  private let count: Int
  /// Whether nothing has been added yet, so that the buffers still have their old contents.
  private(set) var isEmpty = true
  /// Whether an interleaved signal has been added.
  private(set) var hasInterleaved = false
  /// The largest magnitude of the sum, as `VectorMath.largest(_:)` has it; `nil` where it is not
  /// known.
  private(set) var largest: UInt32?

  /// Both buffers have as many frames as every signal.
  @_noLocks
  init(left: ChannelBuffer, right: ChannelBuffer) {
    self.left = left
    self.right = right
    count = left.count
  }

  /// Adds a signal with moving gains, whose ramp may end within the slice. A mono signal is passed
  /// as both channels.
  @_noLocks
  mutating func add(
    _ signalLeft: ChannelBuffer, _ signalRight: ChannelBuffer, ramp: GainRamp,
    after waiting: inout WaitingSignals, in context: RenderContext
  ) {
    finish(&waiting, in: context)
    largest = nil
    let moving = Swift.min(ramp.remaining, count)
    let first = left.prefix(moving)
    let second = right.prefix(moving)
    if isEmpty {
      first.clear()
      second.clear()
    }
    add(signalLeft, to: first, slope: ramp.leftSlope)
    add(signalRight, to: second, slope: ramp.rightSlope)
    let (leftRest, rightRest) = (left.dropping(moving), right.dropping(moving))
    if ramp.left != 0 || ramp.right != 0 {
      waiting.append(
        signalLeft.dropping(moving), signalRight.dropping(moving), leftGain: ramp.left,
        rightGain: ramp.right)
      waiting.mix(into: leftRest, rightRest, fresh: isEmpty, sharing: context.mix)
    } else if isEmpty {
      leftRest.clear()
      rightRest.clear()
    }
    isEmpty = false
  }

  /// Adds a signal with steady gains, now or together with the next ones. A mono signal is passed
  /// as both channels.
  @_noLocks
  mutating func add(
    _ signalLeft: ChannelBuffer, _ signalRight: ChannelBuffer, leftGain: Float, rightGain: Float,
    after waiting: inout WaitingSignals, in context: RenderContext
  ) {
    waiting.append(signalLeft, signalRight, leftGain: leftGain, rightGain: rightGain)
    if waiting.count == waiting.capacity { finish(&waiting, in: context) }
  }

  /// The same for a signal whose channels lie interleaved.
  @_noLocks
  mutating func add(
    interleaved samples: ChannelBuffer, leftGain: Float, rightGain: Float,
    after waiting: inout WaitingSignals, in context: RenderContext
  ) {
    hasInterleaved = true
    waiting.append(interleaved: samples, leftGain: leftGain, rightGain: rightGain)
    if waiting.count == waiting.capacity { finish(&waiting, in: context) }
  }

  /// Adds the collected signals.
  @_noLocks
  mutating func finish(_ waiting: inout WaitingSignals, in context: RenderContext) {
    guard waiting.count > 0 else { return }
    largest = waiting.mix(into: left, right, fresh: isEmpty, sharing: context.mix)
    isEmpty = false
  }

  /// Adds a signal whose gain moves.
  @_noLocks
  private mutating func add(_ source: ChannelBuffer, to sum: ChannelBuffer, slope: GainSlope) {
    let length = sum.count
    let source = source.prefix(length)
    for frame in 0..<length { sum[frame] += slope.gain(frame) * source[frame] }
  }
}
