import AudioTypes
import RenderCore

/// The properties of a converter of rates as the resampler takes them.
struct ConverterSettings: Hashable, Sendable {
  /// Whether and from what a converter is primed: Core Audio's `kConverterPrimeMethod_…`.
  enum PrimeMethod: UInt32, CaseIterable {
    /// From frames ahead of the first and beyond the last one.
    case pre = 0
    /// From frames beyond the last one; ahead of the first is silence. No latency.
    case normal = 1
    /// Not at all: what the filter looks ahead becomes a latency.
    case none = 2
  }

  /// The most times that the rate may go down: further the filter would be longer than a second of
  /// most inputs.
  static let largestStepDown = 256.0

  static let choices: [PropertyInfo.Choice] = [
    .init(0x6C69_6E65, "linear", constant: "kAudioUnitSampleRateConverterComplexity_Linear"),
    .init(0x6E6F_726D, "normal", constant: "kAudioUnitSampleRateConverterComplexity_Normal"),
    .init(0x6261_7473, "mastering", constant: "kAudioUnitSampleRateConverterComplexity_Mastering"),
  ]
  private static let complexities: [PolyphaseResampler.Quality.Complexity] = [
    .linear, .normal, .mastering,
  ]
  static let primeMethods: [PropertyInfo.Choice] = [
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
    let complexity = word(.sampleRateConverterComplexity, Self.choices[1].value)
    quality = .init(
      Self.choices.firstIndex { $0.value == complexity }.map { Self.complexities[$0] } ?? .normal,
      renderQuality: Int(word(.renderQuality, Self.defaultRenderQuality)))
    primeMethod = PrimeMethod(rawValue: word(.primeMethod, 1)) ?? .normal
    startsAtZero = word(.startTimestampsAtZero, 1) != 0
  }

  /// A converter of a quality of its own, which looks ahead and has no latency.
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

  /// Whether there is a rate to convert; otherwise everything below is 0.
  var convertsRate: Bool { inputRate != outputRate && inputRate > 0 && outputRate > 0 }

  /// Whether the rate goes down further than a filter can be made for.
  var stepIsTooLarge: Bool { convertsRate && inputRate / outputRate > Self.largestStepDown }

  /// Half the filter, in frames of the input; 0 where none can be made.
  var lookAhead: Int {
    guard convertsRate, !stepIsTooLarge else { return 0 }
    return PolyphaseResampler.lookAhead(
      inputRate: inputRate, outputRate: outputRate, quality: quality)
  }

  /// What a kernel takes of memory that converts so many channels, in bytes; 0 where none can be made.
  func memory(channelCount: Int) -> Int {
    guard convertsRate, !stepIsTooLarge else { return 0 }
    return PolyphaseResampler.memory(
      inputRate: inputRate, outputRate: outputRate, channelCount: max(1, channelCount),
      quality: quality, maximumInputFrames: RateKernel.stretch,
      maximumOutputFrames: RateKernel.stretch)
  }

  /// The conversion goes down further than a filter can be made for.
  ///
  /// - Parameter what: The subject of the sentence: what converts.
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

  /// How long the filter rings after a sound has ended, in seconds.
  var tail: Double { convertsRate ? Double(lookAhead) / inputRate : 0 }

  /// Frames of the input ahead of the first output frame, and beyond the last one, that a client has to
  /// supply (`AudioConverterPrimeInfo`).
  var primeFrames: (leading: Int, trailing: Int) {
    guard lookAhead > 0 else { return (0, 0) }
    return (primeMethod == .pre ? lookAhead - 1 : 0, primeMethod == .none ? 0 : lookAhead)
  }

  /// What converts, from words of a bus to words of a bus.
  ///
  /// - Parameter route: For each channel of the output the one of the input that it comes from, or -1.
  func makeKernel(
    from input: StreamFormat, to output: StreamFormat, _ dither: BusDither, route: [Int]
  ) -> KernelBox {
    convertsRate
      ? .holding(RateKernel(self, from: input, to: output, dither, route: route))
      : .holding(FormatKernel(from: input, to: output, dither, route: route))
  }

  /// What the kernel pulls; `nil` where the rates are equal.
  var demand: PullDemand? {
    guard convertsRate else { return nil }
    let frames = primeFrames
    return PullDemand(
      framesPerFrame: inputRate / outputRate, ahead: frames.leading + frames.trailing,
      delay: Double(primeMethod == .none ? lookAhead : -frames.leading))
  }
}
