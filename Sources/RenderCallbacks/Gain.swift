public import AudioTypes
public import RenderCore

/// Multiplies what it pulls by one number.
public struct GainCallback: KeyPathCallback {
  public static let description = CallbackDescription(
    kind: "gain", summary: "What it pulls, louder or softer.", input: .required,
    settings: [
      SettingInfo(
        "gain", .number(-100...100), unit: .linearGain, isRequired: true, change: .ramp,
        summary: "What each sample is multiplied by; below 0 turns the wave over.")
    ],
    make: { GainCallback(gain: $0.number("gain") ?? 1) })

  public static let keyPaths: KeyPaths = ["gain": \.gain]

  /// Linear, from -100 to 100.
  public var gain: Double

  public init(gain: Double) { self.gain = gain }

  public var input: CallbackInput { .required }

  public func duration(for format: StreamFormat) -> Int? { 0 }

  public func peak(pulling level: PeakLevel) -> PeakLevel { level.scaled(by: gain) }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: ["gain": .number(gain)]) + busProblems(format)
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    let gain = instance.control("gain", length: glideLength(format))
    return RenderSource(
      kernel: .holding(GainKernel(gain: gain), with: instance.block), duration: 0)
  }
}

struct GainKernel: RenderKernel {
  var gain: GlidingControl

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    gain.follow()
    guard gain.isSettled else { return glide(input, output) }
    let gain = Float(self.gain.current)
    guard gain != 0 && !input.isSilent else {
      output.silence()
      return .ok
    }
    for channel in 0..<output.channelCount {
      VectorMath.multiply(input[channel], by: gain, into: output[channel])
    }
    return .ok
  }

  @_noLocks
  private mutating func glide(_ input: RenderBus, _ output: RenderBus) -> Status {
    let start = gain
    for channel in 0..<output.channelCount {
      gain = start
      gain.multiply(input[channel], into: output[channel])
    }
    if input.isSilent { output.silence() }
    return .ok
  }
}
