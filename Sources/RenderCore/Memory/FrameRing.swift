import Glibc
import Synchronization

/// A ring of frames between two threads: one writes, one reads, neither waits.
///
/// Each channel has a ring of its own of four-byte words, so that frames are copied channel by
/// channel; in an interleaved ring the words of a frame lie beside each other. Frames are counted
/// from the first one on; the count does not overflow in practice.
@safe
public final class FrameRing: @unchecked Sendable {
  // `@unchecked Sendable`: `written` and `read` order the accesses; each side writes only its own.
  private let words: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<FrameRingState>
  /// The number of channels.
  public let channelCount: Int
  /// The capacity in frames; a power of two.
  public let capacity: Int
  /// Whether it has two channels, interleaved.
  private let isInterleaved: Bool
  /// Owns the memory of the writer's whose frames are in the ring. Of the writer.
  private var owner: AnyObject?

  /// A ring for at least `minimumCapacity` frames. With two channels it may be interleaved.
  public init(channelCount: Int, minimumCapacity: Int, isInterleaved: Bool = false) {
    precondition(!isInterleaved || channelCount == 2, "an interleaved ring has two channels")
    var capacity = 1
    while capacity < minimumCapacity { capacity *= 2 }
    self.capacity = capacity
    self.channelCount = channelCount
    self.isInterleaved = isInterleaved
    // `calloc`, because its zeros take no memory before they are written.
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

  /// The form for either side, valid as long as the ring, which a kernel's box retains.
  public var access: FrameRingAccess {
    unsafe FrameRingAccess(
      words: words, state: state, capacity: capacity, channelCount: channelCount,
      isInterleaved: isInterleaved)
  }

  /// Makes frames readable that lie in memory of the writer's, interleaved where they have two
  /// channels, in place of the ring's. The writer calls it between two slices of the reader, and where
  /// the ring is empty.
  ///
  /// - Parameter owner: Retained, as the memory's owner, until the next call.
  public func commit(
    outside samples: UnsafeMutablePointer<Float>, frameCount: Int, owner: AnyObject
  ) {
    let access = access
    precondition(
      access.available == 0 && (isInterleaved || channelCount == 1), "the ring has frames")
    self.owner = owner
    unsafe state.pointee.firstOutside.store(access.totalWritten, ordering: .relaxed)
    unsafe state.pointee.outside.store(UInt(bitPattern: samples), ordering: .relaxed)
    unsafe state.pointee.finiteFrames.store(0, ordering: .relaxed)
    access.commit(frameCount)
  }

  /// How many frames of the last `commit(outside:frameCount:owner:)` the kernel that read them has
  /// found to be finite. The writer's thread, between two slices.
  public var finiteFrames: Int { unsafe state.pointee.finiteFrames.load(ordering: .relaxed) }

  /// Reads that found too few frames. Any thread.
  public var underruns: Int { unsafe state.pointee.underruns.load(ordering: .relaxed) }

  /// Frames that reads lacked, replaced by silence. Any thread.
  public var missingFrames: Int { unsafe state.pointee.missing.load(ordering: .relaxed) }

  /// Frames that the reader skipped to catch up, after the ring had been full. Any thread.
  public var skippedFrames: Int { unsafe state.pointee.skipped.load(ordering: .relaxed) }
}

@safe
struct FrameRingState: ~Copyable {
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  /// The frame at the beginning of the memory.
  let origin = Atomic<Int>(0)
  let lead = Atomic<Int>(0)
  /// The bits of a double.
  let pace = Atomic<UInt64>(Double(1).bitPattern)
  let underruns = Atomic<Int>(0)
  let missing = Atomic<Int>(0)
  let skipped = Atomic<Int>(0)
  let canLend = Atomic<Bool>(true)
  /// Where the frames lie that the writer has in memory of its own; 0 for none. The first of them is
  /// `firstOutside`.
  let outside = Atomic<UInt>(0)
  let firstOutside = Atomic<Int>(0)
  /// How many of them a reader has found to be finite.
  let finiteFrames = Atomic<Int>(0)

  @_noLocks
  func noteFinite(_ frameCount: Int) {
    finiteFrames.wrappingAdd(frameCount, ordering: .relaxed)
  }
}

/// A frame ring, for one of its two sides.
@safe
public struct FrameRingAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: as the ring itself: each side writes only its own.
  private let words: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<FrameRingState>
  /// The capacity in frames.
  public let capacity: Int
  /// The number of channels.
  public let channelCount: Int
  /// Whether it has two channels, interleaved.
  private let isInterleaved: Bool

  @_noLocks
  init(
    words: UnsafeMutablePointer<Float>, state: UnsafeMutablePointer<FrameRingState>, capacity: Int,
    channelCount: Int, isInterleaved: Bool
  ) {
    unsafe self.words = words
    unsafe self.state = state
    self.capacity = capacity
    self.channelCount = channelCount
    self.isInterleaved = isInterleaved
  }

  /// Frames that can be read.
  public var available: Int {
    @_noLocks get {
      unsafe state.pointee.written.load(ordering: .acquiring)
        - state.pointee.read.load(ordering: .acquiring)
    }
  }

  /// Frames that can be written.
  public var room: Int { @_noLocks get { capacity - available } }

  /// Frames written since the beginning.
  public var totalWritten: Int {
    @_noLocks get { unsafe state.pointee.written.load(ordering: .acquiring) }
  }

  /// Frames read since the beginning.
  public var totalRead: Int {
    @_noLocks get { unsafe state.pointee.read.load(ordering: .acquiring) }
  }

  /// How many frames a writer that has its frames in advance must stay ahead: before a pull of n
  /// frames it must have written `lead` + n frames more than have been pulled. The reader sets it
  /// for filters that look ahead; 0 until then. Where the writer follows a device's clock, it is
  /// how many frames more the reader takes in its first pull.
  public var lead: Int {
    @_noLocks get { unsafe state.pointee.lead.load(ordering: .relaxed) }
    @_noLocks nonmutating set { unsafe state.pointee.lead.store(newValue, ordering: .relaxed) }
  }

  /// How many frames the reader takes for each one, nominally: above 1 where the writer's clock is
  /// fast. 1 unless the writer follows two clocks; 0 while the reader is to read nothing and put
  /// out silence.
  public var pace: Double {
    @_noLocks get { unsafe Double(bitPattern: state.pointee.pace.load(ordering: .relaxed)) }
    @_noLocks nonmutating set {
      unsafe state.pointee.pace.store(newValue.bitPattern, ordering: .relaxed)
    }
  }

  /// The seconds after which the ring must be served again: before half of it is used, or fewer
  /// than `frameCount` frames are left. The 3D Mixer may read, or write, four times as fast as the
  /// rate of the bus.
  ///
  /// - Parameters:
  ///   - frames: The frames that can be read, for a ring that is refilled; or written, for one that
  ///     is emptied.
  ///   - sampleRate: The rate of the bus, in Hz.
  public func secondsToSpare(
    _ frames: Int, atLeast frameCount: Int, sampleRate: Double
  ) -> Double {
    let surplus = frames - max(capacity / 2, frameCount)
    return min(Double(surplus), Double(capacity) / 8) / sampleRate
  }

  /// Frames that reads lacked, replaced by silence.
  public var missingFrames: Int {
    @_noLocks get { unsafe state.pointee.missing.load(ordering: .relaxed) }
  }

  // MARK: The writing side

  /// Lets the next frames go to the beginning of the memory, where no frame waits to be read: a
  /// ring that is often empty stays in the nearest cache, however long it is. No frames may be
  /// written and not committed.
  @_noLocks
  public func rewind() {
    // The reader has discarded all frames, and looks for the next ones only when they are
    // committed.
    guard available == 0 else { return }
    let next = unsafe state.pointee.written.load(ordering: .relaxed)
    unsafe state.pointee.origin.store(next, ordering: .relaxed)
    unsafe state.pointee.outside.store(0, ordering: .relaxed)
  }

  /// Copies frames of the writer's memory that have not been discarded into the ring. The writer
  /// calls it before it writes further frames behind them.
  public func takeIn() {
    guard let samples = unsafe outside else { return }
    unsafe state.pointee.outside.store(0, ordering: .relaxed)
    let next = unsafe state.pointee.read.load(ordering: .relaxed)
    unsafe state.pointee.origin.store(next, ordering: .relaxed)
    unsafe words.update(from: samples, count: available * channelCount)
  }

  /// The oldest frame in the writer's memory; `nil` where frames lie in the ring.
  private var outside: UnsafeMutablePointer<Float>? {
    @_noLocks get {
      let place = unsafe state.pointee.outside.load(ordering: .relaxed)
      guard let samples = unsafe UnsafeMutablePointer<Float>(bitPattern: place) else { return nil }
      let offset =
        unsafe state.pointee.read.load(ordering: .relaxed)
        - state.pointee.firstOutside.load(ordering: .relaxed)
      return unsafe samples + offset * channelCount
    }
  }

  /// Writes frames of one channel, `offset` frames behind those committed; `commit` makes them
  /// readable. There must be room.
  @_noLocks
  public func write(_ source: ChannelBuffer, channel: Int, offset: Int = 0) {
    precondition(offset >= 0 && offset + source.count <= room, "no room in the ring")
    let start = unsafe state.pointee.written.load(ordering: .relaxed) + offset
    let (first, rest) = straight(start, source.count)
    lane(channel, first).copy(from: source)
    lane(channel, rest).copy(from: source.dropping(first.count))
  }

  /// Writes interleaved frames of all channels; `commit` makes them readable. There must be room.
  ///
  /// - Returns: The largest magnitude, as `VectorMath.largest(_:)` gives it.
  public func write(interleaved samples: UnsafePointer<Float>, frameCount: Int) -> UInt32 {
    precondition(frameCount >= 0 && frameCount <= room, "no room in the ring")
    let (first, rest) = unsafe straight(state.pointee.written.load(ordering: .relaxed), frameCount)
    let behind = unsafe samples + first.count * channelCount
    guard channelCount != 2 else {
      let largest = unsafe deinterleave(samples, into: lane(0, first), lane(1, first))
      return max(largest, unsafe deinterleave(behind, into: lane(0, rest), lane(1, rest)))
    }
    for channel in 0..<channelCount {
      unsafe pick(samples + channel, stride: channelCount, into: lane(channel, first))
      unsafe pick(behind + channel, stride: channelCount, into: lane(channel, rest))
    }
    return unsafe VectorMath.largest(
      ChannelBuffer(
        base: UnsafeMutablePointer(mutating: samples), count: frameCount * channelCount))
  }

  /// The memory of the next frames of an interleaved ring, for the writer to fill before it commits
  /// them: as many as lie in one piece, at most `frameCount`. There must be room.
  public func space(for frameCount: Int) -> UnsafeMutableBufferPointer<Float> {
    precondition(isInterleaved && frameCount >= 0 && frameCount <= room, "no room in the ring")
    let (first, _) = unsafe straight(state.pointee.written.load(ordering: .relaxed), frameCount)
    return unsafe UnsafeMutableBufferPointer(start: words + 2 * first.start, count: 2 * first.count)
  }

  /// Writes zeros to every channel, as `write` writes frames. There must be room.
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

  /// Makes frames readable, once they are written to every channel.
  @_noLocks
  public func commit(_ frameCount: Int) {
    precondition(frameCount >= 0 && frameCount <= room, "no room in the ring")
    unsafe state.pointee.written.wrappingAdd(frameCount, ordering: .releasing)
  }

  // MARK: The reading side

  /// Copies frames of one channel, from `offset` frames behind the oldest; `discard` removes them.
  @_noLocks
  public func read(into sink: ChannelBuffer, channel: Int, offset: Int = 0) {
    precondition(offset >= 0 && offset + sink.count <= available, "not so many frames in the ring")
    let start = unsafe state.pointee.read.load(ordering: .relaxed) + offset
    let (first, rest) = straight(start, sink.count)
    sink.copy(from: lane(channel, first))
    sink.dropping(first.count).copy(from: lane(channel, rest))
  }

  /// Copies the oldest frames to all channels of a bus, from its frame `offset` on; a ring of one
  /// channel to every channel. `discard` removes them.
  @_noLocks
  public func read(_ frameCount: Int, into bus: RenderBus, at offset: Int) {
    precondition(frameCount >= 0 && frameCount <= available, "not so many frames in the ring")
    if let samples = unsafe outside {
      return unsafe read(samples, frameCount, into: bus, at: offset)
    }
    let (first, rest) = unsafe straight(state.pointee.read.load(ordering: .relaxed), frameCount)
    guard isInterleaved || channelCount == 1 else {
      for channel in 0..<bus.channelCount {
        read(into: bus[channel].dropping(offset).prefix(frameCount), channel: channel)
      }
      return
    }
    unsafe read(words + channelCount * first.start, first.count, into: bus, at: offset)
    unsafe read(words, rest.count, into: bus, at: offset + first.count)
  }

  /// Copies frames of one channel to every channel of a bus, or interleaved frames to both.
  @_noLocks
  private func read(
    _ samples: UnsafeMutablePointer<Float>, _ frameCount: Int, into bus: RenderBus, at offset: Int
  ) {
    guard isInterleaved else {
      let source = unsafe ChannelBuffer(base: samples, count: frameCount)
      for channel in 0..<bus.channelCount {
        bus[channel].dropping(offset).prefix(frameCount).copy(from: source)
      }
      return
    }
    precondition(bus.channelCount == 2, "an interleaved ring has two channels")
    _ = unsafe deinterleave(
      samples, into: bus[0].dropping(offset).prefix(frameCount),
      bus[1].dropping(offset).prefix(frameCount))
  }

  /// Whether the writer writes between two slices only. Frames that the reader discards then stay
  /// as they are until its slice ends, so that it may lend them.
  public var canLend: Bool {
    @_noLocks get { unsafe state.pointee.canLend.load(ordering: .relaxed) }
  }

  /// Ends lending, once and for all. The writer calls it before it first writes beside the reader.
  public func stopLending() { unsafe state.pointee.canLend.store(false, ordering: .relaxed) }

  /// Lends the oldest frames to a bus for this slice, which then shows the ring's memory in place
  /// of its own; a ring of one channel shows it in every channel. Returns `false`, with nothing
  /// lent, where the frames are not in one piece, or are interleaved and the bus does not take them
  /// so. The bus must be one that `canBorrow`, and the ring one that `canLend`.
  @_noLocks
  public func lend(to bus: RenderBus) -> Bool {
    precondition(canLend && bus.frameCount <= available, "not so many frames in the ring")
    let (first, rest) = unsafe straight(state.pointee.read.load(ordering: .relaxed), bus.frameCount)
    let outside = unsafe outside
    guard unsafe outside != nil || rest.count == 0 else { return false }
    guard !isInterleaved else {
      guard bus.takesInterleaved else { return false }
      unsafe bus.borrow(
        interleaved: outside ?? words + 2 * first.start,
        noting: outside == nil ? nil : state)
      return true
    }
    for channel in 0..<bus.channelCount {
      let own = lane(channel < channelCount ? channel : 0, first)
      unsafe bus.borrow(outside ?? own.start, channel: channel)
    }
    return true
  }

  /// Removes the oldest frames.
  @_noLocks
  public func discard(_ frameCount: Int) {
    precondition(frameCount >= 0 && frameCount <= available, "not so many frames in the ring")
    unsafe state.pointee.read.wrappingAdd(frameCount, ordering: .releasing)
  }

  /// Counts a read that found too few frames.
  @_noLocks
  public func countUnderrun(missing frameCount: Int) {
    unsafe state.pointee.underruns.wrappingAdd(1, ordering: .relaxed)
    unsafe state.pointee.missing.wrappingAdd(frameCount, ordering: .relaxed)
  }

  /// Removes the oldest frames, and counts them as skipped.
  @_noLocks
  public func skip(_ frameCount: Int) {
    discard(frameCount)
    unsafe state.pointee.skipped.wrappingAdd(frameCount, ordering: .relaxed)
  }

  /// A contiguous part of a channel's memory.
  private struct Run: BitwiseCopyable {
    let start: Int
    let count: Int
  }

  /// Splits frames into those up to the end of the memory, and those at its beginning.
  @_noLocks
  private func straight(_ frame: Int, _ count: Int) -> (Run, Run) {
    let origin = unsafe state.pointee.origin.load(ordering: .relaxed)
    let start = (frame - origin) & (capacity - 1)
    let first = count < capacity - start ? count : capacity - start
    return (Run(start: start, count: first), Run(start: 0, count: count - first))
  }

  @_noLocks
  private func lane(_ channel: Int, _ run: Run) -> ChannelBuffer {
    precondition(channel >= 0 && channel < channelCount && !isInterleaved, "channel out of range")
    return unsafe ChannelBuffer(base: words + channel * capacity + run.start, count: run.count)
  }
}
