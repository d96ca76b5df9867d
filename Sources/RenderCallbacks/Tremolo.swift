public import AudioTypes
public import RenderCore

/// Moves the level of what it pulls up and down, the same on each channel.
///
/// The gain is 1 at the first frame, and goes from there to `1 - depth` and back `rate` times a
/// second: y = x (1 - depth (1 - w(t)) / 2), where w is a wave between -1 and 1 that begins at its
/// top.
public struct TremoloCallback: KeyPathCallback {
  /// How the gain moves between its ends.
  public enum Shape: String, CaseIterable, Hashable, Sendable {
    /// A cosine.
    case sine
    /// Straight lines down and up.
    case triangle
    /// On and off, in equal parts. An edge is half a period of a cosine, of `edge` seconds or an
    /// eighth of the cycle, whichever is shorter: a step would click.
    case square
  }

  /// The duration of an edge of a square, in seconds.
  static let edge = 0.004

  public static let description = CallbackDescription(
    kind: "tremolo", summary: "What it pulls, its level going up and down.", input: .required,
    placeSettings: [],
    settings: [
      SettingInfo(
        "rate", .number(0...100, excludesLowerBound: true), unit: .hertz,
        defaultValue: .number(5), change: .ramp,
        summary: "How often a second the level goes down and up again."),
      SettingInfo(
        "depth", .number(0...1), unit: .ratio, defaultValue: .number(0.5), change: .ramp,
        summary: "How far down it goes: the gain goes from 1 to 1 - depth."),
      SettingInfo(
        "shape", .choice(Shape.allCases.map(\.rawValue)), defaultValue: .text("sine"),
        summary: "How it goes; the edges of a square take 4 ms, so that they do not click."),
    ],
    make: {
      TremoloCallback(
        rate: $0.number("rate") ?? 5, depth: $0.number("depth") ?? 0.5,
        shape: Shape(rawValue: $0.text("shape") ?? "") ?? .sine)
    })

  public static let keyPaths: KeyPaths = ["rate": \.rate, "depth": \.depth]

  /// In Hz, above 0 and up to 100.
  public var rate: Double
  /// From 0 to 1.
  public var depth: Double
  /// How the gain moves between its ends.
  public var shape: Shape

  public init(rate: Double = 5, depth: Double = 0.5, shape: Shape = .sine) {
    self.rate = rate
    self.depth = depth
    self.shape = shape
  }

  public var input: CallbackInput { .required }

  public func duration(for format: StreamFormat) -> Int? { 0 }

  public func peak(pulling level: PeakLevel) -> PeakLevel { level }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: [
      "rate": .number(rate), "depth": .number(depth), "shape": .text(shape.rawValue),
    ]) + busProblems(format) + [frequencyProblem(rate, "rate", format)].compactMap { $0 }
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    let place = SourcePlace(format.sampleRate, after: before)
    return RenderSource(
      kernel: .holding(
        TremoloKernel(
          counter: PhaseCounter(frequency: rate, sampleRate: format.sampleRate),
          sampleRate: format.sampleRate,
          rate: instance.control("rate", length: glideLength(format)),
          depth: instance.control("depth", length: glideLength(format)), shape: shape,
          edge: min(Self.edge * rate, 0.125), place: place.access),
        with: instance.block, place), duration: 0, clock: place.clock)
  }
}

struct TremoloKernel: RenderKernel {
  var counter: PhaseCounter
  let sampleRate: Double
  var rate: GlidingControl
  var depth: GlidingControl
  let shape: TremoloCallback.Shape
  /// The length of an edge, in cycles.
  var edge: Double
  var place: SourcePlaceAccess

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    if place.begin(context) { counter.phase = place.phase }
    depth.follow()
    if rate.follow() { retune() }
    let first = counter.phase
    defer { place.end(context, phase: first, counter.phase) }
    for frame in 0..<context.frameCount {
      if !rate.isSettled {
        _ = rate.next()
        retune()
      }
      let gain = 1 - depth.next() * fall(counter.next())
      for channel in 0..<output.channelCount {
        output[channel][frame] = Float(Double(input[channel][frame]) * gain)
      }
    }
    if input.isSilent { output.silence() }
    return .ok
  }

  @_noLocks
  private mutating func retune() {
    let now = rate.current
    let cycles = now / sampleRate
    counter.retune(to: cycles < 0 ? 0 : cycles > 0.5 ? 0.5 : cycles)
    let edge = TremoloCallback.edge * now
    self.edge = edge < 0.125 ? edge : 0.125
  }

  /// How far down the gain is, from 0 to 1, at a phase in cycles.
  @_noLocks
  private mutating func fall(_ phase: Double) -> Double {
    switch shape {
    case .sine: return cosineStep(phase)
    case .triangle: return phase < 0.5 ? 2 * phase : 2 - 2 * phase
    case .square:
      // Down before the middle of the cycle, up before its end.
      let isUp = phase < 0.5
      let part = (phase - (isUp ? 0.5 : 1)) / edge + 1
      let change = part > 0 ? cosineStep(part / 2) : 0
      return isUp ? change : 1 - change
    }
  }

  /// From 0 at phase 0 to 1 at phase 1/2, and back.
  @_noLocks
  private mutating func cosineStep(_ phase: Double) -> Double {
    let half = sine(cycles: phase / 2)
    return half * half
  }
}
