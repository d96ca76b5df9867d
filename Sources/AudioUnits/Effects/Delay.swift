public import AudioTypes
import Glibc
import RenderCore

/// Repeats the sound after a time, darker and softer each time.
public enum Delay: EffectUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let wetDryMix: UInt32 = 0
    public static let delayTime: UInt32 = 1
    public static let feedback: UInt32 = 2
    public static let lopassCutoff: UInt32 = 3
  }

  /// The longest delay, in seconds.
  static let longest = 2.0
  /// The largest feedback: with 1 an echo would never end.
  static let mostFeedback = 0.9999

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "dely", manufacturer: .apple),
    name: "Delay",
    constant: "kAudioUnitSubType_Delay",
    summary: "Echoes, each darker than the one before.",
    properties: EffectProperties.common,
    parameters: [
      EffectParameters.mix(
        Parameter.wetDryMix, key: "wetDryMix", constant: "kDelayParam_WetDryMix", defaultValue: 50),
      ParameterInfo(
        id: Parameter.delayTime, key: "delayTime", constant: "kDelayParam_DelayTime",
        scope: .global,
        unit: .seconds, range: 0...2, defaultValue: 1, canRamp: true,
        summary:
          "From the sound to its echo. A change fades, a ramp bends the pitch as a tape does.",
        proposed: "that it is at least one frame"),
      ParameterInfo(
        id: Parameter.feedback, key: "feedback", constant: "kDelayParam_Feedback", scope: .global,
        unit: .percent, range: -100...100, defaultValue: 50, canRamp: true,
        summary: "How much of an echo comes back as the next one; below 0 turned over.",
        proposed: "that 100 is taken as 99.99, so that it ends"),
      ParameterInfo(
        id: Parameter.lopassCutoff, key: "lopassCutoff", constant: "kDelayParam_LopassCutoff",
        scope: .global, unit: .hertz, range: 10...192_000, defaultValue: 15_000, canRamp: true,
        summary: "From which frequency on an echo has less than the one before.",
        proposed: "a low pass of first order in the loop, whose pole is exp(-2π f / rate)"),
    ],
    formatNotes: EffectProperties.formatNotes)

  public static func tailTime(of settings: EffectSettings) -> Double {
    let feedback = Swift.min(abs(settings[Parameter.feedback]) / 100, mostFeedback)
    let echoes = feedback > 0 ? log(1e-6) / log(feedback) : 0
    let pole = settings[Parameter.lopassCutoff] * 2 * Double.pi
    return settings[Parameter.wetDryMix] == 0
      ? 0 : settings[Parameter.delayTime] * (1 + echoes) + 14 / pole
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    let format = configuration.outputs[0].format
    return EffectLine.memory(
      channelCount: format.channelCount, reach: Int(longest * format.sampleRate) + 4)
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(main: .holding(Kernel(configuration, controls: controls), with: controls.block))
  }

  struct Kernel: RenderKernel, ~Copyable {
    private static var mix: Int { @_noLocks get { 0 } }
    private static var time: Int { @_noLocks get { 1 } }
    private static var feedback: Int { @_noLocks get { 2 } }
    private static var cutoff: Int { @_noLocks get { 3 } }
    // In frames: a shorter delay is computed frame by frame.
    private static var shortestRun: Double { @_noLocks get { 32 } }

    private let sampleRate: Double
    private var pieces: EffectPieces
    private var glides: GlideBank
    private var line: EffectLine
    private var tap: DelayTap
    // The last output of each channel's low pass.
    private let memory: DoubleStorage
    // The frames of a run, as they are read from the line and as they are written to it.
    private let heard: SampleStorage
    private let written: SampleStorage
    private var mixing = EqualPowerMix()
    private var pole = 0.0
    private var hasBegun = false

    init(_ configuration: UnitConfiguration, controls: ControlLayout) {
      sampleRate = configuration.outputs[0].format.sampleRate
      pieces = EffectPieces(configuration, controls: controls)
      let length = EffectParameters.glideLength(sampleRate)
      glides = GlideBank(
        controls.block.access,
        EffectParameters.controls(
          controls,
          [
            (Parameter.wetDryMix, length), (Parameter.delayTime, 0), (Parameter.feedback, length),
            (Parameter.lopassCutoff, length),
          ]))
      let most = Int((Delay.longest * sampleRate).rounded(.up)) + 1
      line = EffectLine(channelCount: pieces.channelCount, reach: most)
      tap = DelayTap(limit: most, sampleRate: sampleRate)
      memory = DoubleStorage(repeating: 0, count: pieces.channelCount)
      heard = SampleStorage(repeating: 0, count: EffectPieces.longest + 3)
      written = SampleStorage(repeating: 0, count: EffectPieces.longest)
    }

    // MARK: Render thread

    var weight: Int { 4 }

    @_noLocks
    mutating func render(_ context: RenderContext) -> Status {
      guard pieces.begin(context) else { return .formatNotSupported }
      if glides.follow(), !hasBegun {
        hasBegun = true
        tap.jump(to: glides.goal(Self.time) * sampleRate)
        settle(ahead: 0)
      }
      let input = context.input(0)
      let output = context.output(0)
      while pieces.next(context, atMost: EffectPieces.longest) {
        if pieces.beginsAnew {
          line.clear()
          for channel in 0..<memory.count { memory[channel] = 0 }
        }
        let isQuiet = pieces.isSilent && line.isEmpty && isAtRest()
        if pieces.isProcessed, !isQuiet {
          process(input, output)
        } else {
          pieces.clear(output)
          pass()
        }
        pieces.finish(context, isSilent: isQuiet)
        glides.advance(pieces.count)
        if pieces.isCheckDue { tidy() }
      }
      return .ok
    }

    /// Computes the mix and the pole for the frame `ahead` frames from now.
    @_noLocks
    private mutating func settle(ahead: Int) {
      mixing.turn(to: glides.value(Self.mix, ahead: ahead) / 100)
      let part = glides.value(Self.cutoff, ahead: ahead) / sampleRate
      pole = renderExp(-2 * Double.pi * (part > 0.5 ? 0.5 : part))
    }

    @_noLocks
    private mutating func place(ahead: Int) {
      if !glides.isSettled(Self.time) {
        tap.move(to: glides.value(Self.time, ahead: ahead) * sampleRate)
      } else if !tap.isFading {
        tap.fade(to: glides.goal(Self.time) * sampleRate)
      }
    }

    @_noLocks
    private mutating func process(_ input: RenderBus, _ output: RenderBus) {
      let isMoving = glides.remaining > 0
      if !isMoving {
        settle(ahead: 0)
        place(ahead: 1)
        if !tap.isFading, tap.now >= Self.shortestRun { return processRuns(input, output) }
      }
      for frame in pieces.start..<pieces.start + pieces.count {
        let ahead = frame - pieces.start + 1
        if isMoving { settle(ahead: ahead) }
        place(ahead: ahead)
        let feedback = feedback(ahead: ahead)
        let weight = tap.weight
        for channel in 0..<pieces.channelCount {
          var heard = line.sample(channel, back: tap.now)
          if tap.isFading {
            let before = line.sample(channel, back: tap.from)
            heard = before + weight * (heard - before)
          }
          let echo = heard + pole * (memory[channel] - heard)
          memory[channel] = echo
          let sample = Double(input[channel][frame])
          line.write(channel, sample + feedback * echo)
          output[channel][frame] = Float(mixing.dry * sample + mixing.wet * echo)
        }
        line.advance()
        tap.advance()
      }
    }

    @_noLocks
    private func feedback(ahead: Int) -> Double {
      let feedback = glides.value(Self.feedback, ahead: ahead) / 100
      let most = Delay.mostFeedback
      return feedback > most ? most : feedback < -most ? -most : feedback
    }

    /// Processes a piece in which no control moves, in runs that read nothing of what they write.
    @_noLocks
    private mutating func processRuns(_ input: RenderBus, _ output: RenderBus) {
      let whole = Int(tap.now)
      let feedback = feedback(ahead: 0)
      let end = pieces.start + pieces.count
      var first = pieces.start
      while first < end {
        let run = end - first < whole ? end - first : whole - 1
        var sounding = 0
        for channel in 0..<pieces.channelCount {
          // From two frames before the oldest position to one after the newest.
          line.read(channel, back: whole + 2, into: heard.buffer(at: 0, count: run + 3))
          let last = process(
            input[channel].dropping(first).prefix(run), into: output[channel].dropping(first),
            channel: channel, part: tap.now - Double(whole), feedback: feedback)
          if last > sounding { sounding = last }
          line.store(channel, written.buffer(at: 0, count: run))
        }
        line.advance(run, sounding: sounding)
        first += run
      }
    }

    /// Processes a run of a channel. Returns how many frames there are up to the last one that the
    /// line keeps.
    ///
    /// - Parameter part: The fraction of the delay.
    @_noLocks
    private mutating func process(
      _ input: ChannelBuffer, into output: ChannelBuffer, channel: Int, part: Double,
      feedback: Double
    ) -> Int {
      let weights = LinePoint(part)
      let frames = heard.buffer(at: 0, count: input.count + 3)
      let kept = written.buffer(at: 0, count: input.count)
      var echo = memory[channel]
      var sounding = 0
      for frame in 0..<input.count {
        let before =
          part == 0
          ? Double(frames[frame + 2])
          : weights.value(
            Double(frames[frame + 3]), Double(frames[frame + 2]), Double(frames[frame + 1]),
            Double(frames[frame]))
        echo = before + pole * (echo - before)
        let sample = Double(input[frame])
        let value = sample + feedback * echo
        let isKept = EffectLine.keeps(value)
        if isKept { sounding = frame + 1 }
        kept[frame] = isKept ? Float(value) : 0
        output[frame] = Float(mixing.dry * sample + mixing.wet * echo)
      }
      memory[channel] = echo
      return sounding
    }

    /// Skips a piece while bypassed; the controls still advance.
    @_noLocks
    private mutating func pass() {
      for frame in 0..<pieces.count {
        place(ahead: frame + 1)
        if glides.remaining == 0, !tap.isFading { break }
        tap.advance()
      }
      settle(ahead: pieces.count)
    }

    @_noLocks
    private mutating func isAtRest() -> Bool {
      for channel in 0..<memory.count where memory[channel] != 0 { return false }
      return true
    }

    @_noLocks
    private mutating func tidy() {
      memory.clear(below: 1e-15)
    }
  }
}
