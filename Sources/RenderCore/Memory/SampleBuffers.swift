public import AudioTypes

/// The samples of one slice in the format of their bus: what Core Audio's `AudioBufferList` holds.
///
/// A stream whose format is interleaved has one buffer with all channels in turn, any other has one for
/// each channel.
///
/// `@safe`: the memory belongs to whoever hands the buffers out, for as long as the call lasts in which it
/// does, and each access is bounds-checked.
@safe
public struct SampleBuffers: BitwiseCopyable {
  /// How many buffers there are.
  public let count: Int
  /// How many frames each of them has.
  public let frameCount: Int
  /// How many channels share a buffer.
  public let channelsPerBuffer: Int
  /// The type of each sample.
  public let sample: SampleType
  /// 3, say, for packed 24-bit samples and 4 for those that stand in a word.
  public let bytesPerSample: Int
  private let isAlignedHigh: Bool
  private let memory: UnsafeMutableRawPointer
  /// From one buffer's memory to the next one's.
  private let stride: Int

  /// - Parameters:
  ///   - memory: Must stay allocated, with room for all buffers, as long as they are used.
  ///   - stride: From one buffer's memory to the next one's.
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

  /// One of the buffers; one that is out of range ends the process.
  public subscript(buffer: Int) -> SampleBuffer {
    precondition(buffer >= 0 && buffer < count, "no such buffer")
    return unsafe SampleBuffer(
      memory: memory + buffer * stride, count: frameCount * channelsPerBuffer,
      channelCount: channelsPerBuffer, sample: sample, bytesPerSample: bytesPerSample,
      isAlignedHigh: isAlignedHigh)
  }

  /// The buffer that a channel is in, and the number of its first sample there; the next one is
  /// `channelsPerBuffer` further on.
  public func place(ofChannel channel: Int) -> (buffer: Int, first: Int) {
    (channel / channelsPerBuffer, channel % channelsPerBuffer)
  }
}

/// Memory for the samples of a slice in one stream format, which a client renders into: an
/// `AudioBufferList` with what it points to.
///
/// `@unchecked Sendable`: used by one thread at a time, as whoever renders into it promises.
@safe
public final class SampleMemory: @unchecked Sendable {
  /// How samples and channels are laid out.
  public let format: StreamFormat
  /// How many frames there is room for.
  public let capacity: Int
  private let memory: UnsafeMutableRawPointer
  private let bufferStride: Int

  /// Zeros.
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

  /// The buffers of so many frames, `capacity` at the most. They are not to be used when the memory has
  /// been freed.
  public func buffers(_ frameCount: Int) -> SampleBuffers {
    precondition(frameCount >= 0 && frameCount <= capacity, "there is no room for so many frames")
    return unsafe SampleBuffers(
      memory: memory, stride: bufferStride, count: format.bufferCount, frameCount: frameCount,
      channelsPerBuffer: format.isInterleaved ? format.channelCount : 1,
      sample: format.sampleType ?? .float32, bytesPerSample: format.bytesPerSample,
      isAlignedHigh: format.flags.contains(.isAlignedHigh) && !format.flags.contains(.isPacked))
  }

  /// The first frames of a channel, full scale being 1.
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
/// `@safe`: as `SampleBuffers`.
@safe
public struct SampleBuffer: BitwiseCopyable {
  private let memory: UnsafeMutableRawPointer
  /// How many samples there are: frames times channels.
  public let count: Int
  /// Channels that share the buffer.
  public let channelCount: Int
  /// The type of each sample.
  public let sample: SampleType
  /// As in `SampleBuffers`.
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

  /// How many bytes all samples take.
  public var byteCount: Int { count * bytesPerSample }

  /// The bytes as they are, for code that has pointers.
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

  /// A sample of a stream of integers or of 8.24 fixed point: an integer of 16, 24 or 32 bits. What does
  /// not fit loses its upper bits.
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
        // What stands above or below the 24 bits is nobody's.
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
