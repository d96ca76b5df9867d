public import AudioTypes
public import RenderCore

/// Places any number of mono sources around a listener's head and mixes them to stereo.
///
/// Each input has a rate and a pace of its own. Core Audio lists the parameters and properties of
/// the embedded 3D mixer, but says little about their effect: formulas that are patchrun's own are
/// documented with the algorithms, in `Spatial`.
public enum Mixer3D: AudioUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let azimuth: UInt32 = 0
    public static let elevation: UInt32 = 1
    public static let distance: UInt32 = 2
    public static let gain: UInt32 = 3
    public static let playbackRate: UInt32 = 4
    public static let enable: UInt32 = 5
    public static let minGain: UInt32 = 6
    public static let maxGain: UInt32 = 7
    public static let reverbBlend: UInt32 = 8
    public static let globalReverbGain: UInt32 = 9
    public static let occlusionAttenuation: UInt32 = 10
    public static let obstructionAttenuation: UInt32 = 11
  }

  public static let description = UnitDescription(
    component: ComponentDescription(
      type: .mixerType, subtype: "3dem", manufacturer: .apple),
    name: "3DMixer",
    constant: "kAudioUnitSubType_AU3DMixerEmbedded",
    aliases: ["3DMixerEmbedded", "AU3DMixerEmbedded"],
    summary: "Places any number of mono sources around a listener's head and mixes them to stereo.",
    inputs: .init(count: 8, settable: 1...1024),
    properties: globalProperties + inputProperties,
    parameters: [globalReverbGain] + inputParameters + [gain(.output)],
    formatNotes: [
      "input: 1 channel of 16-bit integers at any rate (44100 Hz until it is set); 2 channels with "
        + "stereoPassThrough (patchrun's: Core Audio's takes mono)",
      "output: 2 channels; only the rate is to be set (44100 Hz, float32, until it is)",
    ])

  // MARK: Parameters

  private static let globalReverbGain = ParameterInfo(
    id: Parameter.globalReverbGain, key: "globalReverbGain",
    constant: "k3DMixerParam_GlobalReverbGain", scope: .global, unit: .decibels, range: -40...40,
    defaultValue: 0, canRamp: true, summary: "The gain of the room.",
    proposed: "that it may ramp")

  private static let inputParameters: [ParameterInfo] = [
    ParameterInfo(
      id: Parameter.azimuth, key: "azimuth", constant: "k3DMixerParam_Azimuth", scope: .input,
      unit: .degrees, range: -180...180, defaultValue: 0, canRamp: true,
      summary: "Where the source is: 0 ahead, 90 to the right. Heard where the distance is over 0.",
      proposed: "that it may ramp, and on around the head, to a value beyond the range"),
    ParameterInfo(
      id: Parameter.elevation, key: "elevation", constant: "k3DMixerParam_Elevation",
      scope: .input, unit: .degrees, range: -90...90, defaultValue: 0, canRamp: true,
      summary: "How high the source is: 90 above. Pannings hear what it leaves of the side.",
      proposed: "that it may ramp"),
    ParameterInfo(
      id: Parameter.distance, key: "distance", constant: "k3DMixerParam_Distance", scope: .input,
      unit: .meters, range: 0...10_000, defaultValue: 0, canRamp: true,
      summary: "How far away the source is. At 0 it is in the middle of the head.",
      proposed: "that it may ramp; that a direction is complete from 0.1 m on"),
    gain(.input),
    ParameterInfo(
      id: Parameter.playbackRate, key: "playbackRate", constant: "k3DMixerParam_PlaybackRate",
      scope: .input, unit: .rate, range: 0.5...2, defaultValue: 1, canRamp: true,
      summary: "How fast the input is played: 0.5 is an octave down and half as fast.",
      proposed: "that it may ramp"),
    ParameterInfo(
      id: Parameter.enable, key: "enable", constant: "k3DMixerParam_Enable", scope: .input,
      unit: .boolean, range: 0...1, defaultValue: 1,
      summary: "Off, the input is not heard; what feeds it is pulled all the same.",
      valueNames: ["off", "on"], proposed: "that an input which is off is still pulled"),
    ParameterInfo(
      id: Parameter.minGain, key: "minGain", constant: "k3DMixerParam_MinGain", scope: .input,
      unit: .linearGain, range: 0...1, defaultValue: 0,
      summary: "The least that the distance leaves of a source.",
      proposed: "that it holds for the distance's part of the gain"),
    ParameterInfo(
      id: Parameter.maxGain, key: "maxGain", constant: "k3DMixerParam_MaxGain", scope: .input,
      unit: .linearGain, range: 0...1, defaultValue: 1,
      summary: "The most that the distance leaves of a source.",
      proposed: "the default; that it holds for the distance's part of the gain"),
    ParameterInfo(
      id: Parameter.reverbBlend, key: "reverbBlend", constant: "k3DMixerParam_ReverbBlend",
      scope: .input, unit: .percent, range: 0...100, defaultValue: 0, canRamp: true,
      summary: "How much of the source is heard through the room, with equal power: 100 is all.",
      proposed: "the default; that it may ramp"),
    ParameterInfo(
      id: Parameter.occlusionAttenuation, key: "occlusionAttenuation",
      constant: "k3DMixerParam_OcclusionAttenuation", scope: .input, unit: .decibels,
      range: -100...0, defaultValue: 0, canRamp: true,
      summary: "A low-pass with so much at 5 kHz, before the room too: a wall between.",
      proposed: "that it may ramp; a first order"),
    ParameterInfo(
      id: Parameter.obstructionAttenuation, key: "obstructionAttenuation",
      constant: "k3DMixerParam_ObstructionAttenuation", scope: .input, unit: .decibels,
      range: -100...0, defaultValue: 0, canRamp: true,
      summary: "A low-pass with so much at 5 kHz, for the direct sound: something in the way.",
      proposed: "that it may ramp; a first order"),
  ]

  private static func gain(_ scope: Scope) -> ParameterInfo {
    ParameterInfo(
      id: Parameter.gain, key: "gain", constant: "k3DMixerParam_Gain", scope: scope,
      unit: .decibels, range: -120...20, defaultValue: 0, canRamp: true,
      summary: scope == .input ? "The gain of the source." : "The gain of the mix.",
      proposed: "that it may ramp")
  }

  // MARK: Properties

  private static let globalProperties: [PropertyInfo] = [
    .channelCounts(
      [(1, 2), (2, 2)], "1 on an input (2 with stereoPassThrough), 2 on the output.",
      proposed: "its value"),
    PropertyInfo(
      .usesInternalReverb, key: "usesInternalReverb",
      constant: "kAudioUnitProperty_UsesInternalReverb", kind: .boolean, scopes: [.global],
      access: .readWrite, defaultValue: .uint32(1), isPatchProperty: true, isLive: true,
      summary: "Whether there is a room to be heard.", proposed: "the default"),
    PropertyInfo(
      .speakerConfiguration, key: "speakerConfiguration",
      constant: "kAudioUnitProperty_SpeakerConfiguration",
      kind: .choice([
        .init(0, "headphones", constant: "kSpeakerConfiguration_HeadPhones"),
        .init(1, "stereo", constant: "kSpeakerConfiguration_Stereo"),
        .init(2, "quad", constant: "kSpeakerConfiguration_Quad"),
        .init(3, "5.0", constant: "kSpeakerConfiguration_5_0"),
      ]), scopes: [.global], access: .readOnly, defaultValue: .uint32(1),
      summary: "Retired: the output is stereo, and each input has its algorithm.",
      proposed: "that it is only read"),
    PropertyInfo(
      .reverbPreset, key: "reverbPreset", constant: "kAudioUnitProperty_ReverbPreset",
      kind: .choice(
        ReverbRoom.all.enumerated().map { .init(UInt32($0), $1.name, constant: $1.constant) }),
      scopes: [.global], access: .readWrite, defaultValue: .uint32(1), isPatchProperty: true,
      isLive: true, summary: "The room. Another one fades the sound of the last one out.",
      proposed: "the default, and what the rooms sound like"),
  ]

  private static let inputProperties: [PropertyInfo] = [
    PropertyInfo(
      .spatializationAlgorithm, key: "spatializationAlgorithm",
      constant: "kAudioUnitProperty_SpatializationAlgorithm",
      kind: .choice([
        .init(0, "equalPowerPanning", constant: "kSpatializationAlgorithm_EqualPowerPanning"),
        .init(1, "sphericalHead", constant: "kSpatializationAlgorithm_SphericalHead"),
        .init(2, "HRTF", constant: "kSpatializationAlgorithm_HRTF"),
        .init(3, "soundField", constant: "kSpatializationAlgorithm_SoundField"),
        .init(4, "vectorBasedPanning", constant: "kSpatializationAlgorithm_VectorBasedPanning"),
        .init(5, "stereoPassThrough", constant: "kSpatializationAlgorithm_StereoPassThrough"),
      ]), scopes: [.input], access: .readWrite, defaultValue: .uint32(0),
      isPatchProperty: true, isLive: true,
      summary: "How the source gets its place. Another one fades the source out and in again.",
      proposed:
        "the default; that HRTF is taken up live only where an input had it when the unit was "
        + "initialized"),
    PropertyInfo(
      .dopplerShift, key: "dopplerShift", constant: "kAudioUnitProperty_DopplerShift",
      kind: .boolean, scopes: [.input], access: .writeOnly, defaultValue: .uint32(0),
      isPatchProperty: true, isLive: true,
      summary: "Whether a source that comes nearer is heard higher; as the rendering flag 2.",
      proposed: "the factor 343.3 / (343.3 + v), from 0.5 to 2, v smoothed over 60 ms"),
    PropertyInfo(
      .renderingFlags3DMixer, key: "3DMixerRenderingFlags",
      constant: "kAudioUnitProperty_3DMixerRenderingFlags", kind: .integer(0...127),
      scopes: [.input], access: .readWrite, defaultValue: .uint32(4), isPatchProperty: true,
      isLive: true,
      summary: "A sum: 1 interaural delay, 2 Doppler shift, 4 distance attenuation, 8 distance "
        + "filter, 16 distance diffusion, 32 linear attenuation, 64 constant reverb blend.",
      proposed: "the default; what the flags do"),
    PropertyInfo(
      .distanceAttenuation3DMixer, key: "3DMixerDistanceAtten",
      constant: "kAudioUnitProperty_3DMixerDistanceAtten", kind: .list(), scopes: [.input],
      access: .readOnly,
      summary:
        "Retired, and without a value: the distance parameters and the curve are in its place.",
      proposed: "that it is only read"),
    PropertyInfo(
      .distanceParameters3DMixer, key: "3DMixerDistanceParams",
      constant: "kAudioUnitProperty_3DMixerDistanceParams", kind: .list(most: 3), scopes: [.input],
      access: .readWrite, defaultValue: .floats([1, 100_000, 100]),
      isPatchProperty: true, isLive: true,
      summary: "Three numbers: the reference distance and the maximum distance in meters, and the "
        + "maximum attenuation in decibels.",
      proposed: "the default"),
    PropertyInfo(
      .attenuationCurve3DMixer, key: "3DMixerAttenuationCurve",
      constant: "kAudioUnitProperty_3DMixerAttenuationCurve",
      kind: .choice([
        .init(0, "power", constant: "k3DMixerAttenuationCurve_Power"),
        .init(1, "exponential", constant: "k3DMixerAttenuationCurve_Exponential"),
        .init(2, "inverse", constant: "k3DMixerAttenuationCurve_Inverse"),
        .init(3, "linear", constant: "k3DMixerAttenuationCurve_Linear"),
      ]), scopes: [.input], access: .readWrite, defaultValue: .uint32(2), isPatchProperty: true,
      isLive: true, summary: "How a source gets quieter from the reference distance on.",
      proposed: "the default; that power is as exponential"),
  ]

  // MARK: Rendering

  public static func pulledInputs(in configuration: UnitConfiguration) -> [Int: PullDemand] {
    let rate = configuration.outputs[0].format.sampleRate
    var demands: [Int: PullDemand] = [:]
    for (element, input) in configuration.inputs.enumerated()
    where input.isUsed && rate > 0 && input.format.sampleRate > 0 {
      let pace = input.format.sampleRate / rate
      demands[element] = PullDemand(
        framesPerFrame: pace * SpatialKernel.fastest,
        ahead: PacedReader.lookAhead(
          pace: pace, blockLength: SpatialKernel.blockLength(sampleRate: rate)),
        speed: Double(configuration.parameter(Parameter.playbackRate, .input, element) ?? 1),
        tail: tail(configuration, element) * input.format.sampleRate)
    }
    return demands
  }

  /// The tail of a source in seconds: the length of a head's responses, and the time in which the
  /// room decays by 60 dB.
  private static func tail(_ configuration: UnitConfiguration, _ element: Int) -> Double {
    let algorithm = Self.algorithm(configuration, element)
    var tail = 0.0
    let rate = configuration.outputs[0].format.sampleRate
    // Above the highest rate the head is refused, so it need not be computed.
    if algorithm == SpatializationAlgorithm.hrtf, rate <= highestHeadRate,
      let head = try? HeadTable.measurement()
    {
      tail = Double(head.length(at: rate)) / rate
    } else if algorithm == SpatializationAlgorithm.sphericalHead {
      tail = SphericalHead.longestDelay
    }
    let blend = configuration.parameter(Parameter.reverbBlend, .input, element) ?? 0
    if blend > 0, word(configuration, .usesInternalReverb, initial: 1) != 0 {
      let number = Int(word(configuration, .reverbPreset, initial: 1))
      let room = ReverbRoom.all[min(number, ReverbRoom.all.count - 1)]
      tail = max(tail, room.preDelay + room.decay)
    }
    return tail
  }

  private static func word(
    _ configuration: UnitConfiguration, _ property: PropertyID, initial: UInt32
  ) -> UInt32 {
    guard case .uint32(let word)? = configuration.properties[PropertyPlace(property, .global, 0)]
    else { return initial }
    return word
  }

  /// The memory that each used input needs for its place: about 48 KB.
  public static func memory(in configuration: UnitConfiguration) -> Int {
    48_000 * configuration.inputs.count { $0.isUsed }
  }

  /// Unknown: the effect of distances and of the room on the level is not computed.
  public static func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PeakLevel { .unknown }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    let rate = configuration.outputs[0].format.sampleRate
    let sources = configuration.inputs.map { input in
      SpatialKernel.Source(
        channelCount: input.format.channelCount, sampleRate: input.format.sampleRate)
    }
    let needsHead = configuration.inputs.indices.contains {
      algorithm(configuration, $0) == SpatializationAlgorithm.hrtf
    }
    // A missing head has been refused before: see `headViolation(_:path:)`.
    let head = needsHead ? try? HeadTable.standard(sampleRate: rate) : nil
    let kernel = SpatialKernel(
      sampleRate: rate, sources: sources, head: head, controls: SpatialControls(controls))
    guard let head else { return UnitKernels(main: .holding(kernel, with: controls.block)) }
    return UnitKernels(main: .holding(kernel, with: controls.block, head))
  }
}

extension SpatialControls {
  fileprivate init(_ layout: ControlLayout) {
    typealias Parameter = Mixer3D.Parameter
    azimuth = layout.ranged(Parameter.azimuth, .input)
    elevation = layout.ranged(Parameter.elevation, .input)
    distance = layout.ranged(Parameter.distance, .input)
    gain = layout.ranged(Parameter.gain, .input)
    playbackRate = layout.ranged(Parameter.playbackRate, .input)
    enable = layout.control(Parameter.enable, .input)
    minGain = layout.ranged(Parameter.minGain, .input)
    maxGain = layout.ranged(Parameter.maxGain, .input)
    reverbBlend = layout.ranged(Parameter.reverbBlend, .input)
    occlusion = layout.ranged(Parameter.occlusionAttenuation, .input)
    obstruction = layout.ranged(Parameter.obstructionAttenuation, .input)
    algorithms = layout.control(.spatializationAlgorithm, .input)
    renderingFlags = layout.control(.renderingFlags3DMixer, .input)
    dopplerShift = layout.control(.dopplerShift, .input)
    curves = layout.control(.attenuationCurve3DMixer, .input)
    distances = layout.control(.distanceParameters3DMixer, .input)
    outputGains = layout.ranged(Parameter.gain, .output)
    reverbGains = layout.ranged(Parameter.globalReverbGain, .global)
    internalReverb = layout.control(.usesInternalReverb, .global)
    reverbPreset = layout.control(.reverbPreset, .global)
  }
}

extension PropertyID {
  public static let usesInternalReverb = PropertyID(rawValue: 1005)
  public static let spatializationAlgorithm = PropertyID(rawValue: 3000)
  public static let speakerConfiguration = PropertyID(rawValue: 3001)
  public static let dopplerShift = PropertyID(rawValue: 3002)
  public static let renderingFlags3DMixer = PropertyID(rawValue: 3003)
  public static let distanceAttenuation3DMixer = PropertyID(rawValue: 3004)
  public static let distanceParameters3DMixer = PropertyID(rawValue: 3010)
  public static let reverbPreset = PropertyID(rawValue: 3012)
  public static let attenuationCurve3DMixer = PropertyID(rawValue: 3013)
}
