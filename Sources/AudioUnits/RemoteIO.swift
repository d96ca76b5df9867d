public import AudioTypes
import RenderCore

/// Connects a graph to the loudspeaker (element 0) and the microphone (element 1).
public enum RemoteIO: AudioUnit {
  /// The loudspeaker side: its input scope is the graph's, its output scope the device's.
  public static let outputElement = 0
  /// The microphone side: its input scope is the device's, its output scope the graph's.
  public static let inputElement = 1

  public static let description = UnitDescription(
    component: ComponentDescription(type: .outputType, subtype: "rioc", manufacturer: .apple),
    name: "remoteIO",
    constant: "kAudioUnitSubType_RemoteIO",
    aliases: ["RemoteIO"],
    summary: "Plays on a sink and hears from a source of the sound server.",
    inputs: .init(count: 2),
    outputs: .init(count: 2),
    defaultMaximumFramesPerSlice: 4096,
    sizesItsOwnSlices: true,
    properties: [
      PropertyInfo(
        .enableIO, key: "enableIO", constant: "kAudioOutputUnitProperty_EnableIO",
        kind: .boolean, scopes: [.input, .output], elements: [.input: 1, .output: 0],
        access: .readWriteUntilInitialized,
        scopeDefaults: [.input: .uint32(0), .output: .uint32(1)], isPatchProperty: true,
        summary: "Whether the side is on. At first the output (outputs/0) is, the input "
          + "(inputs/1) is not.",
        proposed: "that it is refused once the unit is initialized"),
      PropertyInfo(
        .hasIO, key: "hasIO", constant: "kAudioOutputUnitProperty_HasIO", kind: .boolean,
        scopes: [.input, .output], elements: [.input: 1, .output: 0], access: .readOnly,
        scopeDefaults: [.input: .uint32(0), .output: .uint32(1)],
        summary: "Whether the side is on."),
      OutputUnits.cpuLoad, OutputUnits.supportedNumChannels, OutputUnits.isRunning,
      OutputUnits.channelMap(), OutputUnits.startTime, OutputUnits.setInputCallback,
      OutputUnits.startTimestampsAtZero,
    ],
    formatNotes: [
      "inputs/0: what the graph plays: any number of channels, rate and sample type; set for a "
        + "callback, taken from a connection",
      "outputs/1: what the graph hears: the same, to be set",
      "inputs/1 and outputs/0: the device's own formats, not to be set",
      "a mono stream plays on every channel of the device; otherwise channels go straight through, "
        + "surplus ones are dropped and missing ones silent; a channelMap says otherwise",
    ])

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let isOutputOn = configuration.isOn(.enableIO, .output, outputElement)
    let isInputOn = configuration.isOn(.enableIO, .input, inputElement)
    let device = configuration.device
    var found: [Violation] = []
    // If a used side is off, only that is reported.
    let isUsed =
      configuration.inputs[outputElement].isUsed || configuration.outputs[inputElement].isUsed
    if !isOutputOn && !isInputOn && !isUsed {
      found.append(
        Violation(
          UnitRules.ioEnabled, status: .failedInitialization,
          "both sides of the I/O unit are off, so there is nothing to start",
          at: .init(node: nil, .property(.enableIO, .output, outputElement)),
          help: ["leave the output on, or turn the input on"]))
    }
    if configuration.outputs[inputElement].isUsed && !isInputOn {
      found.append(
        Violation(
          UnitRules.inputElementEnabled, status: .noConnection,
          "the microphone side of the I/O unit is used but off: nothing would come from it",
          at: .init(node: nil, .bus(.output, inputElement)),
          help: [
            "turn it on: \"inputs\": { \"1\": { \"properties\": { \"enableIO\": true } } }"
          ], remedies: [Remedy("turn it on", [.setProperty("enableIO", .input, 1, "true")])]))
    }
    if configuration.inputs[outputElement].isUsed && !isOutputOn {
      found.append(
        Violation(
          UnitRules.outputElementEnabled, status: .noConnection,
          "the loudspeaker side of the I/O unit is fed but off: nobody would hear it",
          at: .init(node: nil, .feed(outputElement)),
          notes: [
            .init(
              "turned off here",
              at: .init(node: nil, .property(.enableIO, .output, outputElement)))
          ],
          help: ["leave enableIO of outputs/0 on, or remove what feeds io:0"]))
    }
    if isInputOn && device?.input == nil {
      found.append(
        Violation(
          UnitRules.hardwareInput, status: .invalidPropertyValue,
          "the input is on, but there is no source to hear from",
          at: .init(node: nil, .property(.enableIO, .input, inputElement)),
          help: ["`patchrun devices` lists the sources; --source names one"]))
    }
    if isOutputOn && configuration.inputs[outputElement].isUsed && device?.output == nil {
      found.append(
        Violation(
          UnitRules.hardwareOutput, status: .invalidPropertyValue,
          "the output is on, but there is no sink to play on",
          at: .init(node: nil, .feed(outputElement)),
          help: ["`patchrun devices` lists the sinks; --sink names one"]))
    }
    if found.isEmpty { found += OutputUnits.channelMapViolations(configuration) }
    if found.isEmpty { found += conversions(in: configuration) }
    return found
  }

  /// A path between the graph and the device, whose rates may differ.
  private struct Path {
    var what: String
    var source: StreamFormat
    var destination: StreamFormat
    var part: Violation.Part
  }

  private static func paths(in configuration: UnitConfiguration) -> [Path] {
    var paths: [Path] = []
    let played = configuration.inputs[outputElement]
    if played.isUsed, let device = configuration.device?.output {
      paths.append(
        Path(
          what: "what the graph plays", source: played.format, destination: device,
          part: .streamFormat(.input, outputElement)))
    }
    let heard = configuration.outputs[inputElement]
    if heard.isUsed, configuration.isOn(.enableIO, .input, inputElement),
      let device = configuration.device?.input
    {
      paths.append(
        Path(
          what: "what the graph hears", source: device, destination: heard.format,
          part: .streamFormat(.output, inputElement)))
    }
    return paths
  }

  private static func conversions(in configuration: UnitConfiguration) -> [Violation] {
    let conversions = paths(in: configuration).compactMap { path in
      OutputUnits.conversion(
        path.what, from: path.source.sampleRate, to: path.destination.sampleRate, at: path.part,
        help: "\"sampleRate\": \"session\" is the rate that the device was granted")
    }
    // A wrong rate usually affects both sides: an error hides the warnings.
    let refused = conversions.filter { $0.status != .ok }
    return refused.isEmpty ? conversions : refused
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    paths(in: configuration).reduce(0) {
      $0 + OutputUnits.memoryOfConversion(from: $1.source, to: $1.destination)
    }
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? { OutputUnits.derivedValue(of: place, in: configuration) }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    guard let side = InputSide(configuration) else { return UnitKernels() }
    return UnitKernels(
      input: .holding(side.makeKernel(), with: side.ring), inputWritesBusWords: true,
      inputMap: side.map)
  }

  /// The arguments of the kernel of the microphone side.
  struct InputSide {
    let ring: FrameRing
    let hardware: StreamFormat
    let device: DeviceSides
    /// The format that the kernel puts out.
    var client: StreamFormat
    let map: [Int]?
    /// The dither of what the kernel puts out.
    var dither: BusDither
    private let playedRate: Double?

    /// `nil` where the side is off or the device has none.
    init?(_ configuration: UnitConfiguration) {
      guard configuration.isOn(.enableIO, .input, inputElement),
        let device = configuration.device, let hardware = device.input, let ring = device.capture
      else { return nil }
      let isMapped =
        configuration.properties[PropertyPlace(.channelMap, .output, inputElement)] != nil
      self.ring = ring
      self.hardware = hardware
      self.device = device
      dither = configuration.dither(.output, inputElement)
      // With a map the kernel puts out the hardware's channels, and the map is applied afterwards.
      client = configuration.outputs[inputElement].format
      if isMapped { client = client.with(channels: hardware.channelCount) }
      map = isMapped ? OutputUnits.channelMap(of: inputElement, in: configuration) : nil
      playedRate =
        configuration.inputs[outputElement].isUsed
        ? configuration.inputs[outputElement].format.sampleRate : nil
    }

    func makeKernel() -> InputElementKernel {
      InputElementKernel(
        ring: ring.access, hardware: hardware, client: client, dither: dither,
        ioBufferFrames: device.ioBufferFrames,
        // Without a loudspeaker the microphone's clock is the only one.
        isSynchronous: device.isSynchronous || device.output == nil,
        isAhead: device.isSynchronous, playedRate: playedRate, graphLead: device.graphLead)
    }
  }

  /// The default channel map: for each destination channel the source channel, or -1 for silence.
  public static func defaultChannelMap(from source: Int, to destination: Int) -> [Int] {
    (0..<destination).map { source == 1 ? 0 : $0 < source ? $0 : -1 }
  }
}
