public import AudioTypes
public import RenderCore

/// What it pulls, each sample multiplied by one number.
public struct GainCallback: RenderCallback {
  public static let description = CallbackDescription(
    kind: "gain", summary: "What it pulls, louder or softer.", input: .required,
    settings: [
      SettingInfo(
        "gain", .number(-100...100), unit: .linearGain, isRequired: true,
        summary: "What each sample is multiplied by; below 0 turns the wave over.")
    ],
    make: { GainCallback(gain: $0.number("gain") ?? 1) })

  /// Linear, from -100 to 100.
  public var gain: Double

  public init(gain: Double) { self.gain = gain }

  public var input: CallbackInput { .required }

  public func duration(for format: StreamFormat) -> Int? { 0 }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: ["gain": .number(gain)]) + busProblems(format)
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    return RenderSource(kernel: .holding(GainKernel(gain: Float(gain))), duration: 0)
  }
}

struct GainKernel: RenderKernel {
  let gain: Float

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    guard gain != 0 && !input.isSilent else {
      output.silence()
      return .ok
    }
    for channel in 0..<output.channelCount {
      let source = input[channel]
      let sink = output[channel]
      for frame in 0..<context.frameCount { sink[frame] = source[frame] * gain }
    }
    return .ok
  }
}
