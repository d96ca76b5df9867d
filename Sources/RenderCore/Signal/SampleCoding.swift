public import AudioTypes

/// The numbers on a bus, and how they become samples of a format.
///
/// A bus of `float32`, `int16` or `int24` carries `Float`s, a bus of `int32` or `fixed8.24` carries
/// `Int32` words: each value of the format has its exact place in both. Full scale is 1.0; an
/// integer of n bits stands for itself divided by 2^(n-1), an 8.24 word for itself divided by 2^24.
/// A value the format lacks is rounded to the nearest one, halves to even, and clipped at the ends;
/// what is not a number becomes 0.
public enum SampleCoding {
  /// 2^(n-1), or 2^24: what 1.0 is multiplied by.
  @_noLocks
  public static func scale(_ sample: SampleType) -> Double {
    switch sample {
    case .float32: 1
    case .int16: 32_768
    case .int24: 8_388_608
    case .int32: 2_147_483_648
    case .fixed824: 16_777_216
    }
  }

  /// The largest word of an integer or fixed-point format; the smallest is its bitwise complement.
  @_noLocks
  public static func maximum(_ sample: SampleType) -> Int32 {
    switch sample {
    case .int16: 32_767
    case .int24: 8_388_607
    case .float32, .int32, .fixed824: .max
    }
  }

  /// The integer of `sample` nearest to `value`.
  @_noLocks
  public static func word(_ value: Double, as sample: SampleType) -> Int32 {
    let scaled = value * scale(sample)
    let maximum = maximum(sample)
    if scaled >= Double(maximum) { return maximum }
    if scaled <= Double(~maximum) { return ~maximum }
    guard scaled == scaled else { return 0 }
    // Adding and taking away 3 * 2^51 rounds to a whole number, halves to even, without a call.
    let rounded = (scaled + 6_755_399_441_055_744) - 6_755_399_441_055_744
    return Int32(truncatingIfNeeded: Int64(rounded))
  }

  /// The number that an integer of `sample` stands for: exact.
  @_noLocks
  public static func value(_ word: Int32, of sample: SampleType) -> Double {
    Double(word) / scale(sample)
  }

  /// Rounds floats, in place, to what `sample` can hold. Nothing happens to `float32`.
  @_noLocks
  public static func quantize(_ buffer: ChannelBuffer, to sample: SampleType) {
    guard sample != .float32 else { return }
    let scale = Float(scale(sample))
    if sample == .int16 {
      for frame in buffer.indices {
        let scaled = buffer[frame] * scale
        let clipped = scaled >= 32_767 ? 32_767 : scaled <= -32_768 ? -32_768 : scaled
        let rounded = (clipped + 12_582_912) - 12_582_912
        buffer[frame] = rounded == rounded ? rounded / scale : 0
      }
    } else {
      let end = Double(maximum(sample)) / self.scale(sample)
      for frame in buffer.indices {
        let nearest = Float(value(word(Double(buffer[frame]), as: sample), of: sample))
        // The largest word of 32 bits lies between two floats, of which only the lower one fits.
        buffer[frame] =
          Double(nearest) > end ? Float(bitPattern: nearest.bitPattern - 1) : nearest
      }
    }
  }

  /// Turns floats into the words of `int32` or `fixed8.24`. The two buffers may be the same.
  @_noLocks
  public static func encode(
    _ source: ChannelBuffer, into sink: ChannelBuffer, as sample: SampleType
  ) {
    for frame in 0..<(source.count < sink.count ? source.count : sink.count) {
      sink[word: frame] = word(Double(source[frame]), as: sample)
    }
  }

  /// Turns the words of `int32` or `fixed8.24` into the nearest floats. The two buffers may be the
  /// same.
  @_noLocks
  public static func decode(
    _ source: ChannelBuffer, into sink: ChannelBuffer, of sample: SampleType
  ) {
    for frame in 0..<(source.count < sink.count ? source.count : sink.count) {
      sink[frame] = Float(value(source[word: frame], of: sample))
    }
  }

  /// Turns what a bus of one sample type carries into what a bus of another does: exact where the
  /// other can hold it, rounded once where it cannot.
  @_noLocks
  public static func convert(
    _ source: ChannelBuffer, of from: SampleType, into sink: ChannelBuffer, as to: SampleType
  ) {
    if from == to { return sink.copy(from: source) }
    switch from {
    case .float32, .int16, .int24:
      switch to {
      case .float32: sink.copy(from: source)
      case .int16, .int24:
        sink.copy(from: source)
        quantize(sink.prefix(source.count < sink.count ? source.count : sink.count), to: to)
      case .int32, .fixed824: encode(source, into: sink, as: to)
      }
    case .int32, .fixed824:
      if to == .float32 { return decode(source, into: sink, of: from) }
      for frame in 0..<(source.count < sink.count ? source.count : sink.count) {
        // A double holds each word of 32 bits.
        let word = word(value(source[word: frame], of: from), as: to)
        switch to {
        case .float32, .int16, .int24: sink[frame] = Float(value(word, of: to))
        case .int32, .fixed824: sink[word: frame] = word
        }
      }
    }
  }
}

/// Rounds a bus of floats, in place, to what its format can hold.
public struct QuantizeKernel: RenderKernel {
  let sample: SampleType

  public init(sample: SampleType) { self.sample = sample }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    for channel in 0..<output.channelCount {
      output[channel].copy(from: input[channel])
      SampleCoding.quantize(output[channel], to: sample)
    }
    if input.isSilent { output.markSilent() }
    return .ok
  }
}

/// Turns a bus of floats into a bus of words.
public struct EncodeKernel: RenderKernel {
  let sample: SampleType

  public init(sample: SampleType) { self.sample = sample }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    for channel in 0..<output.channelCount {
      SampleCoding.encode(input[channel], into: output[channel], as: sample)
    }
    if input.isSilent { output.markSilent() }
    return .ok
  }
}

/// Turns a bus of words into a bus of floats.
public struct DecodeKernel: RenderKernel {
  let sample: SampleType

  public init(sample: SampleType) { self.sample = sample }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    for channel in 0..<output.channelCount {
      SampleCoding.decode(input[channel], into: output[channel], of: sample)
    }
    if input.isSilent { output.markSilent() }
    return .ok
  }
}
