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
    outputs: .init(count: 1),
    properties: [
      PropertyInfo(
        .meteringMode, key: "meteringMode", constant: "kAudioUnitProperty_MeteringMode",
        kind: .boolean, scopes: [.input, .output], access: .readWrite, defaultValue: .uint32(0),
        isPatchProperty: true, isLive: true,
        summary: "Whether the power parameters of the bus are measured."),
      PropertyInfo(
        .matrixLevels, key: "matrixLevels", constant: "kAudioUnitProperty_MatrixLevels",
        kind: .floats, scopes: [.input], access: .readWrite, isPatchProperty: true, isLive: true,
        liveWords: 5, yieldsTo: Parameter.pan,
        summary:
          "A gain from each channel of the input to the left and the right of the mix, channel "
          + "by channel, in the place of the pan; a pan that is set later takes their place. They "
          + "read what the pan amounts to until they are set.",
        proposed: "the order of the gains; that a change takes 10 ms"),
      PropertyInfo(
        .matrixDimensions, key: "matrixDimensions",
        constant: "kAudioUnitProperty_MatrixDimensions", kind: .ids, scopes: [.global],
        access: .readOnly,
        summary: "How many channels there are: of all inputs together, of the output."),
      PropertyInfo(
        .meterClipping, key: "meterClipping", constant: "kAudioUnitProperty_MeterClipping",
        kind: .clipping, scopes: [.global], access: .readOnly, isLive: true,
        liveWords: ClippingWatch.wordCount,
        summary:
          "The largest magnitude that has left the mixer since this was last read, and whether "
          + "infinities or what is not a number have.",
        proposed: "that it is always measured, behind the output's volume"),
      PropertyInfo(
        .supportedChannelCounts, key: "supportedNumChannels",
        constant: "kAudioUnitProperty_SupportedNumChannels", kind: .channelCounts,
        scopes: [.global], access: .readOnly,
        defaultValue: .channelCounts([
          ChannelCounts(input: 1, output: 2), ChannelCounts(input: 2, output: 2),
        ]),
        summary: "Which numbers of channels go together: 1 or 2 on an input, 2 on the output.",
        proposed: "its value"),
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

  public static func refusal(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> FormatRefusal? {
    if scope == .output && format.channelCount != 2 {
      return FormatRefusal(
        "the output of a MultichannelMixer is stereo, not \(channels(format.channelCount))",
        help: ["set only the rate of the output: \"sampleRate\": \(rateText(format.sampleRate))"],
        remedies: [
          Remedy(
            "set only the rate",
            [.removeFormat(.output, 0), .setSampleRate(.output, 0, format.sampleRate)])
        ])
    }
    if scope == .input && !(1...2).contains(format.channelCount) {
      return FormatRefusal(
        "an input of a MultichannelMixer is mono or stereo, not \(channels(format.channelCount))",
        help: ["give each channel, or each pair, an input of its own"])
    }
    return nil
  }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let output = configuration.outputs[0]
    var found: [Violation] = []
    for (element, input) in configuration.inputs.enumerated() where input.isUsed {
      guard input.format.sampleRate != output.format.sampleRate else { continue }
      found.append(
        Violation(
          UnitRules.mixerRates, status: .formatNotSupported,
          .mixerRates(element, input.format.sampleRate, output.format.sampleRate),
          at: .init(node: nil, .streamFormat(.input, element)),
          notes: [
            .init(
              output.origin == .initial
                ? "the output runs at \(rateText(output.format.sampleRate)) Hz, until it is given a rate"
                : "the output's rate is settled here",
              at: .init(node: nil, .streamFormat(.output, 0)))
          ],
          help: [
            output.origin == .initial
              ? "give the output the rate: \"outputs\": { \"0\": { \"sampleRate\": "
                + "\(rateText(input.format.sampleRate)) } }"
              : "use one rate throughout: a file callback plays a file at its bus's rate, whatever its own",
            "or put a FormatConverter ahead of the input",
          ],
          remedies: output.origin == .initial
            ? [
              Remedy(
                "give the output the rate",
                [.setSampleRate(.output, 0, input.format.sampleRate)])
            ] : []))
    }
    for (element, input) in configuration.inputs.enumerated() where input.isUsed {
      let place = PropertyPlace(.matrixLevels, .input, element)
      guard let value = configuration.properties[place],
        let message = refusal(of: value, for: place, in: configuration)
      else { continue }
      found.append(
        Violation(
          UnitRules.propertyFits, status: .invalidPropertyValue, message,
          at: .init(node: nil, .property(.matrixLevels, .input, element))))
    }
    if found.isEmpty && output.origin == .initial {
      found.append(
        Violation(
          UnitRules.mixerOutputRate, status: .ok,
          "the mixer's output is given no rate, so it runs at 44100 Hz",
          at: .init(node: nil, .streamFormat(.output, 0)),
          help: [
            "say so, \"outputs\": { \"0\": { \"sampleRate\": 44100 } }, "
              + "or give the patch a \"streamFormat\""
          ],
          remedies: [Remedy("say so", [.setSampleRate(.output, 0, 44_100)])]))
    }
    return found
  }

  public static func refusal(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> String? {
    guard place.id == .matrixLevels, case .floats(let levels) = value else { return nil }
    let count = configuration.inputs[place.element].format.channelCount
    guard levels.count != 2 * count else { return nil }
    return
      "input \(place.element) has \(channels(count)) and the mix 2: that is \(2 * count) matrix "
      + "levels, not \(levels.count)"
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? {
    switch place.id {
    case .matrixLevels:
      guard let pan = controls.slot(Parameter.pan, .input, place.element) else { return nil }
      let count = configuration.inputs[place.element].format.channelCount
      return .floats(
        CrossPoints(pan: controls.block[pan], channelCount: count).levels(channelCount: count))
    case .matrixDimensions:
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
    UnitKernels(
      main: .holding(
        MixerKernel(
          sampleRate: configuration.outputs[0].format.sampleRate,
          inputChannelCounts: configuration.inputs.map(\.format.channelCount),
          controls: controls),
        with: controls.block))
  }
}

// MARK: Controls

extension MixerKernel {
  /// - Parameters:
  ///   - sampleRate: Of all buses, in hertz.
  ///   - inputChannelCounts: For each input element 1 or 2.
  ///   - controls: Of a MultichannelMixer with as many inputs; its block must outlive the kernel.
  public init(sampleRate: Double, inputChannelCounts: [Int], controls: ControlLayout) {
    precondition(
      controls.base(.output, element: 0)
        == controls.base(.input, element: inputChannelCounts.count),
      "the control block is that of a mixer with as many inputs")
    self.init(
      sampleRate: sampleRate, inputChannelCounts: inputChannelCounts,
      controls: MixerControls(controls))
  }
}

extension MixerControls {
  fileprivate init(_ layout: ControlLayout) {
    volume = layout.control(MultichannelMixer.Parameter.volume, .input)
    pan = layout.control(MultichannelMixer.Parameter.pan, .input)
    enable = layout.control(MultichannelMixer.Parameter.enable, .input)
    matrixLevels = layout.control(.matrixLevels, .input)
    metering = layout.control(.meteringMode, .input)
    meters = MeterSlots(layout, .input)
    outputVolume = layout.control(MultichannelMixer.Parameter.volume, .output)
    outputMetering = layout.control(.meteringMode, .output)
    outputMeters = MeterSlots(layout, .output)
    clipping = ClippingWatch(layout)
    access = layout.block.access
  }
}

extension MeterSlots {
  fileprivate init(_ layout: ControlLayout, _ scope: Scope) {
    typealias Parameter = MultichannelMixer.Parameter
    func pair(_ parameter: UInt32) -> Pair {
      (layout.control(parameter, scope), layout.control(parameter + 1, scope))
    }
    preAverage = pair(Parameter.preAveragePower)
    prePeak = pair(Parameter.prePeakHoldLevel)
    postAverage = pair(Parameter.postAveragePower)
    postPeak = pair(Parameter.postPeakHoldLevel)
  }
}

extension String {
  fileprivate static func mixerRates(_ element: Int, _ input: Double, _ output: Double) -> String {
    "a MultichannelMixer converts no rates: input \(element) runs at \(rateText(input)) Hz, "
      + "the output at \(rateText(output)) Hz"
  }
}

/// `1 channel`, `2 channels`.
func channels(_ count: Int) -> String { count == 1 ? "1 channel" : "\(count) channels" }
