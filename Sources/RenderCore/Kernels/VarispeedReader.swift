/// Reads a signal of any number of channels at a pace (frames of the signal for each frame read)
/// that may change with every frame, as a tape at varying speed.
///
/// Frame 0 is read at frame 0 of the signal. Each further frame is read at the position of the one
/// before plus the mean of the two frames' paces, which is the integral of a constant or linear
/// pace. The positions, and the number of frames to push, depend on the paces alone, and not on how
/// a render is sliced.
///
/// A frame is a windowed sinc over the signal. Below a pace of 1 it passes everything up to half
/// the signal's rate, except for the filter's transition band (`ReadingFilter`); above, it stops
/// everything beyond half the output's rate. Between paces the filter changes continuously: it
/// mixes two filters, both made for the same pace or a higher one, by 9 % at the most. While the
/// pace has been 1 since the beginning, frames are copied.
///
/// A stretch is read at once: call `frame(at:)` for each of its frames, `framesNeeded`, `push` with
/// that many frames, and `read`.
public struct VarispeedReader: ~Copyable {
  /// The most frames of a stretch.
  public static var longest: Int { @_noLocks get { 256 } }

  private static var filtersPerOctave: Double { @_noLocks get { 16 } }
  /// Frames of the crossfade from copying to filtering.
  private static var fadeLength: Int { @_noLocks get { 64 } }
  /// Frames that a row reads beyond its taps, with weights of zero.
  private static var margin: Int { @_noLocks get { 16 } }

  /// The channels, all read at the same positions.
  public let channelCount: Int
  /// Frames of the signal pushed ahead of the frame that is read, at any pace.
  public let lookAhead: Int
  private let fastest: Double
  private let filters: ReadingFilterBank
  private let lanes: SampleStorage
  private let laneLength: Int
  private let row: SampleStorage
  private let otherRow: SampleStorage
  // For each frame of the stretch: its position as a whole frame after `start` and a fraction, and
  // its pace.
  private let fractions: DoubleStorage
  private let wholes: DoubleStorage
  private let paces: DoubleStorage

  // The position in the lanes of the last frame of the stretch before, and the end of the frames
  // pushed.
  private var start: Int
  private var end: Int
  /// The end of the sound: the lanes are zero from here to `end`.
  private var soundEnd = 0
  /// The frames of the stretch so far.
  private var count = 0
  /// Whether all of them have a pace of 1.
  private var isPlain = true
  private var fraction = 0.0
  private var lastPace = -1.0
  /// Frames left of the crossfade from copying; more than `fadeLength` before it has begun.
  private var copyLeft = VarispeedReader.fadeLength + 1
  // The filters for the last pace: the first one, the next one, and the share of the next one.
  private var filterPace = 1.0
  private var filterNumber = 0
  private var filterNext = 0
  private var filterShare: Float = 0

  // MARK: Control thread

  /// - Parameters:
  ///   - channelCount: 1 or more.
  ///   - fastest: The highest pace, in frames of the signal for each frame read; from 1 to 64.
  ///   - maximumPush: The most frames of one `push`.
  public init(channelCount: Int, fastest: Double, maximumPush: Int) {
    precondition(channelCount > 0 && maximumPush > 0, "a signal has a channel and frames")
    precondition(fastest >= 1 && fastest <= 64, "a pace is up to 64")
    self.channelCount = channelCount
    self.fastest = fastest
    filters = ReadingFilterBank(
      through: Self.lastFilter(fastest), filtersPerOctave: Self.filtersPerOctave)
    let width = filters.width
    let reach = width / 2 + Self.margin
    lookAhead = reach
    let stretch = Int((Double(Self.longest) * fastest).rounded(.up)) + 2
    // Room for twice the frames of a stretch, so that the lanes are not moved for each stretch.
    laneLength = 2 * reach + 2 * stretch + 2 * maximumPush
    // The margin of a row may reach beyond the last lane.
    lanes = SampleStorage(repeating: 0, count: laneLength * channelCount + 64)
    row = SampleStorage(repeating: 0, count: width)
    otherRow = SampleStorage(repeating: 0, count: width)
    fractions = DoubleStorage(repeating: 0, count: Self.longest)
    wholes = DoubleStorage(repeating: 0, count: Self.longest)
    paces = DoubleStorage(repeating: 1, count: Self.longest)
    start = reach
    end = reach
  }

  /// The `lookAhead` of a reader made for a highest pace.
  public static func lookAhead(fastest: Double) -> Int {
    ReadingFilter.number(lastFilter(fastest), filtersPerOctave: filtersPerOctave).width / 2 + margin
  }

  private static func lastFilter(_ fastest: Double) -> Int {
    Int((renderLog2(fastest) * filtersPerOctave).rounded(.down)) + 2
  }

  // MARK: Render thread

  /// Discards all frames and returns to the initial state.
  @_noLocks
  public mutating func reset() {
    lanes.buffer(at: 0, count: lanes.count).clear()
    start = lookAhead
    end = lookAhead
    soundEnd = 0
    count = 0
    isPlain = true
    fraction = 0
    lastPace = -1
    copyLeft = Self.fadeLength + 1
  }

  /// Adds a frame to the stretch, which may have up to `longest` frames.
  ///
  /// - Parameter pace: Above 0; limited to `fastest`.
  @_noLocks
  public mutating func frame(at pace: Double) {
    precondition(count < Self.longest && pace > 0, "a stretch has 256 frames, and goes forward")
    let pace = pace < fastest ? pace : fastest
    if pace != 1 { isPlain = false }
    var whole = count == 0 ? 0 : wholes[count - 1]
    if lastPace > 0 {
      fraction += (lastPace + pace) / 2
      let frames = Double(Int(fraction))
      fraction -= frames
      whole += frames
    }
    lastPace = pace
    fractions[count] = fraction
    wholes[count] = whole
    paces[count] = pace
    count += 1
  }

  /// Adds frames of one pace to the stretch.
  @_noLocks
  public mutating func frames(_ frameCount: Int, at pace: Double) {
    for _ in 0..<frameCount { frame(at: pace) }
  }

  /// The number of frames to push before the stretch is read.
  @_noLocks
  public mutating func framesNeeded() -> Int {
    guard count > 0 else { return 0 }
    let last = start + Int(wholes[count - 1]) + lookAhead
    return last > end ? last - end : 0
  }

  /// Takes frames of the signal. Samples that are not finite count as 0.
  @_noLocks
  public mutating func push(_ bus: RenderBus, frameCount: Int) {
    precondition(
      frameCount <= bus.frameCount && bus.channelCount == channelCount,
      "the bus has the signal's channels")
    makeRoom(frameCount)
    for channel in 0..<channelCount {
      let frames = lanes.buffer(at: channel * laneLength + end, count: frameCount)
      if bus.isSilent { frames.clear() } else { frames.copyFinite(from: bus[channel]) }
    }
    end += frameCount
    if bus.isSilent { return }
    // A bus that is not marked as silent may still be all zeros: a pause in a file.
    for channel in 0..<channelCount {
      let lane = channel * laneLength
      var last = end
      while last > end - frameCount, lanes[lane + last - 1] == 0 { last -= 1 }
      if last > end - frameCount && last > soundEnd { soundEnd = last }
    }
  }

  /// Reads the stretch, whose frames must have been pushed, and begins the next one.
  ///
  /// - Parameter offset: The frame of the bus for the first frame of the stretch.
  /// - Returns: Whether all of it is zeros.
  @_noLocks
  public mutating func read(into bus: RenderBus, offset: Int) -> Bool {
    precondition(
      bus.channelCount == channelCount && offset >= 0 && offset + count <= bus.frameCount,
      "the bus has the signal's channels, and room")
    precondition(framesNeeded() == 0, "frames are missing")
    let isSilent: Bool
    if start - lookAhead >= soundEnd {
      silence(bus, offset)
      isSilent = true
    } else if isPlain, copyLeft > Self.fadeLength {
      isSilent = copy(into: bus, offset)
    } else {
      isSilent = readFrames(into: bus, offset)
    }
    if count > 0 {
      // The next stretch continues from the last frame.
      start += Int(wholes[count - 1])
      count = 0
      isPlain = true
    }
    return isSilent
  }

  // MARK: Inner loops

  /// Outputs a stretch behind the end of the sound.
  @_noLocks
  private mutating func silence(_ bus: RenderBus, _ offset: Int) {
    for channel in 0..<channelCount { bus[channel].dropping(offset).prefix(count).clear() }
    if isPlain, copyLeft > Self.fadeLength { return }
    for frame in 0..<count {
      if copyLeft == 0 { return }
      beginFade(paces[frame])
      if copyLeft <= Self.fadeLength { copyLeft -= 1 }
    }
  }

  /// Copies a stretch, whose frames all have a pace of 1 as those before it. Returns whether all of
  /// it is zeros.
  @_noLocks
  private func copy(into bus: RenderBus, _ offset: Int) -> Bool {
    guard count > 0 else { return true }
    let place = start + Int(wholes[0])
    // Frames from the end of the look-ahead on are written as zeros, not copied.
    let left = soundEnd + lookAhead - place
    let sounding = left < 0 ? 0 : left < count ? left : count
    for channel in 0..<channelCount {
      let frames = bus[channel].dropping(offset).prefix(count)
      frames.copy(from: lanes.buffer(at: channel * laneLength + place, count: sounding))
      frames.dropping(sounding).clear()
    }
    return sounding == 0
  }

  /// Begins the crossfade from copying at the first pace other than 1.
  @_noLocks
  private mutating func beginFade(_ pace: Double) {
    if copyLeft > Self.fadeLength, pace != 1 { copyLeft = Self.fadeLength }
  }

  /// Computes a stretch frame by frame. Returns whether all of it is zeros.
  @_noLocks
  private mutating func readFrames(into bus: RenderBus, _ offset: Int) -> Bool {
    var isSilent = true
    for frame in 0..<count {
      let place = start + Int(wholes[frame])
      let pace = paces[frame]
      beginFade(pace)
      if place - lookAhead >= soundEnd {
        for channel in 0..<channelCount { bus[channel][offset + frame] = 0 }
      } else {
        isSilent = false
        if copyLeft > Self.fadeLength {
          for channel in 0..<channelCount {
            bus[channel][offset + frame] = lanes[channel * laneLength + place]
          }
        } else {
          filter(place, fractions[frame], pace, into: bus, offset + frame)
          if copyLeft > 0 { blend(place, fractions[frame], into: bus, offset + frame) }
        }
      }
      if copyLeft > 0, copyLeft <= Self.fadeLength { copyLeft -= 1 }
    }
    return isSilent
  }

  @_noLocks
  private mutating func filter(
    _ place: Int, _ fraction: Double, _ pace: Double, into bus: RenderBus, _ frame: Int
  ) {
    if pace != filterPace { choose(pace) }
    let length = filters.rowLength(filterNumber)
    let first = place - filters.reach(filterNumber)
    let weights = row.buffer(at: 0, count: length)
    filters.blend(filterNumber, at: fraction, into: weights)
    for channel in 0..<channelCount {
      bus[channel][frame] = VectorMath.dot(
        weights, lanes.buffer(at: channel * laneLength + first, count: length))
    }
    guard filterShare > 0 else { return }
    let otherLength = filters.rowLength(filterNext)
    let otherFirst = place - filters.reach(filterNext)
    let others = otherRow.buffer(at: 0, count: otherLength)
    filters.blend(filterNext, at: fraction, into: others)
    for channel in 0..<channelCount {
      let sample = bus[channel][frame]
      let other = VectorMath.dot(
        others, lanes.buffer(at: channel * laneLength + otherFirst, count: otherLength))
      bus[channel][frame] = sample + (other - sample) * filterShare
    }
  }

  /// Chooses the filters for a pace: the next two of higher paces, and the share of the second that
  /// makes the mixture continuous. The first mixture begins one step below a pace of 1.
  @_noLocks
  private mutating func choose(_ pace: Double) {
    filterPace = pace
    filterNumber = 0
    filterNext = 0
    filterShare = 0
    let steps = renderLog2(pace) * Self.filtersPerOctave + 1
    guard steps > 0 else { return }
    let whole = Int(steps)
    filterShare = Float(steps - Double(whole))
    filterNumber = whole < filters.count ? whole : filters.count - 1
    filterNext = whole + 1 < filters.count ? whole + 1 : filters.count - 1
  }

  /// Crossfades from copying to filtering after the pace has left 1, so that the filter does not
  /// start with a step.
  @_noLocks
  private mutating func blend(
    _ place: Int, _ fraction: Double, into bus: RenderBus, _ frame: Int
  ) {
    let copy = Float(copyLeft) / Float(Self.fadeLength + 1)
    for channel in 0..<channelCount {
      let lane = channel * laneLength + place
      let before = lanes[lane]
      let copied = before + (lanes[lane + 1] - before) * Float(fraction)
      let filtered = bus[channel][frame]
      bus[channel][frame] = filtered + (copied - filtered) * copy
    }
  }

  /// Moves the frames that are still read to the front of the lanes, where there is no room behind
  /// them.
  @_noLocks
  private mutating func makeRoom(_ frameCount: Int) {
    guard end + frameCount > laneLength else { return }
    let first = start - lookAhead
    let length = end - first
    precondition(length + frameCount <= laneLength, "no room in the reader")
    for channel in 0..<channelCount {
      let lane = channel * laneLength
      // In parts that do not overlap with where they came from.
      var done = 0
      while done < length {
        let part = length - done < first ? length - done : first
        lanes.buffer(at: lane + done, count: part).copy(
          from: lanes.buffer(at: lane + first + done, count: part))
        done += part
      }
    }
    soundEnd = soundEnd > first ? soundEnd - first : 0
    start -= first
    end -= first
  }
}
