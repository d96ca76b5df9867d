public import RenderCore

/// Writes captured frames into the ring of a session, deinterleaved.
///
/// Used by the thread that pulls. Where the ring is full the newest frames are dropped, because
/// only the reader may discard older ones.
@safe
public struct CaptureWriter: ~Copyable {
  private let ring: FrameRing
  private let access: FrameRingAccess
  private let channelCount: Int
  private let scratch: UnsafeMutablePointer<Float>
  private let scratchFrames = 512

  /// - Parameter channelCount: The channels of the frames that are written. Channels that the ring
  ///   lacks are left out, further channels of the ring are silent.
  public init(_ ring: FrameRing, channelCount: Int) {
    precondition(channelCount > 0, "a microphone has at least one channel")
    self.ring = ring
    access = ring.access
    self.channelCount = channelCount
    unsafe scratch = .allocate(capacity: scratchFrames)
    unsafe scratch.initialize(repeating: 0, count: scratchFrames)
  }

  deinit { unsafe scratch.deallocate() }

  /// Writes interleaved frames, or silence where `memory` is `nil`. Returns the number of frames
  /// that did not fit.
  @_noLocks
  public func write(_ memory: UnsafePointer<Float>?, frameCount: Int) -> Int {
    let room = access.room
    let total = frameCount < room ? frameCount : room
    var done = 0
    while done < total {
      let rest = total - done
      let length = rest < scratchFrames ? rest : scratchFrames
      for channel in 0..<access.channelCount {
        if let memory = unsafe memory, channel < channelCount {
          let source = unsafe memory + done * channelCount + channel
          for frame in 0..<length { unsafe scratch[frame] = source[frame * channelCount] }
        } else {
          for frame in 0..<length { unsafe scratch[frame] = 0 }
        }
        unsafe access.write(ChannelBuffer(base: scratch, count: length), channel: channel)
      }
      access.commit(length)
      done += length
    }
    return frameCount - total
  }
}

/// Replaces a microphone: fills a buffer with interleaved frames, the first of which is frame
/// number `position`. The count of the buffer is frames times channels.
public typealias Microphone =
  @Sendable (_ position: Int, _ interleaved: ChannelBuffer) throws(ServiceError) -> Void
