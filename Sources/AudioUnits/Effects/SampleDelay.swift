public import AudioTypes
import RenderCore

/// Delays the sound by whole frames, to the bit.
public enum SampleDelay: EffectUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let delayFrames: UInt32 = 0
  }

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "sdly", manufacturer: .apple),
    name: "SampleDelay",
    constant: "kAudioUnitSubType_SampleDelay",
    summary: "The sound some frames later.",
    properties: EffectProperties.common,
    parameters: [
      // Up to a second at the highest rate.
      ParameterInfo(
        id: Parameter.delayFrames, key: "delayFrames", constant: "kSampleDelayParam_DelayFrames",
        scope: .global, unit: .sampleFrames, range: 0...384_000, defaultValue: 0, canRamp: true,
        summary:
          "How many frames later, at most as many as a second has. A change fades over 20 ms.",
        proposed: "what a change does; a part of a frame is left out")
    ],
    formatNotes: EffectProperties.formatNotes)

  public static func tailTime(of settings: EffectSettings) -> Double {
    Swift.min(settings[Parameter.delayFrames] / settings.sampleRate, 1)
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    let format = configuration.outputs[0].format
    return EffectLine.memory(
      channelCount: format.channelCount, reach: Int(format.sampleRate) + 4)
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(main: .holding(Kernel(configuration, controls: controls), with: controls.block))
  }

  struct Kernel: RenderKernel, ~Copyable {
    private var pieces: EffectPieces
    private var glides: GlideBank
    private var line: EffectLine
    private var tap: DelayTap
    private var hasBegun = false

    init(_ configuration: UnitConfiguration, controls: ControlLayout) {
      let rate = configuration.outputs[0].format.sampleRate
      pieces = EffectPieces(configuration, controls: controls)
      glides = GlideBank(
        controls.block.access,
        EffectParameters.controls(controls, [(Parameter.delayFrames, 0)]))
      // One more: a delay of 0 reads the frame written last.
      let most = Int(rate) + 1
      line = EffectLine(channelCount: pieces.channelCount, reach: most)
      tap = DelayTap(limit: most, sampleRate: rate)
    }

    // MARK: Render thread

    @_noLocks
    mutating func render(_ context: RenderContext) -> Status {
      guard pieces.begin(context) else { return .formatNotSupported }
      if glides.follow(), !hasBegun {
        hasBegun = true
        tap.jump(to: renderFloor(glides.goal(0)) + 1)
      }
      let input = context.input(0)
      let output = context.output(0)
      while pieces.next(context, atMost: EffectPieces.longest) {
        if pieces.beginsAnew { line.clear() }
        let isQuiet = pieces.isSilent && line.isEmpty
        if isQuiet { pieces.clear(output) }
        delay(input, output, isQuiet: isQuiet || !pieces.isProcessed)
        pieces.finish(context, isSilent: isQuiet)
        glides.advance(pieces.count)
      }
      return .ok
    }

    /// Follows the controls; delays the frames unless `isQuiet`.
    @_noLocks
    private mutating func delay(_ input: RenderBus, _ output: RenderBus, isQuiet: Bool) {
      for frame in 0..<pieces.count {
        tap.fade(to: renderFloor(glides.value(0, ahead: frame + 1)) + 1)
        if glides.remaining == 0, !tap.isFading {
          // The delay stays as it is to the end of the piece.
          if isQuiet { return }
          return line.pass(
            input, into: output, from: pieces.start + frame, count: pieces.count - frame,
            delay: Int(tap.now) - 1)
        }
        if !isQuiet { pass(input, output, pieces.start + frame) }
        tap.advance()
      }
    }

    @_noLocks
    private mutating func pass(_ input: RenderBus, _ output: RenderBus, _ frame: Int) {
      for channel in 0..<pieces.channelCount {
        line.keep(channel, input[channel][frame])
      }
      line.advance()
      let weight = tap.weight
      for channel in 0..<pieces.channelCount {
        guard tap.isFading else {
          output[channel][frame] = line.frame(channel, back: Int(tap.now))
          continue
        }
        let heard = line.sample(channel, back: Int(tap.now))
        let before = line.sample(channel, back: Int(tap.from))
        output[channel][frame] = Float(before + weight * (heard - before))
      }
    }
  }
}
