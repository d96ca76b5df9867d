import AudioTypes
import RenderCore

/// The settings of a sample rate converter, for the resampler.
struct ConverterSettings: Hashable, Sendable {
  /// How a converter is primed: Core Audio's `kConverterPrimeMethod_…`.
  enum PrimeMethod: UInt32, CaseIterable {
    /// With frames before the first and after the last.
    case pre = 0
    /// With frames after the last; before the first is silence. No latency.
    case normal = 1
    /// Not primed: the look-ahead of the filter becomes a latency.
    case none = 2
  }

  /// The largest factor by which the rate may be reduced: above it the filter would be longer than
  /// a second of most inputs.
  static let largestStepDown = 256.0

  static let defaultComplexity: UInt32 = 0x6E6F_726D
  static let choices: [SettingInfo.Choice] = [
    .init(0x6C69_6E65, "linear", constant: "kAudioUnitSampleRateConverterComplexity_Linear"),
    .init(defaultComplexity, "normal", constant: "kAudioUnitSampleRateConverterComplexity_Normal"),
    .init(0x6261_7473, "mastering", constant: "kAudioUnitSampleRateConverterComplexity_Mastering"),
  ]
  private static let complexities: [PolyphaseResampler.Quality.Complexity] = [
    .linear, .normal, .mastering,
  ]
  static let primeMethods: [SettingInfo.Choice] = [
    .init(PrimeMethod.pre.rawValue, "pre", constant: "kConverterPrimeMethod_Pre"),
    .init(PrimeMethod.normal.rawValue, "normal", constant: "kConverterPrimeMethod_Normal"),
    .init(PrimeMethod.none.rawValue, "none", constant: "kConverterPrimeMethod_None"),
  ]
  static let defaultRenderQuality: UInt32 = 64

  let inputRate: Double
  let outputRate: Double
  let quality: PolyphaseResampler.Quality
  let primeMethod: PrimeMethod
  let startsAtZero: Bool

  init(_ configuration: UnitConfiguration) {
    func word(_ id: PropertyID, _ defaultValue: UInt32) -> UInt32 {
      guard case .uint32(let word)? = configuration.properties[.init(id, .global, 0)] else {
        return defaultValue
      }
      return word
    }
    inputRate = configuration.inputs[0].format.sampleRate
    outputRate = configuration.outputs[0].format.sampleRate
    let complexity = word(.sampleRateConverterComplexity, Self.defaultComplexity)
    quality = .init(
      Self.choices.firstIndex { $0.value == complexity }.map { Self.complexities[$0] } ?? .normal,
      renderQuality: Int(word(.renderQuality, Self.defaultRenderQuality)))
    primeMethod = PrimeMethod(rawValue: word(.primeMethod, 1)) ?? .normal
    startsAtZero = word(.startTimestampsAtZero, 1) != 0
  }

  /// A converter with a given quality that looks ahead, without latency.
  init(
    from inputRate: Double, to outputRate: Double, quality: PolyphaseResampler.Quality,
    startsAtZero: Bool
  ) {
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.quality = quality
    self.startsAtZero = startsAtZero
    primeMethod = .normal
  }

  /// Whether the rates differ. Otherwise `lookAhead`, `latency`, `tail` and `primeFrames` are 0.
  var convertsRate: Bool { inputRate != outputRate && inputRate > 0 && outputRate > 0 }

  /// Whether the rate is reduced by more than `largestStepDown`.
  var stepIsTooLarge: Bool { convertsRate && inputRate / outputRate > Self.largestStepDown }

  /// Half the length of the filter, in frames of the input; 0 without a filter.
  var lookAhead: Int {
    guard convertsRate, !stepIsTooLarge else { return 0 }
    return PolyphaseResampler.lookAhead(
      inputRate: inputRate, outputRate: outputRate, quality: quality)
  }

  /// The bytes of a kernel for a number of channels; 0 without a filter.
  func memory(channelCount: Int) -> Int {
    guard convertsRate, !stepIsTooLarge else { return 0 }
    return PolyphaseResampler.memory(
      inputRate: inputRate, outputRate: outputRate, channelCount: max(1, channelCount),
      quality: quality, maximumInputFrames: RateKernel.stretch,
      maximumOutputFrames: RateKernel.stretch)
  }

  /// The violation where the rate is reduced by more than `largestStepDown`; `nil` for none.
  ///
  /// - Parameter what: The unit that converts, as the subject of the sentence.
  func stepViolation(
    _ what: String, at part: Violation.Part, from other: Violation.Part?, help: String
  )
    -> Violation?
  {
    guard stepIsTooLarge else { return nil }
    return Violation(
      UnitRules.converterStep, status: .formatNotSupported,
      "\(what) takes a rate down to a \(Int(Self.largestStepDown))th at most, not from "
        + "\(rateText(inputRate)) to \(rateText(outputRate)) Hz",
      at: .init(node: nil, part),
      notes: other.map { [.init("the input's format", at: .init(node: nil, $0))] } ?? [],
      help: [help])
  }

  var alignment: PolyphaseResampler.Alignment {
    switch primeMethod {
    case .pre: .primed
    case .normal: .lookingAhead
    case .none: .causal
    }
  }

  /// From the input to the output, in seconds.
  var latency: Double {
    primeMethod == .none && convertsRate ? Double(lookAhead) / inputRate : 0
  }

  /// The tail of the filter after a sound has ended, in seconds.
  var tail: Double { convertsRate ? Double(lookAhead) / inputRate : 0 }

  /// The frames of the input before the first output frame, and after the last one, that a client
  /// has to supply (`AudioConverterPrimeInfo`).
  var primeFrames: (leading: Int, trailing: Int) {
    guard lookAhead > 0 else { return (0, 0) }
    return (primeMethod == .pre ? lookAhead - 1 : 0, primeMethod == .none ? 0 : lookAhead)
  }

  /// Makes the kernel, which reads and writes bus words.
  ///
  /// - Parameter route: For each output channel the input channel that it comes from, or -1.
  func makeKernel(
    from input: StreamFormat, to output: StreamFormat, _ dither: BusDither, route: [Int]
  ) -> KernelBox {
    convertsRate
      ? .holding(RateKernel(self, from: input, to: output, dither, route: route))
      : .holding(FormatKernel(from: input, to: output, dither, route: route))
  }

  /// How the kernel pulls its input; `nil` where the rates are equal.
  var demand: PullDemand? {
    guard convertsRate else { return nil }
    let frames = primeFrames
    return PullDemand(
      framesPerFrame: inputRate / outputRate, ahead: frames.leading + frames.trailing,
      delay: Double(primeMethod == .none ? lookAhead : -frames.leading))
  }
}
