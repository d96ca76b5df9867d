public import AudioTypes

/// Rounds samples to the integers of a format, after adding the noise of its `Dither`.
///
/// Each channel is dithered by itself: from the first sample that the format cannot hold until half
/// a second behind the last one, so that the noise does not stop between two notes. Outside of that
/// samples that the format can hold stay exact. The output does not depend on slices.
///
/// With `Dither.none`, or for a format of floats, it does what `SampleCoding.convert` does.
public struct DitheredRounding: ~Copyable {
  // The state of a channel, in successive numbers: the frames that are still to be dithered, the
  // state of the noise, and the last five errors, the newest first.
  private static var stride: Int { @_noLocks get { 7 } }
  private static var noiseWord: Int { @_noLocks get { 1 } }
  private static var firstError: Int { @_noLocks get { 2 } }

  private let isOn: Bool
  private let isShaped: Bool
  private let sample: SampleType
  /// Whether the bus carries floats, and not words.
  private let carriesFloats: Bool
  private let scale: Double
  private let largest: Double
  /// The frames of dither behind the last sample that needs it.
  private let hold: Double
  private let channelCount: Int
  private let shape: DoubleStorage
  private let state: DoubleStorage

  /// Allocates the memory for all channels. Control thread.
  ///
  /// - Parameters:
  ///   - bus: The dither of the bus.
  ///   - sample: The format to round to.
  ///   - sampleRate: In Hz.
  public init(_ bus: BusDither, to sample: SampleType, channelCount: Int, sampleRate: Double) {
    isOn = bus.dither != .none && sample != .float32 && channelCount > 0
    isShaped = bus.dither == .shaped
    self.sample = sample
    carriesFloats = sample.fitsFloat
    self.channelCount = isOn ? channelCount : 0
    scale = SampleCoding.scale(sample)
    largest = Double(SampleCoding.maximum(sample))
    hold = max(1, (sampleRate / 2).rounded(.down))
    shape = DoubleStorage(Dither.shape)
    state = DoubleStorage(repeating: 0, count: max(1, self.channelCount * Self.stride))
    for channel in 0..<self.channelCount {
      // Each channel begins at another point of the noise sequence.
      let start = NoiseSequence.number(bus.seed &+ UInt64(channel + 1) &* NoiseSequence.step)
      state[channel * Self.stride + Self.noiseWord] = Double(bitPattern: start)
    }
  }

  /// Takes the channels, the rate and the sample type of a format. Control thread.
  public init(_ bus: BusDither, to format: StreamFormat) {
    self.init(
      bus, to: format.sampleType ?? .float32, channelCount: format.channelCount,
      sampleRate: format.sampleRate)
  }

  /// The most by which dither can move a sample away from zero, where 1 is full scale; 0 without
  /// dither.
  public var margin: Double {
    @_noLocks get {
      guard isOn else { return 0 }
      // Noise and rounding come to 1.5 steps; with shaping the filter feeds back five errors of up
      // to 2.
      return (isShaped ? 20 : 2) / scale
    }
  }

  /// Whether no channel is being dithered, so that silence stays silent.
  public var isResting: Bool {
    @_noLocks get {
      for channel in 0..<channelCount where state[channel * Self.stride] > 0 { return false }
      return true
    }
  }

  /// Converts samples from one sample type to this one's. The two buffers may be the same.
  ///
  /// - Parameter channel: The channel of the bus that is written.
  @_noLocks
  public func convert(
    _ source: ChannelBuffer, of from: SampleType, into sink: ChannelBuffer, channel: Int
  ) {
    guard isOn else { return SampleCoding.convert(source, of: from, into: sink, as: sample) }
    let isFloats =
      switch from {
      case .float32, .int16, .int24: true
      case .int32, .fixed824: false
      }
    for frame in 0..<(source.count < sink.count ? source.count : sink.count) {
      let value =
        isFloats ? Double(source[frame]) : SampleCoding.value(source[word: frame], of: from)
      let word = word(value, channel: channel)
      if carriesFloats {
        sink[frame] = Float(SampleCoding.value(word, of: sample))
      } else {
        sink[word: frame] = word
      }
    }
  }

  /// Converts all channels of a bus of floats.
  @_noLocks
  public func convert(_ source: RenderBus, into sink: RenderBus) {
    for channel in 0..<sink.channelCount {
      convert(source[channel], of: .float32, into: sink[channel], channel: channel)
    }
  }

  /// The integer for a channel's next sample. NaN becomes 0.
  @_noLocks
  public func word(_ value: Double, channel: Int) -> Int32 {
    guard isOn else { return SampleCoding.word(value, as: sample) }
    let place = channel * Self.stride
    let scaled = value * scale
    let plain = rounded(scaled)
    let left = state[place]
    if plain == scaled || scaled != scaled {
      guard left > 1 else {
        if left > 0 { rest(place) }
        return Int32(plain)
      }
      state[place] = left - 1
    } else {
      state[place] = hold
    }
    let noise = noise(place)
    guard scaled == scaled else { return 0 }
    guard isShaped else { return Int32(rounded(scaled + noise)) }
    var wanted = scaled
    for index in 0..<5 { wanted += shape[index] * state[place + Self.firstError + index] }
    let coded = rounded(wanted + noise)
    for index in 0..<4 {
      let older = place + Self.firstError + 4 - index
      state[older] = state[older - 1]
    }
    // Limited, because clipping is no error that later samples could compensate for.
    let error = coded - wanted
    state[place + Self.firstError] = error > 2 ? 2 : error < -2 ? -2 : error
    return Int32(coded)
  }

  /// Stops the dither of a channel.
  @_noLocks
  private func rest(_ place: Int) {
    state[place] = 0
    for index in 0..<5 { state[place + Self.firstError + index] = 0 }
  }

  /// The nearest integer of the format, halves to even; 0 for NaN.
  @_noLocks
  private func rounded(_ scaled: Double) -> Double {
    if scaled >= largest { return largest }
    if scaled <= -largest - 1 { return -largest - 1 }
    guard scaled == scaled else { return 0 }
    // Adding and subtracting 3 * 2^51 rounds to a whole number, halves to even, without a call.
    return (scaled + 6_755_399_441_055_744) - 6_755_399_441_055_744
  }

  /// The noise for a channel's next sample, in steps of the format: -1 to 1.
  @_noLocks
  private func noise(_ place: Int) -> Double {
    let next = state[place + Self.noiseWord].bitPattern &+ NoiseSequence.step
    state[place + Self.noiseWord] = Double(bitPattern: next)
    return NoiseSequence.triangle(next)
  }
}

/// Converts a bus of floats to a bus of integers, with dither.
public struct DitherKernel: RenderKernel, ~Copyable {
  private let rounding: DitheredRounding

  /// - Parameter format: A format with integer samples.
  public init(_ bus: BusDither, to format: StreamFormat) {
    rounding = DitheredRounding(bus, to: format)
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    let isSilent = input.isSilent && rounding.isResting
    rounding.convert(input, into: output)
    if isSilent { output.markSilent() }
    return .ok
  }
}
