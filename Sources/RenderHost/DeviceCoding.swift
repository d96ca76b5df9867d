import AudioTypes
import RenderCore

/// Writes the channels of a bus into a device's memory, interleaved, in the device's sample type.
///
/// A value that the device's type can hold is written exactly; any other is rounded and clipped.
@safe
struct DeviceEncoder: BitwiseCopyable {
  private let client: SampleType
  private let device: SampleType
  private let clientIsFloat: Bool
  private let deviceIsFloat: Bool
  private let bytesPerSample: Int
  private let isAlignedHigh: Bool
  let channelCount: Int
  private let map: UnsafePointer<Int>

  /// - Parameter map: The client's channel for each channel of the device, or -1 for silence. Must
  ///   outlive the encoder.
  init(client: SampleType, device format: StreamFormat, map: UnsafePointer<Int>) {
    guard let device = format.sampleType else {
      preconditionFailure("a device takes one of the sample types that a bus can carry")
    }
    self.client = client
    self.device = device
    clientIsFloat = client.fitsFloat
    deviceIsFloat = device == .float32
    bytesPerSample = format.bytesPerSample
    isAlignedHigh = format.flags.contains(.isAlignedHigh)
    channelCount = format.channelCount
    unsafe self.map = map
  }

  var bytesPerFrame: Int { @_noLocks get { bytesPerSample * channelCount } }

  /// Writes the frames of `bus`, times `gain`, to `memory`, which must have room for them.
  @_noLocks
  func encode(
    _ bus: RenderBus, into memory: UnsafeMutableRawPointer, gain: inout LinearRamp,
    _ rounding: borrowing DitheredRounding
  ) {
    guard gain.isSettled && gain.current == 1 else {
      return unsafe encodeFaded(bus, into: memory, gain: &gain, rounding)
    }
    for channel in 0..<channelCount {
      let source = unsafe map[channel]
      if source < 0 {
        for frame in 0..<bus.frameCount { unsafe store(0, frame, channel, memory, rounding) }
      } else if deviceIsFloat && clientIsFloat {
        let samples = unsafe memory.assumingMemoryBound(to: Float.self) + channel
        let buffer = bus[source]
        for frame in buffer.indices { unsafe samples[frame &* channelCount] = buffer[frame] }
      } else {
        let buffer = bus[source]
        for frame in buffer.indices {
          unsafe store(value(buffer, frame), frame, channel, memory, rounding)
        }
      }
    }
  }

  /// Writes the frames of a bus to a device of two channels in one pass with the search for their
  /// peak, where client and device both use floats and the gain is 1.
  ///
  /// - Returns: The greatest magnitude, where 1 is full scale; `nil` in any other case, in which
  ///   nothing is written.
  @_noLocks
  func copy(_ bus: RenderBus, into memory: UnsafeMutableRawPointer, gain: LinearRamp) -> Float? {
    guard channelCount == 2, isCopied, gain.isSettled, gain.current == 1 else { return nil }
    let (left, right) = unsafe (map[0], map[1])
    guard left >= 0, right >= 0 else { return nil }
    let samples = unsafe memory.assumingMemoryBound(to: Float.self)
    if bus.isInterleaved {
      guard left == 0, right == 1 else { return nil }
      let largest = unsafe Float(bitPattern: VectorMath.copy(bus.interleaved, into: samples))
      if largest.isFinite { bus.noteFinite() }
      return largest
    }
    return Float(bitPattern: unsafe interleave(bus[left], bus[right], into: samples))
  }

  @_noLocks
  private func encodeFaded(
    _ bus: RenderBus, into memory: UnsafeMutableRawPointer, gain: inout LinearRamp,
    _ rounding: borrowing DitheredRounding
  ) {
    for frame in 0..<bus.frameCount {
      let factor = Double(gain.next())
      for channel in 0..<channelCount {
        let source = unsafe map[channel]
        let value = source < 0 ? 0 : value(bus[source], frame) * factor
        unsafe store(value, frame, channel, memory, rounding)
      }
    }
  }

  /// Writes frames limited to a level. Samples that are not finite become silence; louder frames
  /// are turned down. Rounding to the device's type does not exceed the level.
  @_noLocks
  func encode(
    _ bus: RenderBus, into memory: UnsafeMutableRawPointer, gain: inout LinearRamp,
    limiter: inout OutputLimiter, _ rounding: borrowing DitheredRounding
  ) -> LimiterReport {
    var report = LimiterReport()
    for frame in 0..<bus.frameCount {
      let factor = Double(gain.next())
      var peak = 0.0
      for channel in 0..<channelCount {
        let source = unsafe map[channel]
        guard source >= 0 else { continue }
        let magnitude = (value(bus[source], frame) * factor).magnitude
        if !magnitude.isFinite {
          report.silenced += 1
        } else if magnitude > peak {
          peak = magnitude
        }
      }
      let reduction = limiter.next(peak)
      let ceiling = largest(below: limiter.ceiling)
      if reduction < 1 {
        report.frames += 1
        if reduction < report.leastGain { report.leastGain = reduction }
      }
      for channel in 0..<channelCount {
        let source = unsafe map[channel]
        if source >= 0, isCopied, factor * reduction == 1 {
          // Copies the bits, as without a limiter.
          let sample = bus[source][frame]
          if Double(sample.magnitude) <= ceiling, sample.isFinite {
            unsafe copy(sample, frame, channel, memory)
            if Double(sample.magnitude) > report.peak { report.peak = Double(sample.magnitude) }
            continue
          }
        }
        var value = source < 0 ? 0 : value(bus[source], frame) * factor
        value = value.isFinite ? value * reduction : 0
        // Only rounding can still exceed the ceiling here.
        if value > ceiling { value = ceiling }
        if value < -ceiling { value = -ceiling }
        if value.magnitude > report.peak { report.peak = value.magnitude }
        unsafe store(value, frame, channel, memory, rounding, below: ceiling)
      }
    }
    return report
  }

  /// The greatest value of the device's type that is not above a level.
  @_noLocks
  func largest(below level: Double) -> Double {
    guard level.isFinite else { return level }
    guard !deviceIsFloat else {
      let nearest = Float(level)
      return Double(nearest) > level
        ? Double(Float(bitPattern: nearest.bitPattern - 1)) : Double(nearest)
    }
    let scale = SampleCoding.scale(device)
    return renderFloor(level * scale) / scale
  }

  /// The greatest magnitude on a bus, where 1 is full scale. NaN is above any number.
  @_noLocks
  func peak(of bus: RenderBus) -> Float {
    // Magnitudes of floats have the order of their bit patterns.
    var peak: UInt32 = 0
    for channel in 0..<bus.channelCount {
      let buffer = bus[channel]
      if clientIsFloat {
        let bits = VectorMath.largest(buffer)
        peak = bits > peak ? bits : peak
      } else {
        for frame in buffer.indices {
          let bits = Float(value(buffer, frame).magnitude).bitPattern
          peak = bits > peak ? bits : peak
        }
      }
    }
    return Float(bitPattern: peak)
  }

  /// Writes frames of silence.
  @_noLocks
  func silence(_ frameCount: Int, in memory: UnsafeMutableRawPointer) {
    let bytes = unsafe memory.assumingMemoryBound(to: UInt8.self)
    for index in 0..<frameCount * bytesPerFrame { unsafe bytes[index] = 0 }
  }

  @_noLocks
  private func value(_ buffer: ChannelBuffer, _ frame: Int) -> Double {
    clientIsFloat
      ? Double(buffer[frame]) : SampleCoding.value(buffer[word: frame], of: client)
  }

  /// Whether client and device both use floats.
  private var isCopied: Bool { @_noLocks get { clientIsFloat && deviceIsFloat } }

  @_noLocks
  private func copy(
    _ sample: Float, _ frame: Int, _ channel: Int, _ memory: UnsafeMutableRawPointer
  ) {
    let place = unsafe memory + (frame * channelCount + channel) * bytesPerSample
    unsafe place.storeBytes(of: sample, as: Float.self)
  }

  @_noLocks
  private func store(
    _ value: Double, _ frame: Int, _ channel: Int, _ memory: UnsafeMutableRawPointer,
    _ rounding: borrowing DitheredRounding, below ceiling: Double = .infinity
  ) {
    let place = unsafe memory + (frame * channelCount + channel) * bytesPerSample
    guard !deviceIsFloat else {
      return unsafe place.storeBytes(of: Float(value), as: Float.self)
    }
    var word = rounding.word(value, channel: channel)
    if SampleCoding.value(word, of: device).magnitude > ceiling {
      // Dither went over the ceiling: use the nearest value below it.
      let limit = SampleCoding.word(ceiling, as: device)
      word = word < 0 ? -limit : limit
    }
    if bytesPerSample == 2 {
      unsafe place.storeBytes(of: Int16(truncatingIfNeeded: word), as: Int16.self)
    } else if bytesPerSample == 3 {
      unsafe place.storeBytes(of: UInt8(truncatingIfNeeded: word), as: UInt8.self)
      unsafe (place + 1).storeBytes(of: UInt8(truncatingIfNeeded: word >> 8), as: UInt8.self)
      unsafe (place + 2).storeBytes(of: UInt8(truncatingIfNeeded: word >> 16), as: UInt8.self)
    } else {
      unsafe place.storeBytes(of: isAlignedHigh ? word << 8 : word, as: Int32.self)
    }
  }
}
