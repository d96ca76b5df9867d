public import AudioTypes
public import RenderCore

/// Single samples in silence, the same on each channel.
public struct ImpulseCallback: RenderCallback {
  public static let description = CallbackDescription(
    kind: "impulse", summary: "A single sample in silence, once or periodically.",
    settings: [
      SettingInfo(
        "amplitude", .number(-8...8), unit: .linearGain, defaultValue: .number(1),
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
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    return RenderSource(
      kernel: .holding(
        ImpulseKernel(
          amplitude: Float(amplitude), first: at * format.sampleRate,
          period: period.map { $0 * format.sampleRate } ?? 0)),
      duration: duration(for: format))
  }
}

struct ImpulseKernel: RenderKernel {
  let amplitude: Float
  /// In frames, with their fractions: each impulse is rounded by itself, so that none drifts.
  let first: Double
  /// 0 for one impulse only.
  let period: Double
  private var position = 0
  private var count = 0
  private var next: Int

  init(amplitude: Float, first: Double, period: Double) {
    self.amplitude = amplitude
    self.first = first
    self.period = period
    next = Int(first.rounded())
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let end = position + context.frameCount
    guard next < end && amplitude != 0 else {
      output.silence()
      position = end
      return .ok
    }
    for channel in 0..<output.channelCount { output[channel].clear() }
    while next < end {
      for channel in 0..<output.channelCount { output[channel][next - position] = amplitude }
      count += 1
      next = period > 0 ? Int(renderFloor(first + Double(count) * period + 0.5)) : .max
    }
    position = end
    return .ok
  }
}
