public import AudioTypes
public import RenderCore

/// Multiplies what it pulls by a sine: each frequency f of it becomes two, f + `frequency` and f -
/// `frequency`.
///
/// y = x ((1 - mix) + mix sin(2π frequency t)), the same sine on each channel, from phase 0 at the
/// first frame.
public struct RingModulatorCallback: KeyPathCallback {
  public static let description = CallbackDescription(
    kind: "ringModulator", summary: "What it pulls, multiplied by a sine.", input: .required,
    placeSettings: [],
    settings: [
      SettingInfo(
        "frequency", .number(0...1_500_000, excludesLowerBound: true), unit: .hertz,
        defaultValue: .number(440), change: .ramp,
        summary: "Of the sine, up to half the sample rate of the bus."),
      .mix(1, "How much of the product, the rest being what is pulled: 0 for none, 1 for all."),
    ],
    make: {
      RingModulatorCallback(
        frequency: $0.number("frequency") ?? 440, mix: $0.number("mix") ?? 1)
    })

  public static let keyPaths: KeyPaths = ["frequency": \.frequency, "mix": \.mix]

  /// In Hz, above 0 and up to half the sample rate.
  public var frequency: Double
  /// From 0 (what is pulled) to 1 (the product).
  public var mix: Double

  public init(frequency: Double = 440, mix: Double = 1) {
    self.frequency = frequency
    self.mix = mix
  }

  public var input: CallbackInput { .required }

  public func duration(for format: StreamFormat) -> Int? { 0 }

  public func peak(pulling level: PeakLevel) -> PeakLevel { level }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: ["frequency": .number(frequency), "mix": .number(mix)])
      + busProblems(format) + [frequencyProblem(frequency, "frequency", format)].compactMap { $0 }
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    let place = SourcePlace(format.sampleRate, after: before)
    return RenderSource(
      kernel: .holding(
        RingModulatorKernel(
          counter: PhaseCounter(frequency: frequency, sampleRate: format.sampleRate),
          sampleRate: format.sampleRate,
          frequency: instance.control("frequency", length: glideLength(format)),
          mix: instance.control("mix", length: glideLength(format)), place: place.access),
        with: instance.block, place), duration: 0, clock: place.clock)
  }
}

struct RingModulatorKernel: RenderKernel {
  var counter: PhaseCounter
  let sampleRate: Double
  var frequency: GlidingControl
  var mix: GlidingControl
  var place: SourcePlaceAccess

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    if place.begin(context) { counter.phase = place.phase }
    mix.follow()
    if frequency.follow() { retune() }
    let first = counter.phase
    defer { place.end(context, phase: first, counter.phase) }
    for frame in 0..<context.frameCount {
      if !frequency.isSettled {
        _ = frequency.next()
        retune()
      }
      let mix = self.mix.next()
      let factor = 1 - mix + mix * sine(cycles: counter.next())
      for channel in 0..<output.channelCount {
        output[channel][frame] = Float(Double(input[channel][frame]) * factor)
      }
    }
    if input.isSilent { output.silence() }
    return .ok
  }

  @_noLocks
  private mutating func retune() {
    let cycles = frequency.current / sampleRate
    counter.retune(to: cycles < 0 ? 0 : cycles > 0.5 ? 0.5 : cycles)
  }
}
