public import AudioTypes
import Glibc
public import RenderCore

/// A sine whose frequency goes from one value to another, the same on each channel.
public struct SweepCallback: KeyPathCallback {
  /// How the frequency moves in time.
  public enum Curve: String, CaseIterable, Hashable, Sendable {
    /// The same time for each octave.
    case exponential
    /// The same time for each hertz.
    case linear
  }

  public static let description = CallbackDescription(
    kind: "sweep",
    summary: "A sine whose frequency goes from one value to another, the same on each channel.",
    hasBeginning: true,
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
        "loop", .boolean, defaultValue: .boolean(false), change: .live,
        summary: "Whether it begins again, at phase 0. Otherwise silence follows."),
    ],
    make: { values in
      SweepCallback(
        curve: Curve(rawValue: values.text("curve") ?? "") ?? .exponential,
        from: values.number("from") ?? 20, to: values.number("to") ?? 20_000,
        duration: values.number("duration") ?? 10, amplitude: values.number("amplitude") ?? 0.25,
        loop: values.boolean("loop"))
    })

  public static let keyPaths: KeyPaths = ["amplitude": \.amplitude, "loop": \.loop.number]

  /// How the frequency moves in time.
  public var curve: Curve
  /// In Hz, above 0 and up to half the sample rate.
  public var from: Double
  /// In Hz, above 0 and up to half the sample rate.
  public var to: Double
  /// In seconds, above 0 and up to a day.
  public var duration: Double
  /// The peak, from 0 to 8.
  public var amplitude: Double
  /// Whether it begins again at its end.
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

  public func peak(pulling level: PeakLevel) -> PeakLevel { .certain(amplitude) }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: [
      "from": .number(from), "to": .number(to), "duration": .number(duration),
      "amplitude": .number(amplitude),
    ]) + busProblems(format)
      + [frequencyProblem(from, "from", format), frequencyProblem(to, "to", format)]
      .compactMap { $0 }
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    let frameCount = frameCount(for: format)
    let passes = SourcePasses()
    return RenderSource(
      kernel: .holding(
        SweepKernel(
          self, format, frameCount: frameCount,
          amplitude: instance.control("amplitude", length: glideLength(format)),
          loop: instance.control("loop", length: 1), passes: passes.access),
        with: instance.block, passes.block),
      duration: duration(for: format),
      durationNow: {
        passes.duration(loops: instance.value(of: "loop") == 1, passLength: frameCount)
      })
  }
}

struct SweepKernel: RenderKernel {
  let frameCount: Int
  private var amplitude: GlidingControl
  private var loop: GlidingControl
  private let passes: CounterAccess
  private let isExponential: Bool
  private let length: Double
  /// The cycles that `from` alone would make in the whole duration.
  private let cycles: Double
  /// The natural logarithm of `to / from`, or else `to / from - 1`.
  private let growth: Double
  private var position = 0
  private var elapsed = 0

  init(
    _ sweep: SweepCallback, _ format: StreamFormat, frameCount: Int, amplitude: GlidingControl,
    loop: GlidingControl, passes: CounterAccess
  ) {
    self.frameCount = frameCount
    self.amplitude = amplitude
    self.loop = loop
    self.passes = passes
    length = sweep.duration * format.sampleRate
    cycles = sweep.from * sweep.duration
    isExponential = sweep.curve == .exponential && sweep.from != sweep.to
    growth = isExponential ? log(sweep.to / sweep.from) : sweep.to / sweep.from - 1
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    amplitude.follow()
    loop.follow()
    let loops = loop.goal != 0
    if (position >= frameCount && !loops) || (amplitude.isSettled && amplitude.current == 0) {
      output.silence()
      amplitude.skip(context.frameCount)
      let next = position + context.frameCount
      let isOver = position >= frameCount && !loops
      position = loops ? next % frameCount : next < frameCount ? next : frameCount
      elapsed += context.frameCount
      if !isOver { SourcePasses.note(elapsed, position, in: passes) }
      return .ok
    }
    elapsed += context.frameCount
    var over = 0
    for frame in 0..<context.frameCount {
      if position == frameCount && loops { position = 0 }
      var value: Float = 0
      if position < frameCount {
        let phase = self.phase(Double(position) / length)
        value = Float(amplitude.next() * sine(cycles: phase - renderFloor(phase)))
        position += 1
      } else {
        amplitude.skip(1)
        over += 1
      }
      for channel in 0..<output.channelCount { output[channel][frame] = value }
    }
    SourcePasses.note(elapsed - over, position, in: passes)
    return .ok
  }

  /// The cycles after a part, from 0 to 1, of the duration.
  @_noLocks
  private func phase(_ part: Double) -> Double {
    isExponential
      ? cycles / growth * renderExpMinusOne(growth * part)
      : cycles * part * (1 + growth * part / 2)
  }
}
