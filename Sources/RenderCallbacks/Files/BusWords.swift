import AudioTypes
import RenderCore
import SoundFiles

/// Writes the frames of a file into a ring as words of a bus, a channel at a time.
@safe
final class BusWords {
  private let sample: SampleType
  private let sources: [ChannelMapping.Source]
  private let fileChannels: Int
  private let ring: FrameRingAccess
  private let lane: UnsafeMutablePointer<Float>

  /// - Parameters:
  ///   - sample: The sample type of the bus.
  ///   - sources: What each channel of the bus has of the file.
  ///   - ring: Must outlive this object.
  ///   - capacity: The most frames that are written at once.
  init(
    sample: SampleType, sources: [ChannelMapping.Source], fileChannels: Int, ring: FrameRingAccess,
    capacity: Int
  ) {
    self.sample = sample
    self.sources = sources
    self.fileChannels = fileChannels
    self.ring = ring
    unsafe lane = .allocate(capacity: capacity)
    unsafe lane.initialize(repeating: 0, count: capacity)
  }

  deinit { unsafe lane.deallocate() }

  /// Writes interleaved samples with a gain.
  func write(_ block: UnsafePointer<Float>, _ frameCount: Int, gain: Double) {
    let buffer = unsafe ChannelBuffer(base: lane, count: frameCount)
    for (channel, source) in sources.enumerated() {
      switch source {
      case .channel(let index):
        unsafe pick(block + index, stride: fileChannels, times: gain, into: buffer)
      case .mean:
        for frame in 0..<frameCount {
          let mean = unsafe (Double(block[frame * 2]) + Double(block[frame * 2 + 1])) / 2
          unsafe lane[frame] = Float(mean * gain)
        }
      case .silence: buffer.clear()
      }
      ring.write(buffer, channel: channel)
    }
    ring.commit(frameCount)
  }

  /// Encodes interleaved numbers as words of the bus, with a gain, and writes them.
  func write(_ block: [Double], _ frameCount: Int, gain: Double) {
    let buffer = unsafe ChannelBuffer(base: lane, count: frameCount)
    unsafe block.withUnsafeBufferPointer { block in
      guard let base = block.baseAddress else { return }
      for (channel, source) in sources.enumerated() {
        switch source {
        case .channel(let index):
          unsafe encode(base + index, gain, into: buffer)
        case .mean:
          encode(frameCount, gain) { unsafe (base[$0 * 2] + base[$0 * 2 + 1]) / 2 }
        case .silence: buffer.clear()
        }
        ring.write(buffer, channel: channel)
      }
    }
    ring.commit(frameCount)
  }

  /// Encodes one channel of the file, times a gain, as many samples as `buffer` has.
  private func encode(
    _ samples: UnsafePointer<Double>, _ gain: Double, into buffer: ChannelBuffer
  ) {
    if sample == .float32 {
      return unsafe pick(samples, stride: fileChannels, times: gain, into: buffer)
    }
    unsafe encodeWords(
      samples, stride: fileChannels, gain: gain, times: SampleCoding.scale(sample),
      atMost: SampleCoding.maximum(sample), into: buffer)
    // Buses of these carry the values of their words.
    if sample == .int16 || sample == .int24 {
      SampleCoding.decode(buffer, into: buffer, of: sample)
    }
  }

  @inline(__always)
  private func encode(_ frameCount: Int, _ gain: Double, _ value: (Int) -> Double) {
    switch sample {
    case .float32:
      for frame in 0..<frameCount { unsafe lane[frame] = Float(value(frame) * gain) }
    case .int16, .int24:
      for frame in 0..<frameCount {
        let word = SampleCoding.word(value(frame) * gain, as: sample)
        unsafe lane[frame] = Float(SampleCoding.value(word, of: sample))
      }
    case .int32, .fixed824:
      for frame in 0..<frameCount {
        let word = SampleCoding.word(value(frame) * gain, as: sample)
        unsafe lane[frame] = Float(bitPattern: UInt32(bitPattern: word))
      }
    }
  }
}
