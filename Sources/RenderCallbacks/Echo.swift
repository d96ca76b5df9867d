public import AudioTypes
import Glibc
public import RenderCore

/// What it pulls, and its echoes: the first after `delay`, each of the others `delay` later and
/// `feedback` times as loud.
///
/// y = (1 - mix) x + mix e, where e is, `delay` earlier, x + feedback e. The delay is a whole number
/// of frames, the nearest.
public struct EchoCallback: RenderCallback {
  public static let description = CallbackDescription(
    kind: "echo", summary: "What it pulls, and echoes of it.", input: .required,
    settings: [
      SettingInfo(
        "delay", .number(0...10, excludesLowerBound: true), unit: .seconds,
        defaultValue: .number(0.3),
        summary: "From one echo to the next, to the nearest frame and at least one."),
      SettingInfo(
        "feedback", .number(-0.99...0.99), unit: .linearGain, defaultValue: .number(0.4),
        summary: "How loud an echo is beside the one before it; 0 for a single echo."),
      .mix(0.35, "How much of the echoes, the rest being what is pulled: 0 for none, 1 for all."),
    ],
    make: {
      EchoCallback(
        delay: $0.number("delay") ?? 0.3, feedback: $0.number("feedback") ?? 0.4,
        mix: $0.number("mix") ?? 0.35)
    })

  /// In seconds, above 0 and up to 10.
  public var delay: Double
  /// Linear, from -0.99 to 0.99.
  public var feedback: Double
  /// From 0, what is pulled alone, to 1, the echoes alone.
  public var mix: Double

  public init(delay: Double = 0.3, feedback: Double = 0.4, mix: Double = 0.35) {
    self.delay = delay
    self.feedback = feedback
    self.mix = mix
  }

  public var input: CallbackInput { .required }

  /// Until an echo of a sample at full scale is below -120 dB.
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

  /// Samples of all delay lines together: 1 GiB.
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

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    return RenderSource(
      kernel: .holding(
        EchoKernel(
          length: frameCount(for: format), channelCount: format.channelCount,
          feedback: Float(feedback), mix: Float(mix))),
      duration: duration(for: format))
  }
}

struct EchoKernel: RenderKernel, ~Copyable {
  private let length: Int
  private let feedback: Float
  private let dry: Float
  private let wet: Float
  /// For each channel the last `length` frames of x + feedback e.
  private let lines: SampleStorage
  private var position = 0

  init(length: Int, channelCount: Int, feedback: Float, mix: Float) {
    self.length = length
    self.feedback = feedback
    dry = 1 - mix
    wet = mix
    lines = SampleStorage(repeating: 0, count: length * channelCount)
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    var done = 0
    while done < context.frameCount {
      let rest = context.frameCount - done
      let count = rest < length - position ? rest : length - position
      for channel in 0..<output.channelCount {
        let line = lines.buffer(at: channel * length + position, count: count)
        let source = input[channel].dropping(done)
        let sink = output[channel].dropping(done)
        for frame in 0..<count {
          let echo = line[frame]
          let sample = source[frame]
          line[frame] = sample + feedback * echo
          sink[frame] = dry * sample + wet * echo
        }
      }
      position += count
      if position == length { position = 0 }
      done += count
    }
    return .ok
  }
}
