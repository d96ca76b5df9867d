public import AudioTypes
import Glibc
public import RenderCore

/// Plays its input faster or slower, with a higher or lower pitch, as a tape does.
///
/// At twice the rate two input frames make one output frame, and the sound is an octave higher.
/// `playbackRate` and `playbackCents` set the same quantity in two units (1200 cents are twice the
/// rate); the effective rate is the product of the two.
public enum Varispeed: AudioUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let playbackRate: UInt32 = 0
    public static let playbackCents: UInt32 = 1
  }

  /// The least and the most input frames for one output frame.
  static let slowest = 0.25
  static let fastest = 4.0

  public static let description = UnitDescription(
    component: ComponentDescription(
      type: .formatConverterType, subtype: "vari", manufacturer: .apple),
    name: "Varispeed",
    constant: "kAudioUnitSubType_Varispeed",
    aliases: ["AUVarispeed"],
    summary: "Plays faster and higher, or slower and lower, as a tape does.",
    properties: [
      SplitFormats.channelCounts,
      PropertyInfo(
        .tailTime, key: "tailTime", constant: "kAudioUnitProperty_TailTime", kind: .anyNumber,
        unit: .seconds, scopes: [.global], access: .readOnly,
        summary: "How long its filter rings after its input as it is set now, in seconds.",
        proposed: "that the unit has this property"),
    ],
    parameters: [
      ParameterInfo(
        id: Parameter.playbackRate, key: "playbackRate",
        constant: "kVarispeedParam_PlaybackRate", scope: .global, unit: .rate, range: 0.25...4,
        defaultValue: 1, canRamp: true,
        summary:
          "Frames of the input for one of the output: 2 is twice as fast and an octave higher.",
        proposed:
          "that a change takes 10 ms; that the two multiply, and play 1/4 to 4 times as fast"),
      ParameterInfo(
        id: Parameter.playbackCents, key: "playbackCents",
        constant: "kVarispeedParam_PlaybackCents", scope: .global, unit: .cents,
        range: -2400...2400, defaultValue: 0, canRamp: true,
        summary: "The same in hundredths of a semitone: 1200 is twice the playbackRate.",
        proposed: "that it comes on top of the playbackRate"),
    ],
    formatNotes: [
      "input: any number of channels of any sample type, any rate",
      "output: the format of the input; there is nothing to set",
      "at a rate of 1 that has never been another, each sample passes as it is; above 1, what would not "
        + "fit under half the rate is filtered out, to -100 dB",
    ])

  public static func outputFormat(
    _ element: Int, following inputs: [UnitConfiguration.Element]
  ) -> StreamFormat? { SplitFormats.output(following: inputs) }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let found = SplitFormats.violations(in: configuration, of: description)
    let wanted = wantedSpeed(configuration)
    // The tolerance allows for the rounding of single precision at the limits.
    guard found.isEmpty, wanted < slowest * 0.99999 || wanted > fastest * 1.00001 else {
      return found
    }
    let times = wanted < 1 ? "1/\(number(1 / wanted))" : number(wanted)
    return [
      Violation(
        UnitRules.parameterUsualRange, status: .ok,
        "'playbackRate' and 'playbackCents' together play \(times) times as fast, and a Varispeed plays "
          + "1/4 to 4 times as fast",
        at: .init(node: nil, .parameter(Parameter.playbackCents, .global, 0)),
        help: ["say it with one of the two"])
    ]
  }

  private static func number(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }

  private static func wantedSpeed(_ configuration: UnitConfiguration) -> Double {
    let rate = Double(configuration.parameter(Parameter.playbackRate, .global, 0) ?? 1)
    let cents = Double(configuration.parameter(Parameter.playbackCents, .global, 0) ?? 0)
    return rate * pow(2, cents / 1200)
  }

  /// Input frames for one output frame, with the present settings.
  static func speed(_ configuration: UnitConfiguration) -> Double {
    min(fastest, max(slowest, wantedSpeed(configuration)))
  }

  public static func pulledInputs(in configuration: UnitConfiguration) -> [Int: PullDemand] {
    guard configuration.inputs[0].isUsed else { return [:] }
    let lookAhead = VarispeedReader.lookAhead(fastest: fastest)
    return [
      0: PullDemand(
        framesPerFrame: fastest, ahead: lookAhead + 2, speed: speed(configuration),
        hasVariableSpeed: true)
    ]
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? {
    guard place.id == .tailTime else { return nil }
    var configuration = configuration()
    let rate = configuration.inputs[0].format.sampleRate
    guard rate > 0 else { return .float64(0) }
    configuration.controls = controls
    return .float64(
      Double(VarispeedReader.lookAhead(fastest: fastest)) / speed(configuration) / rate)
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    configuration.inputs[0].format.channelCount * 20_000
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(main: .holding(Kernel(configuration, controls: controls), with: controls.block))
  }

  struct Kernel: RenderKernel, ~Copyable {
    private static var rate: Int { @_noLocks get { 0 } }
    private static var cents: Int { @_noLocks get { 1 } }
    /// The most frames of one pull.
    private static var mostPulled: Int { @_noLocks get { 1024 } }

    private let channelCount: Int
    private var reader: VarispeedReader
    private var glides: GlideBank
    private var hasBegun = false
    /// The sample time of the next input frame, in frames of the input.
    private var inputTime = 0.0
    private var factor = 1.0
    private var factorCents = 0.0

    init(_ configuration: UnitConfiguration, controls: ControlLayout) {
      let format = configuration.inputs[0].format
      channelCount = format.channelCount
      reader = VarispeedReader(
        channelCount: format.channelCount, fastest: Varispeed.fastest,
        maximumPush: Self.mostPulled)
      let length = EffectParameters.glideLength(format.sampleRate)
      glides = GlideBank(
        controls.block.access,
        EffectParameters.controls(
          controls, [(Parameter.playbackRate, length), (Parameter.playbackCents, length)]))
    }

    // MARK: Render thread

    @_noLocks
    mutating func render(_ context: RenderContext) -> Status {
      let output = context.output(0)
      guard output.channelCount == channelCount else { return .formatNotSupported }
      if hasBegun && context.timeStamp.sampleTime == 0 {
        // The graph has been started again.
        reader.reset()
        inputTime = 0
      }
      hasBegun = true
      _ = glides.follow()
      var isSilent = true
      var done = 0
      while done < context.frameCount {
        let rest = context.frameCount - done
        let length = rest < VarispeedReader.longest ? rest : VarispeedReader.longest
        if glides.remaining == 0 {
          reader.frames(length, at: pace(ahead: 1))
        } else {
          for frame in 0..<length { reader.frame(at: pace(ahead: frame + 1)) }
        }
        let status = supply(context)
        guard status == .ok else { return status }
        if !reader.read(into: output, offset: done) { isSilent = false }
        glides.advance(length)
        done += length
      }
      if isSilent { output.markSilent() }
      return .ok
    }

    /// The pace of the output frame `ahead` frames from now: input frames for one output frame.
    @_noLocks
    private mutating func pace(ahead: Int) -> Double {
      let cents = glides.value(Self.cents, ahead: ahead)
      if cents != factorCents {
        factorCents = cents
        factor = renderPower(2, cents / 1200)
      }
      let pace = glides.value(Self.rate, ahead: ahead) * factor
      let least = 0.25
      return pace > least ? pace : least
    }

    /// Pulls the input frames that the stretch needs.
    @_noLocks
    private mutating func supply(_ context: RenderContext) -> Status {
      let limit = context.pullLimit(0)
      var need = reader.framesNeeded()
      while need > 0 {
        guard limit > 0 else { return .noConnection }
        var length = need < limit ? need : limit
        if length > Self.mostPulled { length = Self.mostPulled }
        let status = context.pull(0, frameCount: length, at: TimeStamp(sampleTime: inputTime))
        guard status == .ok else { return status }
        reader.push(context.pulled(0, frameCount: length), frameCount: length)
        inputTime += Double(length)
        need -= length
      }
      return .ok
    }
  }
}
