public import AudioTypes
public import RenderCore

/// Single samples in silence, the same on each channel.
public struct ImpulseCallback: KeyPathCallback {
  public static let description = CallbackDescription(
    kind: "impulse", summary: "A single sample in silence, once or periodically.",
    hasBeginning: true, placeSettings: [],
    settings: [
      SettingInfo(
        "amplitude", .number(-8...8), unit: .linearGain, defaultValue: .number(1), change: .ramp,
        summary: "The value of the sample; 1 is full scale."),
      SettingInfo(
        "at", .number(0...86_400), unit: .seconds, defaultValue: .number(0),
        summary: "When the first one comes, to the nearest frame."),
      SettingInfo(
        "period", .number(0...86_400, excludesLowerBound: true), unit: .seconds,
        summary: "The time from one to the next, at least one frame. Not given: there is only one."),
    ],
    make: { values in
      ImpulseCallback(
        amplitude: values.number("amplitude") ?? 1, at: values.number("at") ?? 0,
        period: values.number("period"))
    })

  public static let keyPaths: KeyPaths = ["amplitude": \.amplitude]

  /// From -8 to 8.
  public var amplitude: Double
  /// In seconds, from 0 to a day.
  public var at: Double
  /// In seconds, above 0 and up to a day; `nil` for one impulse only.
  public var period: Double?

  public init(amplitude: Double = 1, at: Double = 0, period: Double? = nil) {
    self.amplitude = amplitude
    self.at = at
    self.period = period
  }

  public func duration(for format: StreamFormat) -> Int? {
    period == nil ? Int((at * format.sampleRate).rounded()) + 1 : nil
  }

  public func peak(pulling level: PeakLevel) -> PeakLevel { .certain(abs(amplitude)) }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    var values: [String: SettingValue] = ["amplitude": .number(amplitude), "at": .number(at)]
    values["period"] = period.map(SettingValue.number)
    var found = Self.description.problems(with: values) + busProblems(format)
    if let period, found.isEmpty, period * format.sampleRate < 1 {
      found.append(
        CallbackProblem(
          .badSetting, status: .parameterError,
          "'period' is \(rateText(period)) s, less than a frame at "
            + "\(rateText(format.sampleRate)) Hz",
          setting: "period"))
    }
    return found
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    let place = SourcePlace(format.sampleRate, after: before)
    return RenderSource(
      kernel: .holding(
        ImpulseKernel(
          amplitude: instance.control("amplitude", length: glideLength(format)),
          first: at * format.sampleRate, period: period.map { $0 * format.sampleRate } ?? 0,
          place: place.access), with: instance.block, place),
      duration: duration(for: format), clock: place.clock)
  }
}

struct ImpulseKernel: RenderKernel {
  private var amplitude: GlidingControl
  /// In frames, with their fractions: each impulse is rounded by itself, so that none drifts.
  let first: Double
  /// 0 for one impulse only.
  let period: Double
  private var place: SourcePlaceAccess
  private var count = 0
  private var next: Int

  init(amplitude: GlidingControl, first: Double, period: Double, place: SourcePlaceAccess) {
    self.amplitude = amplitude
    self.first = first
    self.period = period
    self.place = place
    next = Int(first.rounded())
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    if place.begin(context) { skipPastImpulses() }
    amplitude.follow()
    let position = place.frame
    let end = position + context.frameCount
    defer { place.end(context) }
    guard next < end else {
      output.silence()
      amplitude.skip(context.frameCount)
      return .ok
    }
    for channel in 0..<output.channelCount { output[channel].clear() }
    var isSilent = true
    var done = 0
    while next < end {
      amplitude.skip(next - position - done)
      done = next - position + 1
      let value = Float(amplitude.next())
      if value != 0 { isSilent = false }
      for channel in 0..<output.channelCount { output[channel][next - position] = value }
      step()
    }
    amplitude.skip(context.frameCount - done)
    if isSilent { output.silence() }
    return .ok
  }

  @_noLocks
  private mutating func step() {
    count += 1
    next = period > 0 ? Int(renderFloor(first + Double(count) * period + 0.5)) : .max
  }

  /// Skips the impulses before the present frame.
  @_noLocks
  private mutating func skipPastImpulses() {
    if next >= place.frame { return }
    if period > 0 {
      count = Int(renderFloor((Double(place.frame) - first) / period)) - 1
      if count < 0 { count = 0 }
    }
    while next < place.frame { step() }
  }
}
