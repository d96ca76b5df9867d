public import AudioTypes
import Glibc
public import RenderCore

/// A sine whose frequency goes from one value to another, the same on each channel.
public struct SweepCallback: RenderCallback {
  public enum Curve: String, CaseIterable, Hashable, Sendable {
    /// The same time for each octave.
    case exponential
    /// The same time for each hertz.
    case linear
  }

  public static let description = CallbackDescription(
    kind: "sweep",
    summary: "A sine whose frequency goes from one value to another, the same on each channel.",
    settings: [
      SettingInfo(
        "curve", .choice(Curve.allCases.map(\.rawValue)), defaultValue: .text("exponential"),
        summary: "The same time for each octave, or the same time for each hertz."),
      SettingInfo(
        "from", .number(0...1_500_000, excludesLowerBound: true), unit: .hertz,
        defaultValue: .number(20),
        summary: "Where it begins, up to half the sample rate of the bus."),
      SettingInfo(
        "to", .number(0...1_500_000, excludesLowerBound: true), unit: .hertz,
        defaultValue: .number(20_000),
        summary: "Where it ends, up to half the sample rate of the bus."),
      SettingInfo(
        "duration", .number(0...86_400, excludesLowerBound: true), unit: .seconds,
        defaultValue: .number(10), summary: "How long it takes."),
      .amplitude(0.25, "The peak of the sine; 1 is full scale."),
      SettingInfo(
        "loop", .boolean, unit: .boolean, defaultValue: .boolean(false),
        summary: "Whether it begins again, at phase 0. Otherwise silence follows."),
    ],
    make: { values in
      SweepCallback(
        curve: Curve(rawValue: values.text("curve") ?? "") ?? .exponential,
        from: values.number("from") ?? 20, to: values.number("to") ?? 20_000,
        duration: values.number("duration") ?? 10, amplitude: values.number("amplitude") ?? 0.25,
        loop: values.boolean("loop"))
    })

  public var curve: Curve
  /// In Hz, above 0 and up to half the sample rate.
  public var from: Double
  /// In Hz, above 0 and up to half the sample rate.
  public var to: Double
  /// In seconds, above 0 and up to a day.
  public var duration: Double
  /// The peak, from 0 to 8.
  public var amplitude: Double
  public var loop: Bool

  public init(
    curve: Curve = .exponential, from: Double = 20, to: Double = 20_000, duration: Double = 10,
    amplitude: Double = 0.25, loop: Bool = false
  ) {
    self.curve = curve
    self.from = from
    self.to = to
    self.duration = duration
    self.amplitude = amplitude
    self.loop = loop
  }

  public func duration(for format: StreamFormat) -> Int? {
    loop ? nil : frameCount(for: format)
  }

  private func frameCount(for format: StreamFormat) -> Int {
    max(1, Int((duration * format.sampleRate).rounded()))
  }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: [
      "from": .number(from), "to": .number(to), "duration": .number(duration),
      "amplitude": .number(amplitude),
    ]) + busProblems(format)
      + [frequencyProblem(from, "from", format), frequencyProblem(to, "to", format)]
      .compactMap { $0 }
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    return RenderSource(
      kernel: .holding(SweepKernel(self, format, frameCount: frameCount(for: format))),
      duration: duration(for: format))
  }
}

struct SweepKernel: RenderKernel {
  let frameCount: Int
  let loops: Bool
  let amplitude: Double
  private let isExponential: Bool
  private let length: Double
  /// Cycles that `from` alone would make in the whole time.
  private let cycles: Double
  /// The natural logarithm of `to / from`, or else `to / from - 1`.
  private let growth: Double
  private var position = 0

  init(_ sweep: SweepCallback, _ format: StreamFormat, frameCount: Int) {
    self.frameCount = frameCount
    loops = sweep.loop
    amplitude = sweep.amplitude
    length = sweep.duration * format.sampleRate
    cycles = sweep.from * sweep.duration
    isExponential = sweep.curve == .exponential && sweep.from != sweep.to
    growth = isExponential ? log(sweep.to / sweep.from) : sweep.to / sweep.from - 1
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    if (position >= frameCount && !loops) || amplitude == 0 {
      output.silence()
      if loops { position = (position + context.frameCount) % frameCount }
      return .ok
    }
    for frame in 0..<context.frameCount {
      if position == frameCount && loops { position = 0 }
      var value: Float = 0
      if position < frameCount {
        let phase = self.phase(Double(position) / length)
        value = Float(amplitude * sine(cycles: phase - renderFloor(phase)))
        position += 1
      }
      for channel in 0..<output.channelCount { output[channel][frame] = value }
    }
    return .ok
  }

  /// Cycles made after a part, from 0 to 1, of the time.
  @_noLocks
  private func phase(_ part: Double) -> Double {
    isExponential
      ? cycles / growth * renderExpMinusOne(growth * part)
      : cycles * part * (1 + growth * part / 2)
  }
}
