public import AudioTypes

/// Rounds what crosses a bus to the integers of its format, with the noise of its `Dither` added before.
///
/// Each channel is dithered by itself: from the first of its samples that the format cannot hold until
/// half a second behind the last one, so that the noise does not come and go between two notes. Everything
/// else stays exactly as it is. The same samples give the same integers however they are cut into slices.
///
/// With `Dither.none`, or of a format of floats, it does what `SampleCoding.convert` does.
public struct DitheredRounding: ~Copyable {
  // What is kept of a channel, one number behind the other: frames that are dithered still, the state of
  // the noise, the last five errors, the newest first.
  private static var stride: Int { @_noLocks get { 7 } }
  private static var noiseWord: Int { @_noLocks get { 1 } }
  private static var firstError: Int { @_noLocks get { 2 } }

  private let isOn: Bool
  private let isShaped: Bool
  private let sample: SampleType
  /// Whether the bus has floats in the place of words.
  private let carriesFloats: Bool
  private let scale: Double
  private let largest: Double
  /// Frames for which dither goes on.
  private let hold: Double
  private let channelCount: Int
  private let shape: DoubleStorage
  private let state: DoubleStorage

  /// Takes the memory for all channels. Control thread.
  ///
  /// - Parameters:
  ///   - bus: What is added, and which noise.
  ///   - sample: The format that is rounded to.
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
      // Each channel begins at another place of the sequence.
      let start = NoiseSequence.number(bus.seed &+ UInt64(channel + 1) &* NoiseSequence.step)
      state[channel * Self.stride + Self.noiseWord] = Double(bitPattern: start)
    }
  }

  /// The same for the channels, the rate and the samples of a format.
  public init(_ bus: BusDither, to format: StreamFormat) {
    self.init(
      bus, to: format.sampleType ?? .float32, channelCount: format.channelCount,
      sampleRate: format.sampleRate)
  }

  /// How much further from zero a sample can be when it has been dithered, full scale being 1; 0 without
  /// dither.
  public var margin: Double {
    @_noLocks get {
      guard isOn else { return 0 }
      // Noise and rounding are 1.5; shaped, five errors of up to 2 come back by the filter.
      return (isShaped ? 20 : 2) / scale
    }
  }

  /// Whether no channel has noise added to it at the moment: silence stays silence then.
  public var isResting: Bool {
    @_noLocks get {
      for channel in 0..<channelCount where state[channel * Self.stride] > 0 { return false }
      return true
    }
  }

  /// Turns what a bus of one sample type carries into what a bus of this one's does. The two buffers may
  /// be the same.
  ///
  /// - Parameter channel: Of the bus that is rounded to.
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

  /// The same for all channels of a bus of floats.
  @_noLocks
  public func convert(_ source: RenderBus, into sink: RenderBus) {
    for channel in 0..<sink.channelCount {
      convert(source[channel], of: .float32, into: sink[channel], channel: channel)
    }
  }

  /// The integer for a channel's next sample. What is not a number becomes 0.
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
    // What is clipped is no noise that the next samples could make up for.
    let error = coded - wanted
    state[place + Self.firstError] = error > 2 ? 2 : error < -2 ? -2 : error
    return Int32(coded)
  }

  /// Ends the noise of a channel.
  @_noLocks
  private func rest(_ place: Int) {
    state[place] = 0
    for index in 0..<5 { state[place + Self.firstError + index] = 0 }
  }

  /// The nearest integer of the format, halves to even; 0 for what is not a number.
  @_noLocks
  private func rounded(_ scaled: Double) -> Double {
    if scaled >= largest { return largest }
    if scaled <= -largest - 1 { return -largest - 1 }
    guard scaled == scaled else { return 0 }
    // Adding and taking away 3 * 2^51 rounds to a whole number, halves to even, without a call.
    return (scaled + 6_755_399_441_055_744) - 6_755_399_441_055_744
  }

  /// The noise for a channel's next sample, in bits: -1 to 1.
  @_noLocks
  private func noise(_ place: Int) -> Double {
    let next = state[place + Self.noiseWord].bitPattern &+ NoiseSequence.step
    state[place + Self.noiseWord] = Double(bitPattern: next)
    return NoiseSequence.triangle(next)
  }
}

/// Turns a bus of floats into a bus of an integer format, dithered.
public struct DitherKernel: RenderKernel, ~Copyable {
  private let rounding: DitheredRounding

  /// - Parameter format: Of integers.
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
