/// Frames of a sound in memory, interleaved as in files. Several kernels read them at once.
///
/// The memory is written by `init` alone, so that no thread waits for another.
@safe
public final class StoredFrames: @unchecked Sendable {
  // `@unchecked Sendable`: nothing changes after `init`.
  private let samples: UnsafeMutablePointer<Float>
  /// The number of frames.
  public let frameCount: Int
  /// Channels of a frame.
  public let channelCount: Int
  /// Whether every sample is a finite number.
  public let isFinite: Bool

  /// Allocates the memory, and passes it to `fill`, which writes all frames. `nil` where `fill`
  /// returns `false`. Control thread.
  public init?(
    frameCount: Int, channelCount: Int, filledBy fill: (UnsafeMutablePointer<Float>) -> Bool
  ) {
    precondition(frameCount > 0 && channelCount > 0, "a sound has frames and channels")
    self.frameCount = frameCount
    self.channelCount = channelCount
    let count = frameCount * channelCount
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: count)
    unsafe self.samples = samples
    let isFilled = unsafe fill(samples)
    isFinite =
      unsafe isFilled
      && VectorMath.largest(ChannelBuffer(base: samples, count: count)) < Float.infinity.bitPattern
    guard isFilled else { return nil }
  }

  deinit { unsafe samples.deallocate() }

  /// The form for a kernel, valid as long as this object, which the kernel's box retains.
  public var access: StoredFramesAccess {
    unsafe StoredFramesAccess(
      samples: samples, frameCount: frameCount, channelCount: channelCount)
  }

  /// Copies frames, interleaved, to `memory`, which must have room for them. Any thread.
  public func copy(_ frames: Range<Int>, to memory: UnsafeMutablePointer<Float>) {
    precondition(frames.lowerBound >= 0 && frames.upperBound <= frameCount, "frames of the sound")
    unsafe memory.update(
      from: samples + frames.lowerBound * channelCount, count: frames.count * channelCount)
  }
}

/// Frames in memory as a kernel reads them. Render thread.
@safe
public struct StoredFramesAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: nobody writes to the memory.
  private let samples: UnsafePointer<Float>
  private let frameCount: Int
  /// Channels of a frame.
  public let channelCount: Int

  @_noLocks
  init(samples: UnsafePointer<Float>, frameCount: Int, channelCount: Int) {
    unsafe self.samples = samples
    self.frameCount = frameCount
    self.channelCount = channelCount
  }

  /// Fills `sink` with the frames of one channel, from frame `first` on.
  @_noLocks
  public func read(from first: Int, into sink: ChannelBuffer, channel: Int) {
    precondition(
      first >= 0 && sink.count <= frameCount - first && channel >= 0 && channel < channelCount,
      "frames of the sound")
    unsafe pick(
      samples + first * channelCount + channel, stride: channelCount, into: sink)
  }
}
