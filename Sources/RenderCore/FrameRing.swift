import Synchronization

/// Frames on their way from one thread to another: one side writes, one side reads, neither waits.
///
/// Each channel has a ring of its own of four-byte words, so that a stretch of frames is copied a
/// channel at a time. Frames are counted from the first on and never wrap in practice.
@safe
public final class FrameRing: @unchecked Sendable {
  // `@unchecked Sendable`: `written` and `read` order the accesses; each side writes only its own.
  private let words: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<FrameRingState>
  public let channelCount: Int
  /// In frames; a power of two.
  public let capacity: Int

  /// A ring for at least `minimumCapacity` frames.
  public init(channelCount: Int, minimumCapacity: Int) {
    var capacity = 1
    while capacity < minimumCapacity { capacity *= 2 }
    self.capacity = capacity
    self.channelCount = channelCount
    unsafe words = .allocate(capacity: max(1, capacity * channelCount))
    unsafe words.initialize(repeating: 0, count: max(1, capacity * channelCount))
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: FrameRingState())
  }

  deinit {
    unsafe words.deallocate()
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// What either side keeps: valid as long as the ring, which a kernel's box holds as company.
  public var access: FrameRingAccess {
    unsafe FrameRingAccess(
      words: words, state: state, capacity: capacity, channelCount: channelCount)
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
  let lead = Atomic<Int>(0)
  let underruns = Atomic<Int>(0)
  let missing = Atomic<Int>(0)
  let skipped = Atomic<Int>(0)
}

/// A frame ring as one of its two sides sees it.
@safe
public struct FrameRingAccess: BitwiseCopyable, @unchecked Sendable {
  private let words: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<FrameRingState>
  public let capacity: Int
  public let channelCount: Int

  @_noLocks
  init(
    words: UnsafeMutablePointer<Float>, state: UnsafeMutablePointer<FrameRingState>, capacity: Int,
    channelCount: Int
  ) {
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
  /// needs for filters that look ahead; 0 until it says so. A writer that keeps time with a device
  /// takes no notice.
  public var lead: Int {
    @_noLocks get { unsafe state.pointee.lead.load(ordering: .relaxed) }
    @_noLocks nonmutating set { unsafe state.pointee.lead.store(newValue, ordering: .relaxed) }
  }

  // MARK: The writing side

  /// Puts down one channel of frames, `offset` frames beyond what has been committed; `commit`
  /// makes them readable. There must be room.
  @_noLocks
  public func write(_ source: ChannelBuffer, channel: Int, offset: Int = 0) {
    precondition(offset >= 0 && offset + source.count <= room, "no room in the ring")
    let start = unsafe state.pointee.written.load(ordering: .relaxed) + offset
    let base = unsafe lane(channel)
    var position = start & (capacity - 1)
    for frame in source.indices {
      unsafe base[position] = source[frame]
      position = (position + 1) & (capacity - 1)
    }
  }

  /// Puts down zeros in every channel, as `write` puts down frames. There must be room.
  @_noLocks
  public func writeSilence(_ frameCount: Int, offset: Int = 0) {
    precondition(
      offset >= 0 && frameCount >= 0 && offset + frameCount <= room, "no room in the ring")
    let start = unsafe state.pointee.written.load(ordering: .relaxed) + offset
    for channel in 0..<channelCount {
      let base = unsafe lane(channel)
      var position = start & (capacity - 1)
      for _ in 0..<frameCount {
        unsafe base[position] = 0
        position = (position + 1) & (capacity - 1)
      }
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
    let base = unsafe lane(channel)
    var position = start & (capacity - 1)
    for frame in sink.indices {
      unsafe sink[frame] = base[position]
      position = (position + 1) & (capacity - 1)
    }
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

  @_noLocks
  private func lane(_ channel: Int) -> UnsafeMutablePointer<Float> {
    precondition(channel >= 0 && channel < channelCount, "channel out of range")
    return unsafe words + channel * capacity
  }
}
