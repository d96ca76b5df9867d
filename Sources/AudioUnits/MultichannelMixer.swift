public import AudioTypes
import RenderCore

/// Mixes any number of mono and stereo inputs to stereo, each with a volume, a pan and a switch.
public enum MultichannelMixer: AudioUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let volume: UInt32 = 0
    public static let enable: UInt32 = 1
    public static let pan: UInt32 = 2
    public static let preAveragePower: UInt32 = 1000
    public static let prePeakHoldLevel: UInt32 = 2000
    public static let postAveragePower: UInt32 = 3000
    public static let postPeakHoldLevel: UInt32 = 4000
  }

  public static let description = UnitDescription(
    component: ComponentDescription(
      type: .mixerType, subtype: "mcmx", manufacturer: .apple),
    name: "MultichannelMixer",
    constant: "kAudioUnitSubType_MultiChannelMixer",
    aliases: ["MultiChannelMixer"],
    summary: "Mixes any number of mono and stereo inputs to stereo.",
    inputs: .init(count: 8, settable: 1...1024),
    properties: [
      PropertyInfo(
        .meteringMode, key: "meteringMode", constant: "kAudioUnitProperty_MeteringMode",
        kind: .boolean, scopes: [.input, .output], access: .readWrite, defaultValue: .uint32(0),
        isPatchProperty: true, isLive: true,
        summary: "Whether the power parameters of the bus are measured."),
      PropertyInfo(
        .matrixLevels, key: "matrixLevels", constant: "kAudioUnitProperty_MatrixLevels",
        kind: .list(most: 4), scopes: [.input], access: .readWrite, isPatchProperty: true,
        isLive: true,
        replacedBy: Parameter.pan,
        summary:
          "A gain from each channel of the input to the left and the right of the mix, channel "
          + "by channel, in the place of the pan; a pan that is set later takes their place. They "
          + "read what the pan amounts to until they are set.",
        proposed: "the order of the gains; that a change takes 10 ms"),
      PropertyInfo(
        .matrixDimensions, key: "matrixDimensions",
        constant: "kAudioUnitProperty_MatrixDimensions", kind: .structure(.ids), scopes: [.global],
        access: .readOnly,
        summary: "How many channels there are: of all inputs together, of the output."),
      PropertyInfo(
        .meterClipping, key: "meterClipping", constant: "kAudioUnitProperty_MeterClipping",
        kind: .structure(.clipping), scopes: [.global], access: .readOnly, isLive: true,
        liveWords: ClippingWatch.wordCount,
        summary:
          "The largest magnitude that has left the mixer since this was last read, and whether "
          + "infinities or what is not a number have.",
        proposed: "that it is always measured, behind the output's volume"),
      .channelCounts(
        [(1, 2), (2, 2)], "1 or 2 on an input, 2 on the output.", proposed: "its value"),
    ],
    parameters: [
      volume(.input), enable, pan,
    ] + meters(.input) + [volume(.output)] + meters(.output),
    formatNotes: [
      "input: 1 or 2 channels of any sample type; every rate equals the output's",
      "output: 2 channels; only the rate is to be set (44100 Hz, float32, until it is)",
    ])

  private static func volume(_ scope: Scope) -> ParameterInfo {
    ParameterInfo(
      id: Parameter.volume, key: "volume", constant: "kMultiChannelMixerParam_Volume",
      scope: scope, unit: .linearGain, range: 0...1, defaultValue: 1, isRangeEnforced: false,
      canRamp: true,
      summary: scope == .input
        ? "The gain of the input. Any finite value works; 0 to 1 is usual."
        : "The gain of the mix. It multiplies the gains of the inputs.",
      proposed: "that it may ramp")
  }

  private static let enable = ParameterInfo(
    id: Parameter.enable, key: "enable", constant: "kMultiChannelMixerParam_Enable",
    scope: .input, unit: .boolean, range: 0...1, defaultValue: 1,
    summary: "Off, the input adds nothing to the mix; what feeds it is pulled all the same.",
    valueNames: ["off", "on"], proposed: "that an input which is off is still pulled")

  private static let pan = ParameterInfo(
    id: Parameter.pan, key: "pan", constant: "kMultiChannelMixerParam_Pan", scope: .input,
    unit: .pan, range: -1...1, defaultValue: 0, canRamp: true,
    summary: "Left (-1) to right (1): equal power for a mono input, balance for a stereo one.",
    proposed: "the pan laws; that it may ramp")

  private static func meters(_ scope: Scope) -> [ParameterInfo] {
    let kinds: [(id: UInt32, key: String, constant: String, summary: String)] = [
      (
        Parameter.preAveragePower, "preAveragePower", "kMultiChannelMixerParam_PreAveragePower",
        "average power before the volume"
      ),
      (
        Parameter.prePeakHoldLevel, "prePeakHoldLevel",
        "kMultiChannelMixerParam_PrePeakHoldLevel", "held peak before the volume"
      ),
      (
        Parameter.postAveragePower, "postAveragePower",
        "kMultiChannelMixerParam_PostAveragePower", "average power after the volume"
      ),
      (
        Parameter.postPeakHoldLevel, "postPeakHoldLevel",
        "kMultiChannelMixerParam_PostPeakHoldLevel", "held peak after the volume"
      ),
    ]
    return kinds.flatMap { kind in
      (0..<2).map { channel in
        ParameterInfo(
          id: kind.id + UInt32(channel), key: kind.key + (channel == 0 ? "" : "Right"),
          constant: kind.constant + (channel == 0 ? "" : " + 1"), scope: scope, unit: .decibels,
          range: -120...40, defaultValue: -120, isReadOnly: true,
          summary: "The \(kind.summary), \(channel == 0 ? "left" : "right") channel.",
          proposed: "range, floor and ballistics")
      }
    }
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? {
    switch place.id {
    case .matrixLevels:
      guard let pan = controls.slot(Parameter.pan, .input, place.element) else { return nil }
      let count = configuration().inputs[place.element].format.channelCount
      return .floats(
        CrossPoints(pan: controls.block[pan], channelCount: count).levels(channelCount: count))
    case .matrixDimensions:
      let configuration = configuration()
      return .ids([
        UInt32(configuration.inputs.reduce(0) { $0 + $1.format.channelCount }),
        UInt32(configuration.outputs[0].format.channelCount),
      ])
    case .meterClipping:
      guard let first = controls.slot(place) else { return nil }
      return .clipping(ClippingWatch.take(from: controls.block, at: first))
    default: return nil
    }
  }

  public static var takesFormatsLive: Bool { true }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    let inputs = configuration.inputs
    return UnitKernels(
      main: .holding(
        MixerKernel(
          sampleRate: configuration.outputs[0].format.sampleRate, inputCount: inputs.count,
          controls: controls
        ) { inputs[$0].format.channelCount }, with: controls.block))
  }
}

// MARK: Controls

/// The controls of the kernel, and the words of its meters: a line for each parameter and live property of the
/// description.
///
/// Slots are made where they are read, as a graph may have very many mixers: the kernel keeps where they begin.
struct MixerControls: BitwiseCopyable, Sendable {
  /// The first word of each control, counted from the first word of its element.
  private struct Places: BitwiseCopyable, Sendable {
    let volume, pan, enable, matrixLevels, metering, meters: Int16
    let outputVolume, outputMetering, outputMeters: Int16
    let clipping: Int16

    init(_ map: ControlMap) {
      typealias Parameter = MultichannelMixer.Parameter
      func word(_ place: Int?) -> Int16 {
        guard let place else { preconditionFailure("the mixer has what its kernel asks for") }
        return Int16(place)
      }
      func meters(_ scope: Scope) -> Int16 {
        let first = word(map.place(Parameter.preAveragePower, scope))
        let last = word(map.place(Parameter.postPeakHoldLevel + 1, scope))
        precondition(last == first + 7, "the levels follow each other in the description")
        return first
      }
      volume = word(map.place(Parameter.volume, .input))
      pan = word(map.place(Parameter.pan, .input))
      enable = word(map.place(Parameter.enable, .input))
      matrixLevels = word(map.place(.matrixLevels, .input))
      metering = word(map.place(.meteringMode, .input))
      self.meters = meters(.input)
      outputVolume = word(map.place(Parameter.volume, .output))
      outputMetering = word(map.place(.meteringMode, .output))
      outputMeters = meters(.output)
      clipping = word(map.place(.meterClipping, .global))
    }
  }

  /// Those of every mixer.
  private static let places = Places(UnitBlueprint.of(MultichannelMixer.self).controls)

  let access: ControlAccess
  /// The first word of the first input, and the words from one input to the next.
  private let input: Int32
  private let stride: Int32
  /// The first word of the output.
  private let output: Int32
  private let places: Places

  init(_ layout: ControlLayout) {
    access = layout.block.access
    input = Int32(layout.base(.input, element: 0))
    stride = Int32(layout.stride(.input))
    output = Int32(layout.base(.output, element: 0))
    places = Self.places
  }

  @_noLocks
  private func ofInputs(_ place: Int16) -> ControlSlot {
    ControlSlot(access, first: input &+ Int32(place), stride: stride)
  }

  @_noLocks
  private func ofOutput(_ place: Int16) -> ControlSlot {
    ControlSlot(access, first: output &+ Int32(place), stride: 0)
  }

  // Controls of an input.
  var volume: ControlSlot { @_noLocks get { ofInputs(places.volume) } }
  var pan: ControlSlot { @_noLocks get { ofInputs(places.pan) } }
  var enable: ControlSlot { @_noLocks get { ofInputs(places.enable) } }
  /// The first word is 0 while the pan applies, and changes each time levels are set. Then come
  /// four gains: from the left channel to the left and to the right of the mix, and the same from
  /// the right channel.
  var matrixLevels: ControlSlot { @_noLocks get { ofInputs(places.matrixLevels) } }
  var metering: ControlSlot { @_noLocks get { ofInputs(places.metering) } }
  var meters: MeterSlots { @_noLocks get { MeterSlots(ofInputs(places.meters)) } }
  // Controls of the output.
  var outputVolume: ControlSlot { @_noLocks get { ofOutput(places.outputVolume) } }
  var outputMetering: ControlSlot { @_noLocks get { ofOutput(places.outputMetering) } }
  var outputMeters: MeterSlots { @_noLocks get { MeterSlots(ofOutput(places.outputMeters)) } }

  var clipping: ClippingWatch {
    @_noLocks get { ClippingWatch(access, first: Int(places.clipping)) }
  }
}

/// The words of an element's levels, which follow each other: in decibels, of the left and of the right channel.
struct MeterSlots: BitwiseCopyable, Sendable {
  /// The word of the left channel's level; the right channel's follows.
  enum Level {
    /// Before the gains of the element.
    static var preAverage: Int { @_noLocks get { 0 } }
    static var prePeak: Int { @_noLocks get { 2 } }
    /// After them.
    static var postAverage: Int { @_noLocks get { 4 } }
    static var postPeak: Int { @_noLocks get { 6 } }
  }

  private let words: ControlSlot

  @_noLocks
  init(_ words: ControlSlot) { self.words = words }

  /// Stores a level, for clients to read.
  @_noLocks
  func note(_ value: Float, _ level: Int, _ element: Int) { words.note(value, element, level) }

  /// Resets all levels to silence.
  @_noLocks
  func reset(_ element: Int) {
    for level in 0..<8 { note(LevelMeters.floor, level, element) }
  }
}
