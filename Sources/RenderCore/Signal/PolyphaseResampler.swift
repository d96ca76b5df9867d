/// Changes the sample rate of a stream on the render thread.
///
/// A windowed sinc in polyphase form. For rates with a simple ratio, as all usual ones have, each
/// output frame has its own row of coefficients, and positions are whole numbers. Other ratios, and
/// ratios that are adjusted while running, interpolate linearly between the rows of a fine table,
/// with an error below the filter's stop band or -128 dB, and count positions in 2^-64 frames. The
/// output is the same bit for bit however input and output are sliced. Samples that are not finite
/// count as 0.
///
/// Made on the control thread with all its memory, then used by one thread at a time.
@safe
public struct PolyphaseResampler: ~Copyable {
  /// The position of the output in time.
  public enum Alignment: Hashable, Sendable, BitwiseCopyable {
    /// The first output frame is at the time of the first input frame: there is no delay, but the
    /// input must be `lookAhead` frames ahead. Before the first input frame there are zeros.
    case lookingAhead
    /// An output frame needs no input beyond its own time, and comes `lookAhead` input frames late.
    case causal
    /// The first output frame is `lookAhead` - 1 frames behind the first input frame, so that it
    /// needs nothing before it. The beginning is missing, and does not fade in.
    case primed
  }

  /// The number of channels.
  public let channelCount: Int
  /// The time of the first output frame, relative to the first input frame.
  public let alignment: Alignment
  /// Half the filter's length, in input frames.
  public let lookAhead: Int
  /// Whether `adjust(ratio:)` may be called.
  public let isAdjustable: Bool
  /// The largest deviation of the ratio from 1, which limits `adjust(ratio:)`.
  public static var maximumDeviation: Double { @_noLocks get { 0.01 } }

  private let taps: Int

  // For simple ratios: a row for each output frame of a period, in order. Up to four rows form a
  // block that reads the input at one position: each row is shifted right by the distance of its
  // own position from the block's, and filled up with zeros.
  private let blocks: BlockTable
  // For other ratios, and for adjusted ones.
  private let rows: RowTable
  /// The ratio in lowest terms; 0 where it is not simple.
  private let phases: Int
  private let phaseStep: Int
  private let isUnity: Bool

  // One lane of input for each channel; the frames from `start` to `end` are in use. Frames from
  // `blockStart` on are read with a weight of zero.
  private let lanes: SampleStorage
  private let laneLength: Int
  private let laneStride: Int
  private let firstEnd: Int
  private var start = 0
  private var blockStart = 0
  private var end: Int
  /// The end of the sound: the lanes are zero from here to `end`.
  private var soundEnd = 0
  /// The next row of the block table.
  private var row = 0

  // The position between two input frames: `phase` out of `phases` while `isExact`, afterwards
  // `fraction` in 2^-64 frames.
  private var isExact: Bool
  private var phase = 0
  private var fraction: UInt64 = 0
  private let nominalStep: Int128
  private let nominalStepValue: Double
  private var step: Int128
  private var targetStep: Int128
  private var stepIncrement: Int128 = 0
  private var stepRemaining = 0
  private let rampLength: Int
  /// The frames left of the crossfade from copying to filtering, after a 1:1 ratio was adjusted.
  private var copyRemaining: Int

  /// Makes a resampler. Control thread.
  ///
  /// - Parameters:
  ///   - inputRate: In Hz, above 0.
  ///   - outputRate: In Hz, above 0.
  ///   - isAdjustable: Whether `adjust(ratio:)` will be called, which needs a larger table.
  ///   - maximumInputFrames: The most frames of one `push`.
  ///   - maximumOutputFrames: The most frames of one `pull`.
  public init(
    inputRate: Double, outputRate: Double, channelCount: Int, quality: Quality = .normal,
    alignment: Alignment = .lookingAhead, isAdjustable: Bool = false, maximumInputFrames: Int,
    maximumOutputFrames: Int
  ) {
    precondition(
      inputRate > 0 && outputRate > 0 && inputRate.isFinite && outputRate.isFinite,
      "a sample rate is over 0")
    precondition(channelCount > 0, "a stream has at least one channel")
    precondition(
      maximumInputFrames > 0 && maximumOutputFrames > 0, "a slice has at least one frame")
    let nominal = inputRate / outputRate
    let filter = ResamplerFilter(quality, step: nominal)
    let shape = ResamplerShape(
      filter, inputRate: inputRate, outputRate: outputRate, quality: quality,
      isAdjustable: isAdjustable, maximumInputFrames: maximumInputFrames,
      maximumOutputFrames: maximumOutputFrames)
    let taps = filter.tapCount
    let exactStep = shape.exactStep
    let phases = shape.phases
    let phaseStep = shape.phaseStep
    let isUnity = nominal == 1
    let rampLength = max(64, Int(outputRate / 50))
    let blocks = BlockTable(filter, shape.blocks)
    let rows = RowTable(filter, shape.rows)
    let laneLength = shape.laneLength
    let laneStride = shape.laneStride
    let firstEnd =
      switch alignment {
      case .lookingAhead: taps / 2 - 1
      case .causal: taps - 1
      case .primed: 0
      }

    // Only assignments from here on: where `self` is captured half initialized, as by `&&`, the
    // optimizer of Swift 6.3 frees storage that is not there yet.
    self.channelCount = channelCount
    self.alignment = alignment
    self.isAdjustable = isAdjustable
    self.lookAhead = taps / 2
    self.taps = taps
    self.phases = phases
    self.phaseStep = phaseStep
    self.isUnity = isUnity
    self.isExact = phases > 0
    self.nominalStepValue = nominal
    self.nominalStep = exactStep
    self.step = exactStep
    self.targetStep = exactStep
    self.rampLength = rampLength
    self.copyRemaining = rampLength
    self.laneLength = laneLength
    self.laneStride = laneStride
    self.firstEnd = firstEnd
    self.end = firstEnd
    self.lanes = SampleStorage(repeating: 0, count: laneStride * channelCount)
    self.blocks = blocks
    self.rows = rows
  }

  /// The memory that a resampler with these arguments allocates, in bytes.
  public static func memory(
    inputRate: Double, outputRate: Double, channelCount: Int, quality: Quality = .normal,
    isAdjustable: Bool = false, maximumInputFrames: Int, maximumOutputFrames: Int
  ) -> Int {
    ResamplerShape(
      ResamplerFilter(quality, step: inputRate / outputRate), inputRate: inputRate,
      outputRate: outputRate, quality: quality, isAdjustable: isAdjustable,
      maximumInputFrames: maximumInputFrames, maximumOutputFrames: maximumOutputFrames
    ).bytes(channelCount: channelCount)
  }

  /// The `lookAhead` of a resampler with these arguments.
  public static func lookAhead(
    inputRate: Double, outputRate: Double, quality: Quality = .normal
  ) -> Int {
    ResamplerFilter(quality, step: inputRate / outputRate).tapCount / 2
  }

  /// The delay of the output, in input frames.
  public var latencyFrames: Int { @_noLocks get { alignment == .causal ? lookAhead : 0 } }

  /// Whether the ratio has been adjusted. Until then a resampler between equal rates copies its
  /// input bit for bit.
  public var isAdjusted: Bool { @_noLocks get { phases > 0 ? !isExact : step != nominalStep } }

  /// The most frames that can be pushed now.
  public var room: Int { @_noLocks get { laneLength - (end - kept) } }

  /// The first frame that may still be read.
  private var kept: Int { @_noLocks get { isExact ? blockStart : start } }

  // MARK: Render thread

  /// The exact number of input frames to push before the next `frameCount` output frames can be
  /// pulled; 0 if they can be pulled now.
  @_noLocks
  public func inputFramesNeeded(forOutput frameCount: Int) -> Int {
    guard frameCount > 0 else { return 0 }
    let need = start + advance(frameCount - 1) + taps - end
    return need > 0 ? need : 0
  }

  /// Takes `frameCount` input frames from a bus, from frame `offset` on. There must be `room`;
  /// while the largest pull lacks input, there is room for `maximumInputFrames`.
  @_noLocks
  public mutating func push(_ bus: RenderBus, offset: Int = 0, frameCount: Int) {
    guard frameCount > 0 else { return }
    precondition(bus.channelCount >= channelCount, "the bus has too few channels")
    precondition(
      offset >= 0 && offset + frameCount <= bus.frameCount, "the bus has too few frames")
    makeRoom(frameCount)
    for channel in 0..<channelCount {
      let source = bus[channel].dropping(offset)
      unsafe copyFinite(
        source.start, into: lanes.start + (channel * laneStride + end), count: frameCount)
    }
    end += frameCount
    if !bus.isSilent { soundEnd = end }
  }

  /// Takes the oldest `frameCount` frames of a ring, from its first channels. The ring must have so
  /// many.
  @_noLocks
  public mutating func push(_ ring: FrameRingAccess, frameCount: Int) {
    guard frameCount > 0 else { return }
    precondition(ring.channelCount >= channelCount, "the ring has too few channels")
    makeRoom(frameCount)
    for channel in 0..<channelCount {
      let lane = lanes.buffer(at: channel * laneStride + end, count: frameCount)
      ring.read(into: lane, channel: channel)
      unsafe copyFinite(lane.start, into: lane.start, count: frameCount)
    }
    ring.discard(frameCount)
    end += frameCount
    soundEnd = end
  }

  /// Takes `frameCount` frames of silence.
  @_noLocks
  public mutating func pushSilence(frameCount: Int) {
    guard frameCount > 0 else { return }
    makeRoom(frameCount)
    for channel in 0..<channelCount {
      let lane = unsafe lanes.start + (channel * laneStride + end)
      var frame = 0
      while frame < frameCount {
        unsafe lane[frame] = 0
        frame += 1
      }
    }
    end += frameCount
  }

  /// Writes `frameCount` output frames to a bus, from frame `offset` on. Their input must have been
  /// pushed.
  ///
  /// Returns whether every sample is zero because the input was silent, so that the caller can mark
  /// the bus.
  @discardableResult
  @_noLocks
  public mutating func pull(into bus: RenderBus, offset: Int = 0, frameCount: Int) -> Bool {
    precondition(bus.channelCount >= channelCount, "the bus has too few channels")
    precondition(
      offset >= 0 && offset + frameCount <= bus.frameCount, "the bus has too few frames")
    precondition(inputFramesNeeded(forOutput: frameCount) == 0, "input frames are missing")
    if isExact { return pullExactly(into: bus, offset, frameCount) }
    var isSilent = true
    var frame = offset
    let stop = offset + frameCount
    while frame < stop {
      var count = stop - frame
      let isRamping = stepRemaining > 0
      if isRamping {
        // One by one during the crossfade from copy to filter.
        if isUnity && copyRemaining > 0 {
          count = 1
        } else if stepRemaining < count {
          count = stepRemaining
        }
      }
      if start >= soundEnd {
        var channel = 0
        while channel < channelCount {
          bus[channel].dropping(frame).prefix(count).clear()
          channel += 1
        }
      } else {
        isSilent = false
        if isUnity && copyRemaining > 0 {
          writeBetweenCopyAndFilter(frame, of: bus)
        } else {
          write(count, from: frame, of: bus)
        }
      }
      advance(by: count)
      frame += count
    }
    return isSilent
  }

  /// `pull` for a simple ratio that has not been adjusted: up to four frames, two channels and three
  /// periods at a time, or a copy between equal rates.
  @_noLocks
  private mutating func pullExactly(into bus: RenderBus, _ offset: Int, _ frameCount: Int) -> Bool {
    var isSilent = true
    var done = 0
    // The rows that are still to be used for several periods at once.
    var repeatedRows = 0
    while done < frameCount {
      var count = frameCount - done
      var isQuiet = start >= soundEnd
      if !isUnity {
        let left = blocks.framesLeft(after: row)
        if repeatedRows == 0 && !isQuiet && count >= repeatedPlaces * blocks.period {
          repeatedRows = blocks.period
        }
        if left < count { count = left }
        if repeatedRows > 0 {
          if repeatedRows < count { count = repeatedRows }
          // The zeros behind the end give zeros.
          isQuiet = false
        }
      }
      if !isQuiet { isSilent = false }
      var channel = 0
      while channel < channelCount {
        let first = bus[channel].dropping(offset + done).prefix(count)
        let lane = unsafe lanes.start + channel * laneStride
        if isQuiet {
          first.clear()
        } else if isUnity {
          let source = lanes.buffer(
            at: channel * laneStride + start + taps / 2 - 1, count: count)
          first.copy(from: source)
        } else if channel + 1 < channelCount {
          let second = bus[channel + 1].dropping(offset + done).prefix(count)
          unsafe blocks.write(
            count, from: row, isRepeated: repeatedRows > 0, lane + blockStart,
            lane + laneStride + blockStart, into: first.start, second.start)
          channel += 1
        } else {
          unsafe blocks.write(
            count, from: row, isRepeated: repeatedRows > 0, lane + blockStart, nil,
            into: first.start, nil)
        }
        channel += 1
      }
      advanceExactly(count)
      done += count
      if repeatedRows > 0 {
        repeatedRows -= count
        if repeatedRows == 0 {
          let further = repeatedPlaces - 1
          start += further * blocks.distance
          blockStart += further * blocks.distance
          done += further * blocks.period
        }
      }
    }
    return isSilent
  }

  /// Advances by `count` frames, which end within a block or at its end.
  @_noLocks
  private mutating func advanceExactly(_ count: Int) {
    let way = phase + count * phaseStep
    start += way / phases
    phase = way % phases
    if isUnity {
      blockStart = start
    } else {
      row += count
      if row == blocks.period { row = 0 }
      if row % BlockTable.blockLength == 0 { blockStart = start }
    }
  }

  /// Takes `ratio` times as much input as the two rates say: 1.000037 for a source whose clock is
  /// 37 parts in a million fast.
  ///
  /// The change is a ramp over 20 ms of output, but at least 64 frames. `ratio` is limited by
  /// `maximumDeviation`; NaN is ignored.
  @_noLocks
  public mutating func adjust(ratio: Double) {
    precondition(isAdjustable, "the resampler was not made to be adjusted")
    var deviation = ratio - 1
    guard deviation == deviation else { return }
    if deviation > Self.maximumDeviation { deviation = Self.maximumDeviation }
    if deviation < -Self.maximumDeviation { deviation = -Self.maximumDeviation }
    let target =
      nominalStep + Int128(Int64(deviation * nominalStepValue * 1_099_511_627_776)) &<< 24
    guard target != targetStep else { return }
    if isExact {
      isExact = false
      fraction =
        UInt64(phases).dividingFullWidth((high: UInt64(phase), low: 0)).quotient
    }
    targetStep = target
    stepIncrement = (target - step) / Int128(rampLength)
    stepRemaining = rampLength
  }

  /// Discards all frames and adjustments, and returns to the initial state.
  @_noLocks
  public mutating func reset() {
    var index = 0
    while index < lanes.count {
      unsafe lanes.start[index] = 0
      index += 1
    }
    start = 0
    blockStart = 0
    end = firstEnd
    soundEnd = 0
    row = 0
    phase = 0
    fraction = 0
    isExact = phases > 0
    step = nominalStep
    targetStep = nominalStep
    stepIncrement = 0
    stepRemaining = 0
    copyRemaining = rampLength
  }

  /// The whole input frames that the position advances in `count` output frames.
  @_noLocks
  private func advance(_ count: Int) -> Int {
    if isExact { return (phase + count * phaseStep) / phases }
    let ramped = Int128(count < stepRemaining ? count : stepRemaining)
    let way =
      ramped * step + stepIncrement * (ramped * (ramped - 1) / 2)
      + (Int128(count) - ramped) * targetStep
    return Int(truncatingIfNeeded: (way + Int128(fraction)) &>> 64)
  }

  /// Advances by `count` frames, at most to the end of a ramp.
  @_noLocks
  private mutating func advance(by count: Int) {
    let frames = Int128(count)
    let increment = stepRemaining > 0 ? stepIncrement : 0
    let way = frames * step + increment * (frames * (frames - 1) / 2) + Int128(fraction)
    fraction = UInt64(truncatingIfNeeded: way)
    start += Int(truncatingIfNeeded: way &>> 64)
    guard stepRemaining > 0 else { return }
    stepRemaining -= count
    step = stepRemaining == 0 ? targetStep : step + increment * frames
    if isUnity && copyRemaining > 0 { copyRemaining -= count }
  }

  @_noLocks
  private func write(_ count: Int, from frame: Int, of bus: RenderBus) {
    var channel = 0
    while channel < channelCount {
      let lane = unsafe lanes.start + channel * laneStride + start
      let first = unsafe bus[channel].start + frame
      let increment = stepRemaining > 0 ? stepIncrement : 0
      if channel + 1 < channelCount {
        unsafe walk(
          rows.start, rowCount: rows.rowCount, width: rows.width, fraction: fraction, step: step,
          increment: increment, lane, lane + laneStride, frames: count, into: first,
          bus[channel + 1].start + frame)
        channel += 1
      } else {
        unsafe walk(
          rows.start, rowCount: rows.rowCount, width: rows.width, fraction: fraction, step: step,
          increment: increment, lane, nil, frames: count, into: first, nil)
      }
      channel += 1
    }
  }

  /// Crossfades from copying to filtering, after the first adjustment of a 1:1 ratio, so that the
  /// change of the response is inaudible.
  @_noLocks
  private func writeBetweenCopyAndFilter(_ frame: Int, of bus: RenderBus) {
    let copy = Float(copyRemaining) / Float(rampLength)
    write(1, from: frame, of: bus)
    // The frame nearest to the position, which with a ratio below 1 is still before it.
    let next = start + (fraction &>> 63 == 0 ? taps / 2 - 1 : taps / 2)
    var channel = 0
    while channel < channelCount {
      let filtered = bus[channel][frame]
      let copied = unsafe lanes.start[channel * laneStride + next]
      bus[channel][frame] = filtered + (copied - filtered) * copy
      channel += 1
    }
  }

  /// Moves the frames that may still be read to the front of the lanes, where there is no room
  /// behind them.
  @_noLocks
  private mutating func makeRoom(_ frameCount: Int) {
    precondition(frameCount <= room, "no room in the resampler")
    guard end + frameCount > laneLength else { return }
    let first = kept
    let count = end - first
    for channel in 0..<channelCount {
      let lane = unsafe lanes.start + channel * laneStride
      var frame = 0
      while frame < count {
        unsafe lane[frame] = lane[first + frame]
        frame += 1
      }
    }
    soundEnd = soundEnd > first ? soundEnd - first : 0
    start -= first
    blockStart = 0
    end = count
  }
}
