package import AudioTypes
package import RenderCore

/// Pulls slices of a session into a client's buffers, in the calling thread.
///
/// `@unchecked Sendable`: used by one thread at a time, as the renderer of a unit promises.
@safe
package final class SlicePull: @unchecked Sendable {
  private let session: RenderSession
  private let capacity: Int
  private let bytesPerFrame: Int
  private let memory: UnsafeMutableRawPointer

  /// - Parameter capacity: The most frames of a slice.
  package init(_ session: RenderSession, capacity: Int) {
    self.session = session
    self.capacity = capacity
    bytesPerFrame = Int(session.configuration.device?.bytesPerFrame ?? 0)
    let byteCount = max(64, capacity * bytesPerFrame)
    unsafe memory = .allocate(byteCount: byteCount, alignment: 64)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { unsafe memory.deallocate() }

  /// Renders a slice into buffers of the session's device format, interleaved or one for each
  /// channel.
  ///
  /// - Returns: The status of the render, and whether every byte is 0.
  package func pull(
    at timeStamp: TimeStamp, into buffers: SampleBuffers
  ) -> (status: Status, isSilent: Bool) {
    precondition(buffers.frameCount <= capacity, "a slice is longer than was said")
    session.setTime(timeStamp.sampleTime)
    let status = unsafe session.pull(buffers.frameCount, into: memory)
    let channelCount = session.configuration.device?.channelCount ?? 0
    let size = buffers.bytesPerSample
    var anything: UInt8 = 0
    for channel in 0..<channelCount {
      let (number, first) = buffers.place(ofChannel: channel)
      guard let sink = unsafe buffers[number].bytes.baseAddress else { continue }
      for frame in 0..<buffers.frameCount {
        let source = unsafe memory + frame * bytesPerFrame + channel * size
        let place = unsafe sink + (frame * buffers.channelsPerBuffer + first) * size
        for byte in 0..<size {
          let value = unsafe source.load(fromByteOffset: byte, as: UInt8.self)
          anything |= value
          unsafe place.storeBytes(of: value, toByteOffset: byte, as: UInt8.self)
        }
      }
    }
    return (status, anything == 0)
  }
}
