import AudioTypes
import CPatchrun
import RenderCore

/// The buffer list of a native callback, in the format of its bus, with memory that is allocated
/// beforehand.
///
/// `@safe`: it owns the list and its memory. Where a callback has replaced a pointer in the list, a
/// slice's worth of bytes is read from that memory instead.
@safe
struct NativeBuffers: ~Copyable {
  let list: UnsafeMutablePointer<AudioBufferList>
  private let memory: UnsafeMutableRawPointer
  private let bufferCount: Int
  private let channelCount: Int
  private let channelsPerBuffer: Int
  private let sample: SampleType
  private let bytesPerSample: Int
  /// Whether 24 bits are in the upper three of four bytes.
  private let isAlignedHigh: Bool
  /// Bytes from one buffer's memory to the next one's.
  private let bufferStride: Int

  init(_ format: StreamFormat, maximumFrames: Int) {
    sample = format.sampleType ?? .float32
    channelCount = format.channelCount
    bufferCount = format.bufferCount
    channelsPerBuffer = format.isInterleaved ? format.channelCount : 1
    bytesPerSample = format.bytesPerSample
    isAlignedHigh = format.flags.contains(.isAlignedHigh) && !format.flags.contains(.isPacked)
    bufferStride = (maximumFrames * bytesPerSample * channelsPerBuffer + 63) / 64 * 64
    unsafe memory = .allocate(byteCount: max(64, bufferStride * bufferCount), alignment: 64)
    let offset = unsafe MemoryLayout<AudioBufferList>.offset(of: \.mBuffers) ?? 8
    let size = unsafe offset + bufferCount * MemoryLayout<AudioBuffer>.stride
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: max(size, MemoryLayout<AudioBufferList>.size), alignment: 16)
    unsafe list = raw.bindMemory(to: AudioBufferList.self, capacity: 1)
    unsafe buffers = (raw + offset).assumingMemoryBound(to: AudioBuffer.self)
  }

  private let buffers: UnsafeMutablePointer<AudioBuffer>

  deinit {
    unsafe memory.deallocate()
    unsafe UnsafeMutableRawPointer(list).deallocate()
  }

  /// Describes buffers of so many frames; each time, since a callback may have changed the list.
  func prepare(_ frameCount: Int) {
    unsafe list.pointee.mNumberBuffers = UInt32(bufferCount)
    for index in 0..<bufferCount {
      unsafe buffers[index].mNumberChannels = UInt32(channelsPerBuffer)
      unsafe buffers[index].mDataByteSize = UInt32(byteCount(frameCount))
      unsafe buffers[index].mData = memory + index * bufferStride
    }
  }

  func clear(_ frameCount: Int) {
    for index in 0..<bufferCount {
      let bytes = unsafe (memory + index * bufferStride).assumingMemoryBound(to: UInt8.self)
      for byte in 0..<byteCount(frameCount) { unsafe bytes[byte] = 0 }
    }
  }

  /// The buffers for a closure.
  func samples(_ frameCount: Int) -> SampleBuffers {
    unsafe SampleBuffers(
      memory: memory, stride: bufferStride, count: bufferCount, frameCount: frameCount,
      channelsPerBuffer: channelsPerBuffer, sample: sample, bytesPerSample: bytesPerSample,
      isAlignedHigh: isAlignedHigh)
  }

  private func byteCount(_ frameCount: Int) -> Int {
    frameCount * bytesPerSample * channelsPerBuffer
  }

  /// Fills the buffers with floats, rounded to the format.
  func fill(from input: RenderBus) {
    for channel in 0..<channelCount {
      let source = input[channel]
      guard let start = unsafe start(of: channel) else { continue }
      let step = bytesPerSample * channelsPerBuffer
      for frame in source.indices {
        let place = unsafe start + frame * step
        guard sample != .float32 else {
          unsafe place.storeBytes(of: source[frame], as: Float.self)
          continue
        }
        let word = SampleCoding.word(Double(source[frame]), as: sample)
        switch bytesPerSample {
        case 2: unsafe place.storeBytes(of: Int16(truncatingIfNeeded: word), as: Int16.self)
        case 3:
          unsafe place.storeBytes(of: UInt8(truncatingIfNeeded: word), as: UInt8.self)
          unsafe (place + 1).storeBytes(of: UInt8(truncatingIfNeeded: word >> 8), as: UInt8.self)
          unsafe (place + 2).storeBytes(of: UInt8(truncatingIfNeeded: word >> 16), as: UInt8.self)
        default: unsafe place.storeBytes(of: isAlignedHigh ? word << 8 : word, as: Int32.self)
        }
      }
    }
  }

  /// Reads the buffers as words of the bus.
  func read(into output: RenderBus) {
    for channel in 0..<channelCount {
      let sink = output[channel]
      guard let start = unsafe start(of: channel) else {
        sink.clear()
        continue
      }
      let step = bytesPerSample * channelsPerBuffer
      for frame in sink.indices {
        let place = unsafe UnsafeRawPointer(start) + frame * step
        switch (sample, bytesPerSample) {
        case (.float32, _): sink[frame] = unsafe place.loadUnaligned(as: Float.self)
        case (.int16, _):
          sink[frame] = unsafe Float(place.loadUnaligned(as: Int16.self)) / 32_768
        case (.int24, 3):
          let low = unsafe Int32(place.load(as: UInt8.self))
          let middle = unsafe Int32((place + 1).load(as: UInt8.self))
          let high = unsafe Int32((place + 2).load(as: Int8.self))
          sink[frame] = Float(high << 16 | middle << 8 | low) / 8_388_608
        case (.int24, _):
          let word = unsafe place.loadUnaligned(as: Int32.self)
          // Bits above or below the 24 are ignored.
          sink[frame] = Float((isAlignedHigh ? word : word << 8) >> 8) / 8_388_608
        case (.int32, _), (.fixed824, _):
          sink[word: frame] = unsafe place.loadUnaligned(as: Int32.self)
        }
      }
    }
  }

  /// The first sample of a channel; `nil` where the callback has removed the pointer.
  private func start(of channel: Int) -> UnsafeMutableRawPointer? {
    let buffer = channel / channelsPerBuffer
    guard let data = unsafe buffers[buffer].mData else { return nil }
    return unsafe data + channel % channelsPerBuffer * bytesPerSample
  }
}
