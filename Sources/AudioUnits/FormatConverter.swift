public import AudioTypes
public import RenderCore

/// Converts linear PCM into linear PCM: rate, sample type, channels, interleaving.
public enum FormatConverter: AudioUnit {
  public static let description = UnitDescription(
    component: ComponentDescription(
      type: .formatConverterType, subtype: "conv", manufacturer: .apple),
    name: "FormatConverter",
    constant: "kAudioUnitSubType_AUConverter",
    aliases: ["AUConverter"],
    summary: "Converts rate, sample type, channel count and interleaving.",
    properties: [
      PropertyInfo(
        .latency, key: "latency", constant: "kAudioUnitProperty_Latency", kind: .anyNumber,
        scopes: [.global], access: .readOnly, defaultValue: .float64(0),
        summary: "From the input to the output, in seconds: 0 but for primeMethod none."),
      PropertyInfo(
        .tailTime, key: "tailTime", constant: "kAudioUnitProperty_TailTime", kind: .anyNumber,
        scopes: [.global], access: .readOnly, defaultValue: .float64(0),
        summary: "How long the filter rings after a sound, in seconds; 0 between equal rates.",
        proposed: "that the unit has this property"),
      PropertyInfo(
        .renderQuality, key: "renderQuality", constant: "kAudioUnitProperty_RenderQuality",
        kind: .integer(0...127), scopes: [.global], access: .readWrite,
        defaultValue: .uint32(ConverterSettings.defaultRenderQuality), isPatchProperty: true,
        summary: "How good the complexity's filter is: 0 worst, 127 best. A change counts from the "
          + "next initialization on.",
        proposed: "the default; that a running filter stays as it is"),
      PropertyInfo(
        .channelMap, key: "channelMap", constant: "kAudioOutputUnitProperty_ChannelMap",
        kind: .integers(-1...ChannelRoute.maximumCount - 1), scopes: [.input, .output],
        access: .readWriteUntilInitialized, isPatchProperty: true,
        summary: "On the output, for each of its channels the channel that it takes, or -1 for "
          + "silence; on the input, the same for channels that the output's map then counts. "
          + "Without: straight through, surplus dropped, missing silent.",
        proposed: "that the two maps follow each other; that they are refused once initialized"),
      PropertyInfo(
        .startTimestampsAtZero, key: "startTimestampsAtZero",
        constant: "kAudioOutputUnitProperty_StartTimestampsAtZero", kind: .boolean,
        scopes: [.global], access: .readWriteUntilInitialized, defaultValue: .uint32(1),
        isPatchProperty: true,
        summary: "Whether the input's sample times count from 0 when a converter of rates begins; "
          + "otherwise from the output's, converted.",
        proposed: "that it is refused once initialized"),
      PropertyInfo(
        .sampleRateConverterComplexity, key: "sampleRateConverterComplexity",
        constant: "kAudioUnitProperty_SampleRateConverterComplexity",
        kind: .choice(ConverterSettings.choices), scopes: [.global],
        access: .readWriteUntilInitialized,
        defaultValue: .uint32(ConverterSettings.defaultComplexity), isPatchProperty: true,
        summary:
          "The filter between different rates. The worst mastering is above the best normal.",
        proposed: "that it is refused once initialized"),
      PropertyInfo(
        .primeInfo, key: "primeInfo", constant: "kAudioConverterPrimeInfo",
        kind: .integers(0...Int(Int32.max)), scopes: [.global], access: .readOnly,
        summary: "Frames of the input that are needed ahead of the first output frame, and beyond "
          + "the last one.",
        proposed: "that the unit has this property of an AudioConverter"),
      PropertyInfo(
        .primeMethod, key: "primeMethod", constant: "kAudioConverterPrimeMethod",
        kind: .choice(ConverterSettings.primeMethods), scopes: [.global],
        access: .readWriteUntilInitialized, defaultValue: .uint32(1), isPatchProperty: true,
        summary: "What a converter of rates begins with. normal: silence, and no latency; pre: the "
          + "first frames of the input, of which the output lacks as many; none: silence on both "
          + "sides, and a latency.",
        proposed: "that the unit has this property of an AudioConverter"),
    ],
    formatNotes: [
      "input: 1 to 8 channels of any rate and sample type",
      "output: the same; it is to be set",
      "rates: any, down to a \(Int(ConverterSettings.largestStepDown))th; a different one is converted by a filter",
      "samples: rounded to the nearest, halves to even, clipped; equal ones and larger ones exact",
    ])

  /// The output begins as 16-bit stereo without a rate, as observed on an iPhone: a client has to
  /// set it.
  public static func initialFormat(_ scope: Scope) -> StreamFormat {
    scope == .output
      ? .canonical(channels: 2, sampleRate: 0)
      : .platformCanonical(channels: 2, sampleRate: 44_100)
  }

  public static func refusal(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> FormatRefusal? {
    guard format.channelCount > ChannelRoute.maximumCount else { return nil }
    return FormatRefusal(
      "a FormatConverter takes 1 to \(ChannelRoute.maximumCount) channels, not "
        + "\(channels(format.channelCount))")
  }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let settings = ConverterSettings(configuration)
    let step = settings.stepViolation(
      "a FormatConverter", at: .streamFormat(.output, 0), from: .streamFormat(.input, 0),
      help: "convert in two steps, with another FormatConverter")
    return mapViolations(configuration) + [step].compactMap(\.self)
  }

  private static func mapViolations(_ configuration: UnitConfiguration) -> [Violation] {
    let maps = ChannelMaps(configuration)
    var found: [Violation] = []
    func check(
      _ map: [Int32]?, _ scope: Scope, of source: Int, _ noun: String
    ) {
      guard let wrong = map?.first(where: { $0 >= source }) else { return }
      found.append(
        Violation(
          UnitRules.channelMap, status: .invalidPropertyValue,
          "the channel map names channel \(wrong), and \(noun) has \(channels(source)): "
            + (source == 1 ? "only 0" : "0 to \(source - 1)"),
          at: .init(node: nil, .property(.channelMap, scope, 0)),
          help: ["channels count from 0; -1 is silence"]))
    }
    check(maps.inputMap, .input, of: maps.inputChannels, "the input")
    if let map = maps.inputMap, map.count > ChannelRoute.maximumCount {
      found.append(
        Violation(
          UnitRules.channelMap, status: .invalidPropertyValue,
          "the channel map of the input has \(map.count) entries, and there are at most "
            + "\(ChannelRoute.maximumCount) channels",
          at: .init(node: nil, .property(.channelMap, .input, 0))))
    }
    if let map = maps.outputMap, map.count != maps.outputChannels {
      found.append(
        Violation(
          UnitRules.channelMap, status: .invalidPropertyValue,
          "the channel map of the output has \(entries(map.count)), and the output "
            + "\(channels(maps.outputChannels)): one entry for each",
          at: .init(node: nil, .property(.channelMap, .output, 0)),
          notes: [.init("the output's format", at: .init(node: nil, .streamFormat(.output, 0)))]))
    }
    check(
      maps.outputMap, .output, of: maps.innerChannels,
      maps.inputMap == nil ? "the input" : "the input's map")
    if found.isEmpty, configuration.inputs[0].isUsed, let warning = droppedChannelWarning(maps) {
      found.append(warning)
    }
    return found
  }

  /// A warning for channels that are dropped or silent without a channel map that says so.
  private static func droppedChannelWarning(_ maps: ChannelMaps) -> Violation? {
    guard maps.outputMap == nil, maps.innerChannels != maps.outputChannels else { return nil }
    let isMono = maps.innerChannels == 1
    let map = (0..<maps.outputChannels).map { channel in
      isMono ? "0" : channel < maps.innerChannels ? "\(channel)" : "-1"
    }.joined(separator: ", ")
    let what =
      maps.innerChannels < maps.outputChannels
      ? "\(channels(maps.innerChannels)) in and \(maps.outputChannels) out: "
        + (maps.outputChannels - maps.innerChannels == 1
          ? "channel \(maps.outputChannels - 1) is silent"
          : "channels \(maps.innerChannels) to \(maps.outputChannels - 1) are silent")
      : "\(channels(maps.innerChannels)) in and \(maps.outputChannels) out: "
        + (maps.innerChannels - maps.outputChannels == 1
          ? "channel \(maps.outputChannels) of the input is dropped"
          : "channels \(maps.outputChannels) to \(maps.innerChannels - 1) of the input are dropped")
    return Violation(
      UnitRules.converterChannels, status: .ok, what,
      at: .init(node: nil, .streamFormat(.output, 0)),
      help: [
        isMono
          ? "\"channelMap\": [\(map)] among the properties of outputs/0 plays it on each channel"
          : "\"channelMap\": [\(map)] among the properties of outputs/0 says that it is meant"
      ],
      remedies: [
        Remedy("write the channel map", [.setProperty("channelMap", .output, 0, "[\(map)]")])
      ])
  }

  private static func entries(_ count: Int) -> String {
    count == 1 ? "1 entry" : "\(count) entries"
  }

  public static func pulledInputs(in configuration: UnitConfiguration) -> [Int: PullDemand] {
    ConverterSettings(configuration).demand.map { [0: $0] } ?? [:]
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? {
    switch place.id {
    case .latency: return .float64(ConverterSettings(configuration()).latency)
    case .tailTime: return .float64(ConverterSettings(configuration()).tail)
    case .primeInfo:
      let frames = ConverterSettings(configuration()).primeFrames
      return .integers([Int32(clamping: frames.leading), Int32(clamping: frames.trailing)])
    case .channelMap:
      let maps = ChannelMaps(configuration())
      return .integers(place.scope == .input ? maps.input : maps.output)
    default: return nil
    }
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    guard let input = configuration.inputs.first?.format,
      let output = configuration.outputs.first?.format
    else { return 0 }
    // A channel that is used twice is converted once.
    return ConverterSettings(configuration).memory(
      channelCount: min(input.channelCount, output.channelCount))
  }

  public static func notes(on name: String, in configuration: UnitConfiguration) -> [Violation] {
    let input = configuration.inputs[0]
    let output = configuration.outputs[0].format
    guard input.isUsed else { return [] }
    return [
      Violation(
        UnitRules.conversion, status: .ok,
        input.format == output
          ? "\(name) converts nothing: both sides have \(output.summary)"
          : "\(name) converts \(input.format.summary) to \(output.summary)",
        at: .init(node: nil, .streamFormat(.output, 0)))
    ]
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(
      main: ConverterSettings(configuration).makeKernel(
        from: configuration.inputs[0].format, to: configuration.outputs[0].format,
        configuration.dither(.output, 0), route: ChannelMaps(configuration).route),
      mainUsesBusWords: true)
  }
}
