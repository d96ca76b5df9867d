public import RenderCore

/// Captured frames on their way into the ring of a session that another clock pulls.
///
/// The hardware reports each delivery and each request with its time. A `ClockFollower` finds the
/// ratio of the two clocks; the ring's `pace` keeps the number of frames in the ring constant, and
/// after a stop skipped frames or inserted silence do. Until the ratio is known the pace is 0, and
/// the input is silent.
///
/// Used by the thread that pulls: it writes the ring and, through the session, reads it.
public struct FollowedCapture: ~Copyable {
  /// Computes the pace from the two clocks.
  public private(set) var follower: ClockFollower
  private let writer: CaptureWriter
  private let access: FrameRingAccess
  /// Owns the memory that `access` points to.
  private let ring: FrameRing
  private let origin: UInt64
  private let sampleRate: Double
  private var missingBefore = 0
  private var readBefore = 0

  /// - Parameters:
  ///   - channelCount: The channels of the deliveries.
  ///   - sampleRate: The nominal rate of both devices, in Hz.
  public init(_ ring: FrameRing, channelCount: Int, sampleRate: Double) {
    self.ring = ring
    writer = CaptureWriter(ring, channelCount: channelCount)
    access = ring.access
    follower = ClockFollower(sampleRate: sampleRate)
    self.sampleRate = sampleRate
    origin = monotonicNanoseconds()
    restart()
  }

  /// Starts again, as with new devices: discards the frames that wait, and is silent until the pace
  /// is known.
  @_noLocks
  public mutating func restart() {
    follower = ClockFollower(sampleRate: sampleRate)
    access.discard(access.available)
    access.pace = 0
  }

  /// Leaves the ring readable at the nominal pace. Called when the capture ends.
  public func end() { access.pace = 1 }

  @_noLocks
  private func seconds(_ time: UInt64) -> Double { Double(time &- origin) * 1e-9 }

  /// Writes a delivery of the microphone into the ring: interleaved frames, or silence where
  /// `memory` is `nil`.
  ///
  /// - Parameters:
  ///   - isKept: Whether the frames go into the ring. Otherwise only the time of the delivery
  ///     counts.
  ///   - time: When it came, in nanoseconds of the monotonic clock.
  /// - Returns: The number of frames that did not fit.
  @_noLocks
  public mutating func deliver(
    _ memory: UnsafePointer<Float>?, frameCount: Int, isKept: Bool = true, at time: UInt64
  ) -> Int {
    follower.note(delivered: frameCount, at: seconds(time))
    guard isKept else { return 0 }
    if access.pace == 0 {
      // The largest read is enough to begin with.
      let surplus = access.available + frameCount - access.capacity / 2
      if surplus > 0 {
        access.discard(surplus < access.available ? surplus : access.available)
      }
    }
    return unsafe writer.write(memory, frameCount: frameCount)
  }

  /// Prepares for the pulls that answer a request of the loudspeaker.
  ///
  /// - Parameters:
  ///   - frameCount: The frames of the request.
  ///   - time: When it came, in nanoseconds of the monotonic clock.
  @_noLocks
  public mutating func beginPulls(_ frameCount: Int, at time: UInt64) {
    follower.note(requested: frameCount, at: seconds(time))
    readBefore = access.totalRead
    missingBefore = access.missingFrames
    guard follower.ratio == 0 else { return }
    let pull = frameCount + access.lead
    guard let correction = follower.open(ahead: access.available, pull: pull) else { return }
    if case .skip(let count) = correction { access.discard(count) }
    readBefore = access.totalRead
    access.pace = follower.ratio
  }

  /// Notes an underrun of the loudspeaker.
  @_noLocks
  public mutating func noteUnderrun() { follower.noteUnderrun() }

  /// Notes that the loudspeaker's buffer was shortened.
  @_noLocks
  public mutating func noteShorterBuffer(by frameCount: Int) {
    follower.noteShorterBuffer(by: frameCount)
  }

  /// Sets the pace and corrects the ring after the pulls of a request.
  @_noLocks
  public mutating func endPulls() {
    guard follower.ratio > 0 else { return }
    let isRead = access.totalRead != readBefore
    let missing = access.missingFrames - missingBefore
    let correction = follower.follow(ahead: access.available, missing: missing)
    access.pace = follower.ratio
    switch correction {
    case .none: return
    case .skip(let count):
      let length = count < access.available ? count : access.available
      // Frames that nobody reads do not count as lost.
      if isRead { access.skip(length) } else { access.discard(length) }
    case .pad(let count):
      let length = count < access.room ? count : access.room
      access.writeSilence(length)
      access.commit(length)
    }
  }
}
