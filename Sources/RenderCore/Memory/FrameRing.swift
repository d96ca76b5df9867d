import Glibc
import Synchronization

/// Frames on their way from one thread to another: one side writes, one side reads, neither waits.
///
/// Each channel has a ring of its own of four-byte words, so that a stretch of frames is copied a
/// channel at a time. An interleaved ring has its frames as files have them: they are read into it, and
/// what takes them out takes them apart. Frames are counted from the first on and never wrap in practice.
@safe
public final class FrameRing: @unchecked Sendable {
  // `@unchecked Sendable`: `written` and `read` order the accesses; each side writes only its own.
  private let words: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<FrameRingState>
  /// Channels of a frame.
  public let channelCount: Int
  /// In frames; a power of two.
  public let capacity: Int
  /// Whether the samples of a frame lie side by side, as in most files.
  public let isInterleaved: Bool

  /// A ring for at least `minimumCapacity` frames.
  public init(channelCount: Int, minimumCapacity: Int, isInterleaved: Bool = false) {
    var capacity = 1
    while capacity < minimumCapacity { capacity *= 2 }
    self.capacity = capacity
    self.channelCount = channelCount
    self.isInterleaved = isInterleaved
    // Zeros that take no memory before they are written.
    guard let memory = unsafe calloc(max(1, capacity * channelCount), 4) else {
      preconditionFailure("there is no memory for a ring of \(capacity) frames")
    }
    unsafe words = memory.bindMemory(to: Float.self, capacity: max(1, capacity * channelCount))
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: FrameRingState())
  }

  deinit {
    unsafe free(words)
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// What either side keeps: valid as long as the ring, which a kernel's box holds as company.
  public var access: FrameRingAccess {
    unsafe FrameRingAccess(
      words: words, state: state, capacity: capacity, channelCount: channelCount,
      isInterleaved: isInterleaved)
  }

  /// How often there was less to read than was due. Any thread.
  public var underruns: Int { unsafe state.pointee.underruns.load(ordering: .relaxed) }

  /// Frames that were due and not there, in whose place there was silence. Any thread.
  public var missingFrames: Int { unsafe state.pointee.missing.load(ordering: .relaxed) }

  /// Frames that the reader gave up unheard, to catch up after the ring had been full. Any thread.
  public var skippedFrames: Int { unsafe state.pointee.skipped.load(ordering: .relaxed) }
}

@safe
struct FrameRingState: ~Copyable {
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  /// The frame that is at the beginning of the memory.
  let origin = Atomic<Int>(0)
  let lead = Atomic<Int>(0)
  /// The bits of a double.
  let pace = Atomic<UInt64>(Double(1).bitPattern)
  let underruns = Atomic<Int>(0)
  let missing = Atomic<Int>(0)
  let skipped = Atomic<Int>(0)
}

/// A frame ring as one of its two sides sees it.
@safe
public struct FrameRingAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: as the ring it is of: each side writes only its own.
  private let words: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<FrameRingState>
  /// How many frames there is room for.
  public let capacity: Int
  /// Channels of a frame.
  public let channelCount: Int
  private let isInterleaved: Bool

  @_noLocks
  init(
    words: UnsafeMutablePointer<Float>, state: UnsafeMutablePointer<FrameRingState>, capacity: Int,
    channelCount: Int, isInterleaved: Bool
  ) {
    self.isInterleaved = isInterleaved
    unsafe self.words = words
    unsafe self.state = state
    self.capacity = capacity
    self.channelCount = channelCount
  }

  /// Frames that wait to be read.
  public var available: Int {
    @_noLocks get {
      unsafe state.pointee.written.load(ordering: .acquiring)
        - state.pointee.read.load(ordering: .acquiring)
    }
  }

  /// Frames that there is room for.
  public var room: Int { @_noLocks get { capacity - available } }

  /// Frames written since the beginning.
  public var totalWritten: Int {
    @_noLocks get { unsafe state.pointee.written.load(ordering: .acquiring) }
  }

  /// Frames read since the beginning.
  public var totalRead: Int {
    @_noLocks get { unsafe state.pointee.read.load(ordering: .acquiring) }
  }

  /// By how many frames a writer that has its frames beforehand should stay ahead: before a pull of
  /// n frames it brings what it has written to `lead` + n more than has been pulled. What the reader
  /// needs for filters that look ahead; 0 until it says so. Where the writer keeps time with a device it
  /// is what the reader takes more in its first pull.
  public var lead: Int {
    @_noLocks get { unsafe state.pointee.lead.load(ordering: .relaxed) }
    @_noLocks nonmutating set { unsafe state.pointee.lead.store(newValue, ordering: .relaxed) }
  }

  /// How many frames the reader takes for one, nominally: over 1 where the writer's clock is fast. 1
  /// until a writer that follows the clocks says otherwise; 0 as long as it wants nothing read, and
  /// silence put in its place.
  public var pace: Double {
    @_noLocks get { unsafe Double(bitPattern: state.pointee.pace.load(ordering: .relaxed)) }
    @_noLocks nonmutating set {
      unsafe state.pointee.pace.store(newValue.bitPattern, ordering: .relaxed)
    }
  }

  /// In how many seconds whoever serves the ring has to come again, at the latest: before half of it is used, or
  /// less than so many frames are left. The 3D Mixer may take frames, and give them, four times as fast as
  /// the bus has them.
  ///
  /// - Parameters:
  ///   - frames: Frames that wait, or that there is room for.
  ///   - sampleRate: Of the bus, in Hz.
  public func secondsToSpare(
    _ frames: Int, atLeast frameCount: Int, sampleRate: Double
  ) -> Double {
    let surplus = frames - max(capacity / 2, frameCount)
    return min(Double(surplus), Double(capacity) / 8) / sampleRate
  }

  /// Frames that were due and not there, in whose place there was silence.
  public var missingFrames: Int {
    @_noLocks get { unsafe state.pointee.missing.load(ordering: .relaxed) }
  }

  // MARK: The writing side

  /// Has the next frames go to the beginning of the memory, where none waits to be read: a ring that is
  /// often empty stays in the nearest cache, however long it is. Nothing may have been put down that is
  /// not committed.
  @_noLocks
  public func rewind() {
    // The reader has given up all that there was, and looks where the next frames are only when they have
    // been committed.
    guard available == 0 else { return }
    let next = unsafe state.pointee.written.load(ordering: .relaxed)
    unsafe state.pointee.origin.store(next, ordering: .relaxed)
  }

  /// The memory of an interleaved ring that the next frames go to, and for how many there is room in one
  /// stretch; `commit` makes them readable.
  public var next: (memory: UnsafeMutablePointer<Float>, frameCount: Int) {
    precondition(isInterleaved, "the channels lie apart")
    let (first, _) = unsafe straight(
      state.pointee.written.load(ordering: .relaxed), room)
    return unsafe (words + first.start * channelCount, first.count)
  }

  /// Puts down one channel of frames, `offset` frames beyond what has been committed; `commit`
  /// makes them readable. There must be room.
  @_noLocks
  public func write(_ source: ChannelBuffer, channel: Int, offset: Int = 0) {
    precondition(offset >= 0 && offset + source.count <= room, "no room in the ring")
    let start = unsafe state.pointee.written.load(ordering: .relaxed) + offset
    let (first, rest) = straight(start, source.count)
    lane(channel, first).copy(from: source)
    lane(channel, rest).copy(from: source.dropping(first.count))
  }

  /// Puts down zeros in every channel, as `write` puts down frames. There must be room.
  @_noLocks
  public func writeSilence(_ frameCount: Int, offset: Int = 0) {
    precondition(
      offset >= 0 && frameCount >= 0 && offset + frameCount <= room, "no room in the ring")
    let start = unsafe state.pointee.written.load(ordering: .relaxed) + offset
    let (first, rest) = straight(start, frameCount)
    for channel in 0..<channelCount {
      lane(channel, first).clear()
      lane(channel, rest).clear()
    }
  }

  /// Makes frames readable that have been written to every channel.
  @_noLocks
  public func commit(_ frameCount: Int) {
    precondition(frameCount >= 0 && frameCount <= room, "no room in the ring")
    unsafe state.pointee.written.wrappingAdd(frameCount, ordering: .releasing)
  }

  // MARK: The reading side

  /// Copies frames of one channel, from `offset` frames beyond the oldest; `discard` gives them up.
  @_noLocks
  public func read(into sink: ChannelBuffer, channel: Int, offset: Int = 0) {
    precondition(offset >= 0 && offset + sink.count <= available, "not so many frames in the ring")
    let start = unsafe state.pointee.read.load(ordering: .relaxed) + offset
    let (first, rest) = straight(start, sink.count)
    guard !isInterleaved else {
      precondition(channel >= 0 && channel < channelCount, "channel out of range")
      let frames = unsafe words + channel
      unsafe pick(
        frames + first.start * channelCount, stride: channelCount, into: sink.prefix(first.count))
      return unsafe pick(frames, stride: channelCount, into: sink.dropping(first.count))
    }
    sink.copy(from: lane(channel, first))
    sink.dropping(first.count).copy(from: lane(channel, rest))
  }

  /// Gives up the oldest frames.
  @_noLocks
  public func discard(_ frameCount: Int) {
    precondition(frameCount >= 0 && frameCount <= available, "not so many frames in the ring")
    unsafe state.pointee.read.wrappingAdd(frameCount, ordering: .releasing)
  }

  /// Counts frames that were due and not there.
  @_noLocks
  public func countUnderrun(missing frameCount: Int) {
    unsafe state.pointee.underruns.wrappingAdd(1, ordering: .relaxed)
    unsafe state.pointee.missing.wrappingAdd(frameCount, ordering: .relaxed)
  }

  /// Gives up the oldest frames, and counts them as lost.
  @_noLocks
  public func skip(_ frameCount: Int) {
    discard(frameCount)
    unsafe state.pointee.skipped.wrappingAdd(frameCount, ordering: .relaxed)
  }

  /// A stretch of the memory of a channel.
  private struct Run: BitwiseCopyable {
    let start: Int
    let count: Int

    @_noLocks
    init(start: Int, count: Int) {
      self.start = start
      self.count = count
    }
  }

  /// Where frames are in the memory: up to its end, and from its beginning on.
  @_noLocks
  private func straight(_ frame: Int, _ count: Int) -> (Run, Run) {
    let origin = unsafe state.pointee.origin.load(ordering: .relaxed)
    let start = (frame - origin) & (capacity - 1)
    let first = count < capacity - start ? count : capacity - start
    return (Run(start: start, count: first), Run(start: 0, count: count - first))
  }

  @_noLocks
  private func lane(_ channel: Int, _ run: Run) -> ChannelBuffer {
    precondition(
      channel >= 0 && channel < channelCount && !isInterleaved, "a channel that lies apart")
    return unsafe ChannelBuffer(base: words + channel * capacity + run.start, count: run.count)
  }
}
