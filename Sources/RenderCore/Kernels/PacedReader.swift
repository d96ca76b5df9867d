/// Reads several signals, each at its own pace (frames of the signal for each frame read), which
/// may change at any time: sources at other sample rates, varispeed playback, Doppler shift, a
/// signal at two ears.
///
/// It works in blocks of one length. Within a block the pace and the delay change linearly: frame n
/// of a block is read at
///
///     position + n · start + n² · (end - start) / (2 · blockLength) - delay(n) · pace(n)
///
/// in frames of the signal. At a pace of 1, on a whole frame, it copies; otherwise it filters with
/// a windowed sinc whose passband ends below half the lower rate. Between copy and filter, and
/// between two filters, it crossfades over a block.
///
/// For each block and signal call `framesNeeded`, `push` with that many frames, any number of
/// `read`s, and `advance`.
@safe
public struct PacedReader: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: it owns its memory, and one thread at a time uses it.
  /// The description of a signal.
  public struct Signal: Hashable, Sendable {
    /// 1 or 2.
    public var channelCount: Int
    /// The greatest pace: frames of the signal for each frame read.
    public var fastest: Double
    /// The smallest pace, above 0.
    public var slowest: Double

    public init(channelCount: Int, fastest: Double, slowest: Double) {
      self.channelCount = channelCount
      self.fastest = fastest
      self.slowest = slowest
    }
  }

  /// The most readings of a signal in a block, each with its own pace and delay.
  public static var readings: Int { @_noLocks get { 3 } }

  /// The number of filters per octave of pace: each serves paces up to 4 % above and below its own.
  static var filtersPerOctave: Double { @_noLocks get { 8 } }

  /// Frames that a row reads beyond its taps, with weights of zero.
  private static var margin: Int { @_noLocks get { 16 } }

  private struct State: BitwiseCopyable {
    var channelCount: Int
    var firstLane: Int
    var laneLength: Int
    /// Frames before `start` that a reading may still need.
    var history: Int
    var slowest: Double
    var fastest: Double
    /// Frames in the lanes.
    var end: Int
    /// The end of the sound: the lanes are zero from here to `end`.
    var soundEnd: Int
    /// The next block begins `fraction` of a frame after frame `start`.
    var start: Int
    var fraction: Double
    /// The filter of the last block for each reading: -1 for none yet, -2 for a copy.
    var filter0: Int
    var filter1: Int
    var filter2: Int
  }

  /// The frames of a block.
  public let blockLength: Int
  private let signalCount: Int
  private let states: UnsafeMutablePointer<State>
  private let tables: UnsafeMutablePointer<ReadingFilter.Table>
  private let filters: [ReadingFilter]
  private let firstFilter: Int
  private let filterCount: Int
  private let lanes: SampleStorage
  private let row: SampleStorage
  private let other: SampleStorage
  private let sums: SampleStorage

  // MARK: Control thread

  /// - Parameters:
  ///   - blockLength: In frames read.
  ///   - maximumDelay: The longest delay of a reading, in frames read.
  public init(_ signals: [Signal], blockLength: Int, maximumDelay: Int = 0) {
    precondition(blockLength > 0 && maximumDelay >= 0, "a block has at least one frame")
    precondition(
      signals.allSatisfy {
        (1...2).contains($0.channelCount) && $0.slowest > 0 && $0.slowest <= $0.fastest
      }, "a signal is mono or stereo and goes forward")
    self.blockLength = blockLength
    signalCount = signals.count
    let first = Self.number(signals.map(\.slowest).min() ?? 1)
    let last = max(first, Self.number(signals.map(\.fastest).max() ?? 1))
    firstFilter = first
    filterCount = last - first + 1
    filters = (first...last).map { ReadingFilter.number($0) }
    unsafe tables = .allocate(capacity: filterCount)
    for (index, filter) in filters.enumerated() {
      unsafe (tables + index).initialize(to: filter.table)
    }
    unsafe states = .allocate(capacity: max(1, signals.count))
    var laneFrames = 0
    for (index, signal) in signals.enumerated() {
      let reach = filters[Self.number(signal.fastest) - first].width / 2 + Self.margin
      let history = Int((Double(maximumDelay) * signal.fastest).rounded(.up)) + reach + 2
      let block = Int((Double(blockLength) * signal.fastest).rounded(.up)) + 2
      // Room for twice the frames of a block, so that the lanes are not moved for each block.
      let length = history + 2 * block + 2 * reach + 16
      unsafe (states + index).initialize(
        to: State(
          channelCount: signal.channelCount, firstLane: laneFrames, laneLength: length,
          history: history, slowest: signal.slowest, fastest: signal.fastest, end: history,
          soundEnd: 0, start: history, fraction: 0, filter0: -1,
          filter1: -1, filter2: -1))
      laneFrames += length * signal.channelCount
    }
    // The margin of a row may reach beyond the last lane.
    lanes = SampleStorage(repeating: 0, count: laneFrames + 32)
    row = SampleStorage(repeating: 0, count: filters.map(\.width).max() ?? 16)
    other = SampleStorage(repeating: 0, count: blockLength)
    sums = SampleStorage(repeating: 0, count: 4)
  }

  deinit {
    unsafe states.deallocate()
    unsafe tables.deallocate()
  }

  /// The most frames of a signal that are pushed ahead of the frame that is read, at a constant
  /// pace: a block and half a filter.
  public static func lookAhead(pace: Double, blockLength: Int) -> Int {
    Int((Double(blockLength) * pace).rounded(.up)) + 2
      + ReadingFilter.number(number(pace)).width / 2 + margin
  }

  /// The filter for a pace. Up to a pace of 1 the signal's own rate is the lower one.
  private static func number(_ pace: Double) -> Int {
    pace <= 1 ? 0 : Int((renderLog10(pace) / renderLog10(2) * Self.filtersPerOctave).rounded())
  }

  // MARK: Render thread

  /// Discards all frames and returns to the initial state.
  @_noLocks
  public mutating func reset() {
    lanes.buffer(at: 0, count: lanes.count).clear()
    for index in 0..<signalCount {
      unsafe states[index].end = states[index].history
      unsafe states[index].soundEnd = 0
      unsafe states[index].start = states[index].history
      unsafe states[index].fraction = 0
      forgetFilters(index)
    }
  }

  /// The nearest pace in the signal's range.
  @_noLocks
  public mutating func clamped(_ pace: Double, of signal: Int) -> Double {
    let state = unsafe states[checked(signal)]
    return pace < state.slowest ? state.slowest : pace > state.fastest ? state.fastest : pace
  }

  /// The number of frames to push before the next block is read.
  @_noLocks
  public mutating func framesNeeded(_ signal: Int, from start: Double, until end: Double) -> Int {
    let state = unsafe states[checked(signal)]
    var reach = reach(filter(start > end ? start : end))
    for reading in 0..<Self.readings {
      let before = self.reach(previous(state, reading))
      if before > reach { reach = before }
    }
    let way = state.fraction + Double(blockLength) * (start + end) / 2
    let last = state.start + Int(way) + 1 + reach
    return last > state.end ? last - state.end : 0
  }

  /// Takes frames of a signal. Samples that are not finite count as 0.
  @_noLocks
  public mutating func push(_ signal: Int, _ bus: RenderBus, frameCount: Int) {
    let state = unsafe states[checked(signal)]
    precondition(
      frameCount <= bus.frameCount && bus.channelCount == state.channelCount,
      "the bus has the signal's channels")
    if state.end + frameCount > state.laneLength { makeRoom(signal) }
    let place = unsafe states[signal].end
    precondition(place + frameCount <= state.laneLength, "no room in the reader")
    for channel in 0..<bus.channelCount {
      unsafe copyFinite(
        bus[channel].start, into: lane(signal, channel) + place, count: frameCount)
    }
    unsafe states[signal].end = place + frameCount
    if bus.isSilent { return }
    // A bus that is not marked as silent may still be all zeros: a pause in a file.
    var soundEnd = unsafe states[signal].soundEnd
    for channel in 0..<bus.channelCount {
      let lane = unsafe lane(signal, channel)
      var end = place + frameCount
      while unsafe end > place && lane[end - 1] == 0 { end -= 1 }
      if end > place && end > soundEnd { soundEnd = end }
    }
    unsafe states[signal].soundEnd = soundEnd
  }

  /// Whether the next block reads only zeros.
  @_noLocks
  public mutating func isSilent(_ signal: Int) -> Bool {
    let state = unsafe states[checked(signal)]
    return state.soundEnd <= state.start - state.history
  }

  /// Reads a block of a channel.
  ///
  /// - Parameters:
  ///   - reading: 0, 1 or 2: each has a filter of its own from block to block.
  ///   - start: The pace at the beginning of the block; `end` is the one after its last frame.
  ///   - startDelay: In frames read, 0 or more; `endDelay` is the one after the last frame.
  ///   - output: Room for a block.
  @_noLocks
  public mutating func read(
    _ signal: Int, channel: Int, reading: Int, from start: Double, until end: Double,
    startDelay: Double = 0, endDelay: Double = 0, into output: ChannelBuffer
  ) {
    let index = checked(signal)
    precondition(
      unsafe channel >= 0 && channel < states[index].channelCount && output.count >= blockLength,
      "no such channel, or no room for a block")
    let span = unsafe Span(
      start: start, end: end, startDelay: startDelay, endDelay: endDelay,
      fraction: states[index].fraction, blockLength: blockLength)
    let filter = span.isCopy ? -2 : filter(start > end ? start : end)
    let before = unsafe previous(states[index], reading)
    setFilter(index, reading, filter)
    if before == -1 || before == filter {
      unsafe read(index, channel, span, filter, into: output.start)
      return
    }
    unsafe read(index, channel, span, before, into: output.start)
    unsafe read(index, channel, span, filter, into: other.start)
    let target = unsafe output.start
    let source = unsafe other.start
    let rise = 1 / Float(blockLength)
    var frame = 0
    while frame < blockLength {
      let share = Float(Int32(truncatingIfNeeded: frame + 1)) * rise
      unsafe target[frame] += (source[frame] - target[frame]) * share
      frame += 1
    }
  }

  /// Lets the next block of a signal start without a crossfade from the last filter, after skipped
  /// blocks.
  @_noLocks
  public mutating func forgetFilters(_ signal: Int) {
    let index = checked(signal)
    for reading in 0..<Self.readings { setFilter(index, reading, -1) }
  }

  /// Goes to the next block.
  @_noLocks
  public mutating func advance(_ signal: Int, from start: Double, until end: Double) {
    let index = checked(signal)
    let way = unsafe states[index].fraction + Double(blockLength) * (start + end) / 2
    let whole = Int(way)
    unsafe states[index].start += whole
    unsafe states[index].fraction = way - Double(whole)
  }

  // MARK: Inner loops

  /// The positions of a block's frames.
  private struct Span: BitwiseCopyable {
    let start: Double
    let end: Double
    let startDelay: Double
    let endDelay: Double
    let fraction: Double
    let bend: Double
    let paceRise: Double
    let delayRise: Double

    @_noLocks
    init(
      start: Double, end: Double, startDelay: Double, endDelay: Double, fraction: Double,
      blockLength: Int
    ) {
      self.start = start
      self.end = end
      self.startDelay = startDelay
      self.endDelay = endDelay
      self.fraction = fraction
      paceRise = (end - start) / Double(blockLength)
      bend = paceRise / 2
      delayRise = (endDelay - startDelay) / Double(blockLength)
    }

    /// Whether all frames have the same fraction.
    var isSteady: Bool {
      @_noLocks get {
        if start != 1 || end != 1 { return false }
        return startDelay == endDelay
      }
    }

    var isCopy: Bool {
      @_noLocks get {
        if !isSteady { return false }
        let place = fraction - startDelay
        return place == Double(Int(place))
      }
    }

    /// The position of a frame, relative to frame `start` of the signal.
    @_noLocks
    @inline(__always)
    func place(_ frame: Int) -> Double {
      let n = Double(frame)
      let delay = (startDelay + delayRise * n) * (start + paceRise * n)
      return fraction + n * (start + n * bend) - delay
    }
  }

  @_noLocks
  private mutating func read(
    _ index: Int, _ channel: Int, _ span: Span, _ filter: Int,
    into output: UnsafeMutablePointer<Float>
  ) {
    let state = unsafe states[index]
    // Positions relative to this frame are never negative.
    let origin = state.start - state.history
    let lift = Double(state.history)
    let lane = unsafe lane(index, channel) + origin
    guard filter >= 0 else {
      unsafe readLinearly(lane, lift, span, into: output)
      return
    }
    let table = unsafe tables[filter]
    let before = table.tapCount / 2 - 1
    if span.isSteady {
      let place = span.place(0) + lift
      let whole = Int(place)
      let weights = weights(place - Double(whole), table)
      unsafe blendRows(
        table.rows + weights.row * table.width, count: table.width, weights.w0, weights.w1,
        weights.w2, weights.w3, into: row.start)
      unsafe filterBlock(
        row.start, count: table.tapCount, lane + (whole - before), into: output,
        frameCount: blockLength)
      return
    }
    let sums = unsafe self.sums.start
    var frame = 0
    while frame < blockLength {
      let place = span.place(frame) + lift
      let whole = Int(place)
      let weights = weights(place - Double(whole), table)
      unsafe dotBlock(
        table.rows + weights.row * table.width, rows: 4, lane + (whole - before),
        count: table.width, into: sums)
      unsafe output[frame] =
        sums[0] * weights.w0 + sums[1] * weights.w1 + (sums[2] * weights.w2 + sums[3] * weights.w3)
      frame += 1
    }
  }

  private struct Weights: BitwiseCopyable {
    let row: Int
    let w0: Float
    let w1: Float
    let w2: Float
    let w3: Float

    @_noLocks
    init(row: Int, _ t: Float) {
      self.row = row
      // Lagrange's cubic through the rows at -1, 0, 1 and 2. Row -1 is the first in the table.
      w0 = -t * (t - 1) * (t - 2) / 6
      w1 = (t + 1) * (t - 1) * (t - 2) / 2
      w2 = -(t + 1) * t * (t - 2) / 2
      w3 = (t + 1) * t * (t - 1) / 6
    }
  }

  @_noLocks
  @inline(__always)
  private func weights(_ fraction: Double, _ table: ReadingFilter.Table) -> Weights {
    let place = fraction * Double(table.rowCount)
    let row = Int(place)
    return Weights(row: row, Float(place - Double(row)))
  }

  /// Interpolates linearly; on whole frames it copies.
  @_noLocks
  private mutating func readLinearly(
    _ lane: UnsafePointer<Float>, _ lift: Double, _ span: Span,
    into output: UnsafeMutablePointer<Float>
  ) {
    if span.isCopy {
      let first = Int(span.place(0) + lift)
      var frame = 0
      while frame < blockLength {
        unsafe output[frame] = lane[first + frame]
        frame += 1
      }
      return
    }
    var frame = 0
    while frame < blockLength {
      let place = span.place(frame) + lift
      let whole = Int(place)
      let share = Float(place - Double(whole))
      unsafe output[frame] = lane[whole] + (lane[whole + 1] - lane[whole]) * share
      frame += 1
    }
  }

  @_noLocks
  private func checked(_ signal: Int) -> Int {
    precondition(signal >= 0 && signal < signalCount, "no such signal")
    return signal
  }

  @_noLocks
  private func lane(_ index: Int, _ channel: Int) -> UnsafeMutablePointer<Float> {
    unsafe lanes.start + (states[index].firstLane + channel * states[index].laneLength)
  }

  @_noLocks
  private mutating func filter(_ pace: Double) -> Int {
    var number = 0
    if pace > 1 {
      let exact = renderLog10(pace) / renderLog10(2) * Self.filtersPerOctave
      number = Int(exact + 0.5)
    }
    let index = number - firstFilter
    return index < 0 ? 0 : index < filterCount ? index : filterCount - 1
  }

  /// The frames that a filter reads beyond its position.
  @_noLocks
  private mutating func reach(_ filter: Int) -> Int {
    filter < 0 ? 2 : unsafe tables[filter].width / 2 + Self.margin
  }

  @_noLocks
  private func previous(_ state: State, _ reading: Int) -> Int {
    reading == 0 ? state.filter0 : reading == 1 ? state.filter1 : state.filter2
  }

  @_noLocks
  private mutating func setFilter(_ index: Int, _ reading: Int, _ filter: Int) {
    if reading == 0 {
      unsafe states[index].filter0 = filter
    } else if reading == 1 {
      unsafe states[index].filter1 = filter
    } else {
      unsafe states[index].filter2 = filter
    }
  }

  /// Moves the frames that may still be read to the front of the lanes.
  @_noLocks
  private mutating func makeRoom(_ index: Int) {
    let state = unsafe states[index]
    let first = state.start - state.history
    guard first > 0 else { return }
    let count = state.end - first
    for channel in 0..<state.channelCount {
      let lane = unsafe lane(index, channel)
      var frame = 0
      while frame < count {
        unsafe lane[frame] = lane[first + frame]
        frame += 1
      }
    }
    unsafe states[index].start -= first
    unsafe states[index].end = count
    unsafe states[index].soundEnd = state.soundEnd > first ? state.soundEnd - first : 0
  }
}
