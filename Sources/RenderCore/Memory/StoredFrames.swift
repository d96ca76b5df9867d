/// Frames of a sound in memory, one channel after the other. Several kernels read them at once.
///
/// The memory is written by `init` alone, so that no thread waits for another.
@safe
public final class StoredFrames: @unchecked Sendable {
  // `@unchecked Sendable`: nothing changes after `init`.
  private let samples: UnsafeMutablePointer<Float>
  /// The samples from one channel to the next.
  private let stride: Int
  /// The number of frames.
  public let frameCount: Int
  /// Channels of a frame.
  public let channelCount: Int
  /// Whether every sample is a finite number.
  public let isFinite: Bool

  /// Passes memory to `fill`, which writes all frames, interleaved, and stores them. `nil` where
  /// `fill` returns `false`. Control thread.
  public init?(
    frameCount: Int, channelCount: Int, filledBy fill: (UnsafeMutablePointer<Float>) -> Bool
  ) {
    precondition(frameCount > 0 && channelCount > 0, "a sound has frames and channels")
    self.frameCount = frameCount
    self.channelCount = channelCount
    stride = VectorMath.rowLength(frameCount)
    let count = frameCount * channelCount
    unsafe samples = .allocate(capacity: stride * channelCount)
    let interleaved = UnsafeMutablePointer<Float>.allocate(capacity: count)
    defer { unsafe interleaved.deallocate() }
    let isFilled = unsafe fill(interleaved)
    isFinite =
      unsafe isFilled
      && VectorMath.largest(ChannelBuffer(base: interleaved, count: count))
        < Float.infinity.bitPattern
    guard isFilled else { return nil }
    for channel in 0..<channelCount {
      unsafe pick(
        interleaved + channel, stride: channelCount,
        into: ChannelBuffer(base: samples + channel * stride, count: frameCount))
    }
  }

  deinit { unsafe samples.deallocate() }

  /// The form for a kernel, valid as long as this object, which the kernel's box retains.
  public var access: StoredFramesAccess {
    unsafe StoredFramesAccess(
      samples: samples, stride: stride, frameCount: frameCount, channelCount: channelCount)
  }

  /// Copies frames, interleaved, to `memory`, which must have room for them. Any thread.
  public func copy(_ frames: Range<Int>, to memory: UnsafeMutablePointer<Float>) {
    precondition(frames.lowerBound >= 0 && frames.upperBound <= frameCount, "frames of the sound")
    let first = unsafe samples + frames.lowerBound
    switch channelCount {
    case 1: unsafe memory.update(from: first, count: frames.count)
    case 2:
      unsafe interleave(
        ChannelBuffer(base: first, count: frames.count),
        ChannelBuffer(base: first + stride, count: frames.count), into: memory)
    default:
      for channel in 0..<channelCount {
        for frame in 0..<frames.count {
          unsafe memory[frame * channelCount + channel] = first[channel * stride + frame]
        }
      }
    }
  }
}

/// Frames in memory as a kernel reads them. Render thread.
@safe
public struct StoredFramesAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: nobody writes to the memory.
  private let samples: UnsafeMutablePointer<Float>
  private let stride: Int
  private let frameCount: Int
  /// Channels of a frame.
  public let channelCount: Int

  @_noLocks
  init(samples: UnsafeMutablePointer<Float>, stride: Int, frameCount: Int, channelCount: Int) {
    unsafe self.samples = samples
    self.stride = stride
    self.frameCount = frameCount
    self.channelCount = channelCount
  }

  /// Fills `sink` with the frames of one channel, from frame `first` on.
  @_noLocks
  public func read(from first: Int, into sink: ChannelBuffer, channel: Int) {
    unsafe sink.copy(
      from: ChannelBuffer(
        base: start(of: first, count: sink.count, channel: channel), count: sink.count))
  }

  /// Lends frames, from frame `first` on, to a bus for this slice, which then shows this memory in
  /// place of its own; a sound of one channel shows it in every channel. The bus must be one that
  /// `canBorrow`.
  @_noLocks
  public func lend(from first: Int, to bus: RenderBus) {
    for channel in 0..<bus.channelCount {
      unsafe bus.borrow(
        start(of: first, count: bus.frameCount, channel: channel < channelCount ? channel : 0),
        channel: channel)
    }
  }

  @_noLocks
  private func start(of first: Int, count: Int, channel: Int) -> UnsafeMutablePointer<Float> {
    precondition(
      first >= 0 && count <= frameCount - first && channel >= 0 && channel < channelCount,
      "frames of the sound")
    return unsafe samples + channel * stride + first
  }
}
