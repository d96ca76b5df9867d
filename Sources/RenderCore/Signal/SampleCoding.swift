public import AudioTypes

/// Converts between the numbers on a bus and the samples of a format.
///
/// A bus of `float32`, `int16` or `int24` carries `Float`s, a bus of `int32` or `fixed8.24` carries
/// `Int32` words: both hold each value of the format exactly. Full scale is 1.0; an integer of n
/// bits is its value divided by 2^(n-1), an 8.24 word its value divided by 2^24. Values that the
/// format cannot hold are rounded to the nearest, halves to even, and clipped at the ends; NaN
/// becomes 0.
public enum SampleCoding {
  /// The integer for 1.0: 2^(n-1), or 2^24.
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

  /// The integer of `sample` nearest to `value`. NaN gives 0.
  @_noLocks
  public static func word(_ value: Double, as sample: SampleType) -> Int32 {
    let scaled = value * scale(sample)
    let maximum = maximum(sample)
    if scaled >= Double(maximum) { return maximum }
    if scaled <= Double(~maximum) { return ~maximum }
    guard scaled == scaled else { return 0 }
    // Adding and subtracting 3 * 2^51 rounds to a whole number, halves to even, without a call.
    let rounded = (scaled + 6_755_399_441_055_744) - 6_755_399_441_055_744
    return Int32(truncatingIfNeeded: Int64(rounded))
  }

  /// The value of an integer of `sample`, exact.
  @_noLocks
  public static func value(_ word: Int32, of sample: SampleType) -> Double {
    Double(word) / scale(sample)
  }

  /// Rounds floats, in place, to values of `sample`. Leaves `float32` as it is.
  @_noLocks
  public static func quantize(_ buffer: ChannelBuffer, to sample: SampleType) {
    guard sample != .float32 else { return }
    if sample == .int16 { return quantize16(buffer) }
    let scale = scale(sample)
    let maximum = maximum(sample)
    let end = Double(maximum) / scale
    let nearest = Float(end)
    // The largest 32-bit word lies between two floats; only the lower one is in range.
    let most = Double(nearest) > end ? Float(bitPattern: nearest.bitPattern - 1) : nearest
    encodeWords(buffer, times: scale, atMost: maximum, into: buffer)
    decodeWords(buffer, times: Float(1 / scale), atMost: most, into: buffer)
  }

  /// Converts floats to words of `int32` or `fixed8.24`. The two buffers may be the same.
  @_noLocks
  public static func encode(
    _ source: ChannelBuffer, into sink: ChannelBuffer, as sample: SampleType
  ) {
    encodeWords(source, times: scale(sample), atMost: maximum(sample), into: sink)
  }

  /// Converts words of `int32` or `fixed8.24` to the nearest floats. The two buffers may be the
  /// same.
  @_noLocks
  public static func decode(
    _ source: ChannelBuffer, into sink: ChannelBuffer, of sample: SampleType
  ) {
    decodeWords(source, times: Float(1 / scale(sample)), atMost: .infinity, into: sink)
  }

  /// Converts samples from a bus of one sample type to a bus of another: exact where the other can
  /// hold them, otherwise rounded once. The two buffers may be the same.
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
      // A double holds each 32-bit word exactly.
      let ratio = scale(to) / scale(from)
      recodeWords(source, times: ratio, atMost: maximum(to), into: sink)
      switch to {
      case .int16, .int24:
        let words = sink.prefix(source.count < sink.count ? source.count : sink.count)
        decodeWords(words, times: Float(1 / scale(to)), atMost: 1, into: words)
      case .float32, .int32, .fixed824: break
      }
    }
  }
}

/// Converts a bus of one sample type to a bus of another, as ``SampleCoding/convert(_:of:into:as:)``
/// does.
public struct SampleCodingKernel: RenderKernel {
  let from: SampleType
  let to: SampleType

  public init(from: SampleType, to: SampleType) {
    self.from = from
    self.to = to
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    for channel in 0..<output.channelCount {
      SampleCoding.convert(input[channel], of: from, into: output[channel], as: to)
    }
    if input.isSilent { output.markSilent() }
    return .ok
  }
}
