public import AudioTypes

/// The samples of one slice in the format of their bus: Core Audio's `AudioBufferList`.
///
/// An interleaved format has one buffer for all channels, any other format has one for each
/// channel.
///
/// `@safe`: the caller that passes the buffers owns the memory for the duration of that call, and
/// each access is bounds-checked.
@safe
public struct SampleBuffers: BitwiseCopyable {
  /// The number of buffers.
  public let count: Int
  /// The number of frames in each buffer.
  public let frameCount: Int
  /// The number of channels in each buffer.
  public let channelsPerBuffer: Int
  /// The sample type.
  public let sample: SampleType
  /// 3 for packed 24-bit samples, for instance, and 4 for 24-bit samples in words.
  public let bytesPerSample: Int
  private let isAlignedHigh: Bool
  private let memory: UnsafeMutableRawPointer
  /// The bytes from one buffer to the next.
  private let stride: Int

  /// - Parameters:
  ///   - memory: Must stay allocated, with room for all buffers, while they are used.
  ///   - stride: The bytes from one buffer to the next.
  package init(
    memory: UnsafeMutableRawPointer, stride: Int, count: Int, frameCount: Int,
    channelsPerBuffer: Int, sample: SampleType, bytesPerSample: Int, isAlignedHigh: Bool
  ) {
    unsafe self.memory = memory
    self.stride = stride
    self.count = count
    self.frameCount = frameCount
    self.channelsPerBuffer = channelsPerBuffer
    self.sample = sample
    self.bytesPerSample = bytesPerSample
    self.isAlignedHigh = isAlignedHigh
  }

  /// One of the buffers. An index out of range ends the process.
  public subscript(buffer: Int) -> SampleBuffer {
    precondition(buffer >= 0 && buffer < count, "no such buffer")
    return unsafe SampleBuffer(
      memory: memory + buffer * stride, count: frameCount * channelsPerBuffer,
      channelCount: channelsPerBuffer, sample: sample, bytesPerSample: bytesPerSample,
      isAlignedHigh: isAlignedHigh)
  }

  /// The buffer of a channel, and the index of its first sample there; the next one is
  /// `channelsPerBuffer` further on.
  public func place(ofChannel channel: Int) -> (buffer: Int, first: Int) {
    (channel / channelsPerBuffer, channel % channelsPerBuffer)
  }
}

/// Memory for the samples of a slice in one stream format, which a client renders into: an
/// `AudioBufferList` and its data.
///
/// `@unchecked Sendable`: used by one thread at a time, as the client promises.
@safe
public final class SampleMemory: @unchecked Sendable {
  /// The layout of samples and channels.
  public let format: StreamFormat
  /// The most frames of a slice.
  public let capacity: Int
  private let memory: UnsafeMutableRawPointer
  private let bufferStride: Int

  /// Allocates the memory, filled with zeros. The format must have a `sampleType`.
  public init(_ format: StreamFormat, capacity: Int) {
    precondition(capacity > 0 && format.sampleType != nil, "memory is for samples")
    self.format = format
    self.capacity = capacity
    let channels = format.isInterleaved ? format.channelCount : 1
    bufferStride = (capacity * format.bytesPerSample * channels + 63) / 64 * 64
    let byteCount = max(64, bufferStride * format.bufferCount)
    unsafe memory = .allocate(byteCount: byteCount, alignment: 64)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { unsafe memory.deallocate() }

  /// The buffers for so many frames, at most `capacity`. They must not outlive the memory.
  public func buffers(_ frameCount: Int) -> SampleBuffers {
    precondition(frameCount >= 0 && frameCount <= capacity, "there is no room for so many frames")
    return unsafe SampleBuffers(
      memory: memory, stride: bufferStride, count: format.bufferCount, frameCount: frameCount,
      channelsPerBuffer: format.isInterleaved ? format.channelCount : 1,
      sample: format.sampleType ?? .float32, bytesPerSample: format.bytesPerSample,
      isAlignedHigh: format.flags.contains(.isAlignedHigh) && !format.flags.contains(.isPacked))
  }

  /// The first frames of a channel, where 1 is full scale.
  public func floats(ofChannel channel: Int, frameCount: Int) -> [Float] {
    let buffers = buffers(frameCount)
    let (number, first) = buffers.place(ofChannel: channel)
    let buffer = buffers[number]
    return (0..<frameCount).map { frame in
      let index = frame * buffers.channelsPerBuffer + first
      return buffers.sample == .float32
        ? buffer[float: index]
        : Float(SampleCoding.value(buffer[word: index], of: buffers.sample))
    }
  }
}

/// One buffer of a slice: `mNumberChannels`, `mDataByteSize` and `mData`.
///
/// `@safe`: see `SampleBuffers`.
@safe
public struct SampleBuffer: BitwiseCopyable {
  private let memory: UnsafeMutableRawPointer
  /// The number of samples: frames times channels.
  public let count: Int
  /// The number of channels in the buffer.
  public let channelCount: Int
  /// The sample type.
  public let sample: SampleType
  /// See `SampleBuffers`.
  public let bytesPerSample: Int
  private let isAlignedHigh: Bool

  fileprivate init(
    memory: UnsafeMutableRawPointer, count: Int, channelCount: Int, sample: SampleType,
    bytesPerSample: Int, isAlignedHigh: Bool
  ) {
    unsafe self.memory = memory
    self.count = count
    self.channelCount = channelCount
    self.sample = sample
    self.bytesPerSample = bytesPerSample
    self.isAlignedHigh = isAlignedHigh
  }

  /// The number of bytes.
  public var byteCount: Int { count * bytesPerSample }

  /// The bytes, for code that uses pointers.
  @unsafe
  public var bytes: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
  }

  private func place(_ index: Int) -> UnsafeMutableRawPointer {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "no such sample")
    return unsafe memory + index * bytesPerSample
  }

  /// A sample of a `float32` stream. Frame f of channel c is number `f * channelCount + c`.
  public subscript(float index: Int) -> Float {
    get {
      precondition(sample == .float32, "the samples are integers")
      return unsafe place(index).loadUnaligned(as: Float.self)
    }
    nonmutating set {
      precondition(sample == .float32, "the samples are integers")
      unsafe place(index).storeBytes(of: newValue, as: Float.self)
    }
  }

  /// A sample of a stream of integers or of 8.24 fixed point, as an integer of 16, 24 or 32 bits. A
  /// value that does not fit loses its upper bits.
  public subscript(word index: Int) -> Int32 {
    get {
      precondition(sample != .float32, "the samples are floats")
      let place = unsafe place(index)
      switch bytesPerSample {
      case 2: return unsafe Int32(place.loadUnaligned(as: Int16.self))
      case 3:
        let low = unsafe Int32(place.load(as: UInt8.self))
        let middle = unsafe Int32((place + 1).load(as: UInt8.self))
        let high = unsafe Int32((place + 2).load(as: Int8.self))
        return high << 16 | middle << 8 | low
      default:
        let word = unsafe place.loadUnaligned(as: Int32.self)
        guard sample == .int24 else { return word }
        // The unused bits above or below the 24 bits may be anything.
        return (isAlignedHigh ? word : word << 8) >> 8
      }
    }
    nonmutating set {
      precondition(sample != .float32, "the samples are floats")
      let place = unsafe place(index)
      switch bytesPerSample {
      case 2: unsafe place.storeBytes(of: Int16(truncatingIfNeeded: newValue), as: Int16.self)
      case 3:
        unsafe place.storeBytes(of: UInt8(truncatingIfNeeded: newValue), as: UInt8.self)
        unsafe (place + 1).storeBytes(of: UInt8(truncatingIfNeeded: newValue >> 8), as: UInt8.self)
        unsafe (place + 2).storeBytes(of: UInt8(truncatingIfNeeded: newValue >> 16), as: UInt8.self)
      default:
        unsafe place.storeBytes(of: isAlignedHigh ? newValue << 8 : newValue, as: Int32.self)
      }
    }
  }
}
