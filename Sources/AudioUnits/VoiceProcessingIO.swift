public import AudioTypes
import RenderCore
import VoiceProcessing

/// A Remote I/O unit for conversations: it removes the echo of its output from the microphone.
///
/// It has all parameters and properties of `RemoteIO`. Unless bypassed, it processes the microphone
/// side (element 1): see `VoiceProcessor`.
public enum VoiceProcessingIO: AudioUnit {
  public static let description = UnitDescription(
    component: ComponentDescription(type: .outputType, subtype: "vpio", manufacturer: .apple),
    name: "voiceProcessingIO",
    constant: "kAudioUnitSubType_VoiceProcessingIO",
    aliases: ["VoiceProcessingIO"],
    summary: "Plays on a sink and hears from a source, with the echo of the one taken out of the "
      + "other, noise taken down and speech brought to one level.",
    inputs: RemoteIO.description.inputs,
    outputs: RemoteIO.description.outputs,
    defaultMaximumFramesPerSlice: RemoteIO.description.defaultMaximumFramesPerSlice,
    sizesItsOwnSlices: true,
    properties: RemoteIO.description.properties + [
      PropertyInfo(
        .bypassVoiceProcessing, key: "bypassVoiceProcessing",
        constant: "kAUVoiceIOProperty_BypassVoiceProcessing", kind: .boolean, scopes: [.global],
        access: .readWrite, defaultValue: .uint32(0), isPatchProperty: true, isLive: true,
        summary: "Whether what is heard is passed on as Remote I/O does, without delay.",
        proposed: "that the change takes 10 ms"),
      PropertyInfo(
        .voiceProcessingEnableAGC, key: "voiceProcessingEnableAGC",
        constant: "kAUVoiceIOProperty_VoiceProcessingEnableAGC", kind: .boolean,
        scopes: [.global], access: .readWrite, defaultValue: .uint32(1), isPatchProperty: true,
        isLive: true,
        summary: "Whether speech is brought to one level (automatic gain control).",
        proposed: "the level, -20 dBFS in the mean"),
      PropertyInfo(
        .duckNonVoiceAudio, key: "duckNonVoiceAudio",
        constant: "kAUVoiceIOProperty_DuckNonVoiceAudio", kind: .boolean, scopes: [.global],
        access: .readWriteUntilInitialized, defaultValue: .uint32(1), isPatchProperty: true,
        summary: "Whether other programs are asked to be quieter: the sound server's streams then "
          + "have the role of a phone, which its ducking goes by.",
        proposed: "how, and that it is refused once the unit is initialized"),
      PropertyInfo(
        .voiceProcessingQuality, key: "voiceProcessingQuality",
        constant: "kAUVoiceIOProperty_VoiceProcessingQuality", kind: .integer(0...127),
        scopes: [.global], access: .readWrite, defaultValue: .uint32(127), isPatchProperty: true,
        isLive: true,
        summary: "From 0, the cheapest, to 127, the best: how long a room's echo may be (64 to "
          + "256 ms), from 43 on whether the loudspeaker may distort, from 85 on how fast it "
          + "settles.",
        proposed: "the default and what it means"),
      PropertyInfo(
        .muteOutput, key: "muteOutput", constant: "kAUVoiceIOProperty_MuteOutput",
        kind: .boolean, scopes: [.global], access: .readWrite, defaultValue: .uint32(0),
        isPatchProperty: true, isLive: true,
        summary: "Whether the microphone side puts out silence. The echo goes on being learnt.",
        proposed: "that the change takes 10 ms"),
      PropertyInfo(
        .mutedSpeechActivityEventListener, key: "mutedSpeechActivityEventListener",
        constant: "kAUVoiceIOProperty_MutedSpeechActivityEventListener",
        kind: .structure(.object(noun: "a MutedSpeechActivityListener", size: 8)),
        scopes: [.global],
        access: .writeOnly, isLive: true,
        summary: "What is told that someone speaks while muted, and has ended.",
        proposed: "that it is told on the render thread, 64 ms and 0.4 s late"),
    ],
    formatNotes: RemoteIO.description.formatNotes + [
      "outputs/1: 8 to 192 kHz; the voice is mono, the same on every channel"
    ])

  public static func refusal(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> FormatRefusal? {
    guard scope == .output, element == RemoteIO.inputElement,
      !(8000...192_000).contains(format.sampleRate)
    else { return nil }
    return FormatRefusal(
      "a voice is processed at 8000 to 192000 Hz, not at \(rateText(format.sampleRate)) Hz",
      help: ["\"sampleRate\": \"session\" is the rate that the device was granted"])
  }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    RemoteIO.violations(in: configuration)
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? {
    guard place.id == .latency else {
      return RemoteIO.derivedValue(of: place, in: configuration, controls: controls)
    }
    let configuration = configuration()
    return .float64(
      configuration.isOn(.bypassVoiceProcessing, .global, 0) ? 0 : latency(in: configuration))
  }

  /// The delay of the microphone side in seconds, beyond that of Remote I/O.
  static func latency(in configuration: UnitConfiguration) -> Double {
    guard configuration.isOn(.enableIO, .input, RemoteIO.inputElement) else { return 0 }
    let rate = configuration.outputs[RemoteIO.inputElement].format.sampleRate
    guard (8000...192_000).contains(rate) else { return 0 }
    let shape = LineShape(configuration)
    return Double(
      VoiceLine.delay(
        heardRate: rate, playedRate: shape.playedRate, maximumSlice: shape.maximumSlice,
        lead: shape.lead)) / rate
  }

  /// The arguments of a voice line.
  private struct LineShape {
    let heardRate: Double
    let playedRate: Double
    /// In frames of the main plan.
    let maximumSlice: Int
    /// In frames of the microphone side.
    let lead: Int

    init(_ configuration: UnitConfiguration) {
      heardRate = configuration.outputs[RemoteIO.inputElement].format.sampleRate
      let fed = configuration.inputs[RemoteIO.outputElement]
      playedRate = fed.isUsed ? fed.format.sampleRate : heardRate
      let hop = Double(VoiceProcessor.hop(sampleRate: heardRate))
      maximumSlice = max(1, Int(hop / 2 * playedRate / heardRate))
      // With a unit at another rate between the two sides, the microphone is pulled ahead.
      let ahead = configuration.device?.graphLead ?? 0
      lead = ahead > 0 ? Int((ahead * heardRate).rounded(.up)) + 2 : 0
    }
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    guard var side = RemoteIO.InputSide(configuration) else { return UnitKernels() }
    let client = side.client
    side.client = .canonical(like: side.client)
    let shape = LineShape(configuration)
    let line = VoiceLine(
      heardRate: shape.heardRate, playedRate: shape.playedRate, maximumSlice: shape.maximumSlice,
      lead: shape.lead, searchesDelay: true)
    let block = controls.block
    let words = VoiceInputKernel.Words(
      bypass: controls.slot(PropertyPlace(.bypassVoiceProcessing, .global, 0)) ?? 0,
      level: controls.slot(PropertyPlace(.voiceProcessingEnableAGC, .global, 0)) ?? 0,
      mute: controls.slot(PropertyPlace(.muteOutput, .global, 0)) ?? 0,
      quality: controls.slot(PropertyPlace(.voiceProcessingQuality, .global, 0)) ?? 0,
      activity: controls.slot(PropertyPlace(.mutedSpeechActivityEventListener, .global, 0)) ?? 0)
    return UnitKernels(
      input: .holding(
        VoiceInputKernel(
          microphone: side.makeKernel(), line: line.access,
          heardChannels: min(side.hardware.channelCount, side.client.channelCount),
          rounding: DitheredRounding(side.dither, to: client), controls: block.access, words: words),
        with: side.ring, line, block),
      inputWritesBusWords: true,
      output: .holding(VoiceOutputKernel(line: line.access), with: line), inputMap: side.map,
      maximumSlice: shape.maximumSlice)
  }
}

extension StreamFormat {
  /// Floats at the rate and in the channels of another format.
  fileprivate static func canonical(like format: StreamFormat) -> StreamFormat {
    .platformCanonical(channels: format.channelCount, sampleRate: format.sampleRate)
  }
}

/// The microphone side: the samples of Remote I/O, processed.
struct VoiceInputKernel: RenderKernel, ~Copyable {
  /// The words of the settings among the unit's controls.
  struct Words: BitwiseCopyable {
    var bypass: Int
    var level: Int
    var mute: Int
    var quality: Int
    var activity: Int
  }

  private var microphone: InputElementKernel
  private let line: VoiceLineAccess
  private let heardChannels: Int
  private let rounding: DitheredRounding
  private let controls: ControlAccess
  private let words: Words

  init(
    microphone: consuming InputElementKernel, line: VoiceLineAccess, heardChannels: Int,
    rounding: consuming DitheredRounding, controls: ControlAccess, words: Words
  ) {
    self.microphone = microphone
    self.line = line
    self.heardChannels = heardChannels
    self.rounding = rounding
    self.controls = controls
    self.words = words
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let status = microphone.render(context)
    guard status == .ok else { return status }
    line.settings = VoiceSettings(
      isBypassed: controls[word: words.bypass] != 0,
      controlsLevel: controls[word: words.level] != 0,
      isMuted: controls[word: words.mute] != 0, quality: Int(controls[word: words.quality]))
    let output = context.output(0)
    line.process(output, channelCount: heardChannels)
    output.markSounding()
    controls[word: words.activity] = line.speaksWhileMuted ? 1 : 0
    rounding.convert(output, into: output)
    return .ok
  }
}

/// The loudspeaker side: passes the played slice to the voice line.
struct VoiceOutputKernel: RenderKernel {
  private let line: VoiceLineAccess

  init(line: VoiceLineAccess) { self.line = line }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    line.play(context.input(0))
    return .ok
  }
}
