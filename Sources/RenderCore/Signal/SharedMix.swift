import CVector
import Synchronization

/// Signals to be added to a mix, in order.
@safe
public struct WaitingSignals: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: it owns its memory.
  private let signals: UnsafeMutablePointer<cvector_signal>
  /// The most signals.
  public let capacity: Int
  /// The number of signals.
  public private(set) var count = 0

  /// - Parameter capacity: The most signals.
  public init(capacity: Int) {
    precondition(capacity > 0, "one signal waits at least")
    self.capacity = capacity
    unsafe signals = .allocate(capacity: capacity)
  }

  deinit { unsafe signals.deallocate() }

  /// Appends a signal, whose memory must stay unchanged until it is mixed. There must be room.
  @_noLocks
  public mutating func append(
    _ left: ChannelBuffer, _ right: ChannelBuffer, leftGain: Float, rightGain: Float
  ) {
    unsafe append(
      cvector_signal(
        left: left.start, right: right.start, left_gain: leftGain, right_gain: rightGain,
        is_interleaved: 0))
  }

  /// Appends a signal whose two channels lie interleaved in the memory of a bus: see
  /// `RenderBus.interleaved`. There must be room.
  @_noLocks
  public mutating func append(
    interleaved samples: ChannelBuffer, leftGain: Float, rightGain: Float
  ) {
    unsafe append(
      cvector_signal(
        left: samples.start, right: samples.start, left_gain: leftGain, right_gain: rightGain,
        is_interleaved: 1))
  }

  @_noLocks
  private mutating func append(_ signal: cvector_signal) {
    precondition(count < capacity, "so many signals may wait")
    unsafe (signals + count).initialize(to: signal)
    count += 1
  }

  /// Adds all signals to a sum, one after the other, each product rounded before it is added, and
  /// removes them. Every signal must have at least the frames of the sum.
  ///
  /// - Parameters:
  ///   - fresh: Whether the sum starts at +0, whatever its memory holds.
  ///   - sharing: `mix` of the kernel's context: where several threads render, they share a large
  ///     mix.
  /// - Returns: The largest magnitude of both sides, as `VectorMath.largest(_:)` gives it; 0 where
  ///   there were no signals.
  @_noLocks
  @discardableResult
  public mutating func mix(
    into left: ChannelBuffer, _ right: ChannelBuffer, fresh: Bool, sharing: MixSharing
  ) -> UInt32 {
    precondition(left.count == right.count, "both sides of a sum are as long")
    let task = unsafe MixTask(
      signals: UnsafePointer(signals), count: count, fresh: fresh, left: left, right: right)
    count = 0
    if let shared = unsafe sharing.mix, let largest = unsafe shared.pointee.mix(task) {
      return largest
    }
    return task.mix(from: 0, atMost: task.frameCount)
  }
}

/// The threads that may share a large mix, if any. A kernel gets it from its context.
@safe
public struct MixSharing: BitwiseCopyable {
  let mix: UnsafePointer<SharedMix>?

  @_noLocks
  init(_ mix: UnsafePointer<SharedMix>?) { unsafe self.mix = mix }
}

/// A mix: signals, and the sum that they are added to.
@safe
struct MixTask: BitwiseCopyable {
  private let signals: UnsafePointer<cvector_signal>
  private let count: Int
  private let fresh: Bool
  private let left: ChannelBuffer
  private let right: ChannelBuffer

  @_noLocks
  init(
    signals: UnsafePointer<cvector_signal>, count: Int, fresh: Bool, left: ChannelBuffer,
    right: ChannelBuffer
  ) {
    unsafe self.signals = signals
    self.count = count
    self.fresh = fresh
    self.left = left
    self.right = right
  }

  var frameCount: Int { @_noLocks get { left.count } }

  /// The number of samples to add on one side.
  var samples: Int { @_noLocks get { count * left.count } }

  /// Adds the signals for some of the frames. Returns the largest magnitude among them.
  @_noLocks
  func mix(from first: Int, atMost length: Int) -> UInt32 {
    let frames = Swift.min(length, frameCount - first)
    precondition(first >= 0 && frames >= 0, "frames of the sum")
    return unsafe addSignals(
      signals, count, fresh: fresh, first..<(first + frames), to: left, right)
  }
}

/// A mix of many signals that several rendering threads compute together: each takes some frames at
/// a time. The sum of a frame does not depend on the thread, or on the frames beside it.
@safe
struct SharedMix: ~Copyable {
  /// The fewest samples of a mix that is worth sharing: synchronizing threads takes as long as some
  /// hundred samples.
  private static var leastSamples: Int { @_noLocks get { 16_384 } }

  /// In the upper half the number of the mix; below it the number of its parts, and the next part.
  /// One word, so that no thread takes a part of one mix for that of another.
  private let offer = Atomic<UInt64>(0)
  /// The most parts of a mix: two for each thread. With more, threads wait for each other less at the
  /// end, but a processor that reads many signals ahead begins anew with each part.
  private let mostParts: Int
  private let inRealTime: Bool
  private let isTaken = Atomic<Bool>(false)
  private let partsDone = Atomic<Int>(0)
  private let largest = Atomic<UInt32>(0)
  // Written by the thread that offers a mix, when no part of another is left.
  private let task: UnsafeMutablePointer<MixTask>

  /// - Parameters:
  ///   - threadCount: The most threads that share a mix.
  ///   - inRealTime: Whether threads that wait for each other may make no system call.
  init(threadCount: Int, inRealTime: Bool = false) {
    mostParts = 2 * threadCount
    self.inRealTime = inRealTime
    unsafe task = .allocate(capacity: 1)
  }

  deinit { unsafe task.deallocate() }

  /// The frames that a thread takes at once, in whole vectors of the kernels. At least 128, also
  /// where there are many threads.
  @_noLocks
  private func partLength(of task: MixTask) -> Int {
    let length = VectorMath.rowLength((task.frameCount + mostParts - 1) / mostParts)
    return length > 128 ? length : 128
  }

  /// Computes a mix together with idle threads. Returns the largest magnitude of the sum, as
  /// `VectorMath.largest(_:)` gives it; `nil` where the mix is too small to share, or another is
  /// under way.
  @_noLocks
  func mix(_ task: MixTask) -> UInt32? {
    // A mix may have no frames: the rest of a slice that a ramp fills.
    guard task.samples >= Self.leastSamples else { return nil }
    let length = partLength(of: task)
    let parts = (task.frameCount + length - 1) / length
    guard parts > 1, !isTaken.exchange(true, ordering: .acquiring) else { return nil }
    unsafe self.task.initialize(to: task)
    partsDone.store(0, ordering: .relaxed)
    largest.store(0, ordering: .relaxed)
    let number = (offer.load(ordering: .relaxed) >> 32) &+ 1
    offer.store(number << 32 | UInt64(parts) << 16, ordering: .releasing)
    while help() {}
    var spins = 0
    while partsDone.load(ordering: .acquiring) < parts { spin(&spins, inRealTime: inRealTime) }
    let result = largest.load(ordering: .relaxed)
    isTaken.store(false, ordering: .releasing)
    return result
  }

  /// Computes a part of the mix on offer; `false` where there is none.
  @_noLocks
  func help() -> Bool {
    var offered = offer.load(ordering: .acquiring)
    while true {
      let part = Int(offered & 0xFFFF)
      guard part < Int(offered >> 16 & 0xFFFF) else { return false }
      let (done, now) = offer.compareExchange(
        expected: offered, desired: offered &+ 1, ordering: .acquiringAndReleasing)
      guard done else {
        offered = now
        continue
      }
      let task = unsafe task.pointee
      let length = partLength(of: task)
      let found = task.mix(from: part * length, atMost: length)
      largest.max(found, ordering: .relaxed)
      partsDone.wrappingAdd(1, ordering: .releasing)
      return true
    }
  }
}
