public import RenderCore

/// What a microphone hears on its way into the ring of a session that is pulled by another clock.
///
/// Whoever has the device says when frames are delivered and when frames are asked for; a
/// `ClockFollower` finds out how fast the two clocks are, and what waits in the ring is held at one
/// length: by the ring's `pace`, and where something stood still by frames that are given up and silence
/// that is put in. Until that can be done the pace is 0, so that nothing is heard.
///
/// Used by the thread that pulls, which is both the writer of the ring and, through the session, its
/// reader.
public struct FollowedCapture: ~Copyable {
  /// What keeps the two clocks together.
  public private(set) var follower: ClockFollower
  private let writer: CaptureWriter
  private let access: FrameRingAccess
  /// Keeps the memory that `access` is of.
  private let ring: FrameRing
  private let origin: UInt64
  private let sampleRate: Double
  private var missingBefore = 0
  private var readBefore = 0

  /// - Parameters:
  ///   - channelCount: Of what is delivered.
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

  /// Begins again, as with devices that nothing is known of: what waits is not heard.
  @_noLocks
  public mutating func restart() {
    follower = ClockFollower(sampleRate: sampleRate)
    access.discard(access.available)
    access.pace = 0
  }

  /// Lets the ring be read by whoever comes next, as it is.
  public func end() { access.pace = 1 }

  @_noLocks
  private func seconds(_ time: UInt64) -> Double { Double(time &- origin) * 1e-9 }

  /// Takes in what the microphone has delivered: interleaved frames, or silence without `memory`.
  ///
  /// - Parameters:
  ///   - isKept: Whether it is heard. Otherwise only its time counts.
  ///   - time: When it came, in nanoseconds of the monotonic clock.
  /// - Returns: How many frames there was no room for.
  @_noLocks
  public mutating func deliver(
    _ memory: UnsafePointer<Float>?, frameCount: Int, isKept: Bool = true, at time: UInt64
  ) -> Int {
    follower.note(delivered: frameCount, at: seconds(time))
    guard isKept else { return 0 }
    if access.pace == 0 {
      // As much as is read at most is enough to begin with.
      let surplus = access.available + frameCount - access.capacity / 2
      if surplus > 0 {
        access.discard(surplus < access.available ? surplus : access.available)
      }
    }
    return unsafe writer.write(memory, frameCount: frameCount)
  }

  /// Makes ready for the pulls that answer a request of the loudspeaker.
  ///
  /// - Parameters:
  ///   - frameCount: Of the request.
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

  /// Takes in that the loudspeaker ran dry.
  @_noLocks
  public mutating func noteUnderrun() { follower.noteUnderrun() }

  /// Takes in that the loudspeaker is to keep fewer frames from now on.
  @_noLocks
  public mutating func noteShorterBuffer(by frameCount: Int) {
    follower.noteShorterBuffer(by: frameCount)
  }

  /// Puts right what waits, once the pulls are done.
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
      // What nobody reads is no loss.
      if isRead { access.skip(length) } else { access.discard(length) }
    case .pad(let count):
      let length = count < access.room ? count : access.room
      access.writeSilence(length)
      access.commit(length)
    }
  }
}
