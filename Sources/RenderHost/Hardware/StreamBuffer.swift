/// The buffer that a sound server has granted to a stream.
public struct StreamBuffer: Hashable, Sendable {
  /// The frames that the server keeps of a playback stream, or collects of a record stream before
  /// it hands them over.
  public var frames: Int
  /// The frames of one request of the server for a playback stream, or of one delivery of a record
  /// stream.
  public var requestFrames: Int
  /// The latency that the server has configured the device to, in seconds; 0 where it does not say.
  public var deviceLatency: Double

  public init(frames: Int, requestFrames: Int, deviceLatency: Double) {
    self.frames = frames
    self.requestFrames = requestFrames
    self.deviceLatency = deviceLatency
  }
}
