public import AudioTypes
import Glibc
public import RenderCore

/// Plays the pulled signal and its echoes: the first after `delay`, each of the others `delay`
/// later and `feedback` times as loud.
///
/// y = (1 - mix) x + mix e, where e is x + feedback e, `delay` earlier. The delay is rounded to
/// whole frames.
///
/// A delay that is set while it plays fades from the old echo to the new one in 20 ms. A delay that
/// ramps moves as the head of a tape does, and the echoes change their pitch on the way. The
/// longest delay is 10 seconds, or what fits in 64 MiB for the bus.
public struct EchoCallback: KeyPathCallback {
  public static let description = CallbackDescription(
    kind: "echo", summary: "What it pulls, and echoes of it.", input: .required,
    settings: [
      SettingInfo(
        "delay", .number(0...10, excludesLowerBound: true), unit: .seconds,
        defaultValue: .number(0.3), change: .ramp,
        summary: "From one echo to the next, to the nearest frame and at least one."),
      SettingInfo(
        "feedback", .number(-0.99...0.99), unit: .linearGain, defaultValue: .number(0.4),
        change: .ramp,
        summary: "How loud an echo is beside the one before it; 0 for a single echo."),
      .mix(0.35, "How much of the echoes, the rest being what is pulled: 0 for none, 1 for all."),
    ],
    make: {
      EchoCallback(
        delay: $0.number("delay") ?? 0.3, feedback: $0.number("feedback") ?? 0.4,
        mix: $0.number("mix") ?? 0.35)
    })

  public static let keyPaths: KeyPaths = ["delay": \.delay, "feedback": \.feedback, "mix": \.mix]

  /// In seconds, above 0 and up to 10.
  public var delay: Double
  /// Linear, from -0.99 to 0.99.
  public var feedback: Double
  /// From 0 (what is pulled) to 1 (the echoes).
  public var mix: Double

  public init(delay: Double = 0.3, feedback: Double = 0.4, mix: Double = 0.35) {
    self.delay = delay
    self.feedback = feedback
    self.mix = mix
  }

  public var input: CallbackInput { .required }

  /// Frames until an echo of a full-scale sample is below -120 dB.
  public func duration(for format: StreamFormat) -> Int? {
    guard mix > 0 else { return 0 }
    let floor = 1e-6 / mix
    guard floor < 1 else { return 0 }
    // The loudness of echo k is mix * feedback^(k - 1).
    let more = feedback == 0 ? 0 : (log(floor) / log(abs(feedback))).rounded(.up)
    return frameCount(for: format) * (1 + Int(more))
  }

  private func frameCount(for format: StreamFormat) -> Int {
    max(1, Int((delay * format.sampleRate).rounded()))
  }

  /// The most samples of all delay lines together: 1 GiB.
  static let largestMemory = 1.0 * 0x1p28

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    var found =
      Self.description.problems(with: [
        "delay": .number(delay), "feedback": .number(feedback), "mix": .number(mix),
      ]) + busProblems(format)
    if found.isEmpty, delay * format.sampleRate * Double(format.channelCount) > Self.largestMemory {
      found.append(
        CallbackProblem(
          .badSetting, status: .parameterError,
          "a delay of \(rateText(delay)) s takes more than 1 GiB on a bus of \(format.summary)",
          help: "shorten the delay, or take fewer channels", setting: "delay"))
    }
    return found
  }

  /// The longest delay that there is memory for, in frames.
  private func longestDelay(for format: StreamFormat) -> Int {
    let room = (1 << 24) / format.channelCount
    let most = Int((10 * format.sampleRate).rounded(.up))
    return max(frameCount(for: format), min(most, room))
  }

  /// The delay line: 4 bytes for each sample of the longest delay.
  public func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int {
    guard format.channelCount > 0, format.sampleRate.isFinite, problems(for: format).isEmpty else {
      return 0
    }
    return 4 * longestDelay(for: format) * format.channelCount
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    let length = glideLength(format)
    return RenderSource(
      kernel: .holding(
        EchoKernel(
          delay: instance.control("delay", length: length),
          feedback: instance.control("feedback", length: length),
          mix: instance.control("mix", length: length), sampleRate: format.sampleRate,
          longestDelay: longestDelay(for: format), channelCount: format.channelCount),
        with: instance.block),
      duration: duration(for: format), durationNow: { instance.duration(for: format) })
  }
}
