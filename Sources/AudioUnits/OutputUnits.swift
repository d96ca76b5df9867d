import AudioTypes
import RenderCore

/// Properties and checks that the I/O units and the Generic Output share.
public enum OutputUnits {
  /// The channel of the graph for each channel of the device, or of a Generic Output's client; -1
  /// for silence.
  public static func playedChannels(in configuration: UnitConfiguration) -> [Int] {
    channelMap(of: RemoteIO.outputElement, in: configuration)
  }

  static let isRunning = PropertyInfo(
    .isRunning, key: "isRunning", constant: "kAudioOutputUnitProperty_IsRunning",
    kind: .boolean, scopes: [.global], access: .readOnly, defaultValue: .uint32(0),
    summary: "Whether the unit, and with it the graph, has been started.")

  static let startTimestampsAtZero = PropertyInfo(
    .startTimestampsAtZero, key: "startTimestampsAtZero",
    constant: "kAudioOutputUnitProperty_StartTimestampsAtZero", kind: .boolean,
    scopes: [.global], access: .readWrite, defaultValue: .uint32(1), isPatchProperty: true,
    isState: false,
    summary: "Whether sample times count from 0 at each start.",
    proposed: "that otherwise they go on from where the graph was stopped")

  static let cpuLoad = PropertyInfo(
    .cpuLoad, key: "cpuLoad", constant: "kAudioUnitProperty_CPULoad", kind: .anyNumber,
    scopes: [.global], access: .readOnly, defaultValue: .float64(0),
    summary:
      "The share of the time that rendering the graph takes: 0 to 1, above where it is late.",
    proposed: "that output units alone have it")

  static let supportedNumChannels = PropertyInfo.channelCounts(
    [(-1, -2)], "any (-1, -2).", proposed: "its value")

  static let startTime = PropertyInfo(
    .startTime, key: "startTime", constant: "kAudioOutputUnitProperty_StartTime",
    kind: .structure(.startTime), scopes: [.global], access: .writeOnly,
    summary: "When to begin at the next start: a host time, or frames of the device to wait.",
    proposed: "that sample times are counted from the start of the device")

  static let setInputCallback = PropertyInfo(
    .setInputCallback, key: "setInputCallback",
    constant: "kAudioOutputUnitProperty_SetInputCallback",
    kind: .structure(.object(noun: "an InputCallbackReference", size: 16)), scopes: [.global],
    access: .readWrite, defaultValue: .object(.none),
    summary: "What is told on the render thread that the microphone side has heard something.",
    proposed: "that it is handed what element 1 puts out, instead of having to render it")

  /// - Parameter elements: The only element of each scope, where there is but one.
  static func channelMap(elements: [Scope: Int] = [:]) -> PropertyInfo {
    PropertyInfo(
      .channelMap, key: "channelMap", constant: "kAudioOutputUnitProperty_ChannelMap",
      kind: .integers(-1...Int(Int32.max)), scopes: [.input, .output], elements: elements,
      access: .readWriteUntilInitialized, isPatchProperty: true,
      summary:
        "For each channel that leaves the element the channel of it that is taken, from 0, or "
        + "-1 for silence. Both scopes of an element share it. At first channels go straight "
        + "through, and one channel goes to all.",
      proposed: "that one channel goes to all, and that it is refused once the unit is initialized")
  }

  /// The source channel of each destination channel, or -1 for silence: the map that has been set,
  /// or the default.
  static func channelMap(of element: Int, in configuration: UnitConfiguration) -> [Int] {
    if case .integers(let map)? = configuration.properties[
      PropertyPlace(.channelMap, .output, element)]
    {
      return map.map(Int.init)
    }
    return RemoteIO.defaultChannelMap(
      from: configuration.inputs[element].format.channelCount,
      to: configuration.outputs[element].format.channelCount)
  }

  static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration
  ) -> PropertyValue? {
    guard place.id == .channelMap else { return nil }
    return .integers(channelMap(of: place.element, in: configuration()).map(Int32.init))
  }

  /// Violations of maps that do not fit the channels of their element.
  static func channelMapViolations(_ configuration: UnitConfiguration) -> [Violation] {
    configuration.outputs.indices.compactMap { element in
      let place = PropertyPlace(.channelMap, .output, element)
      guard configuration.properties[place] != nil else { return nil }
      // A missing side of the device has no channels.
      let device = configuration.device
      let isIO = configuration.outputs.count > 1
      if isIO && (element == 0 ? device?.output : device?.input) == nil { return nil }
      let map = channelMap(of: element, in: configuration)
      let source = configuration.inputs[element].format.channelCount
      let destination = configuration.outputs[element].format.channelCount
      let message: String
      if map.count != destination {
        message =
          "the channel map has \(map.count == 1 ? "1 entry" : "\(map.count) entries"), and "
          + "\(channels(destination)) leave\(destination == 1 ? "s" : "") element \(element)"
      } else if let wrong = map.first(where: { $0 >= source }) {
        message =
          "the channel map takes channel \(wrong) of element \(element), which has "
          + "\(channels(source)), from 0"
      } else {
        return nil
      }
      return Violation(
        UnitRules.channelMap, status: .invalidPropertyValue, message,
        at: .init(node: nil, .property(.channelMap, .output, element)),
        help: ["write the number of a channel that comes in, or -1, for each that leaves"])
    }
  }

  /// A warning for a sample rate conversion inside the unit, which costs time and quality; an error
  /// where the rate is reduced by too large a factor.
  static func conversion(
    _ what: String, from source: Double, to destination: Double, at part: Violation.Part,
    help: String
  ) -> Violation? {
    guard source != destination, source > 0, destination > 0 else { return nil }
    let settings = settings(from: source, to: destination)
    return settings.stepViolation("an output unit", at: part, from: nil, help: help)
      ?? Violation(
        UnitRules.deviceRate, status: .ok,
        "\(what) is converted from \(rateText(source)) to \(rateText(destination)) Hz",
        at: .init(node: nil, part), help: [help])
  }

  /// The bytes of the conversion between a graph and its device.
  static func memoryOfConversion(
    from source: StreamFormat, to destination: StreamFormat
  ) -> Int {
    settings(from: source.sampleRate, to: destination.sampleRate)
      .memory(channelCount: min(source.channelCount, destination.channelCount))
  }

  private static func settings(from source: Double, to destination: Double) -> ConverterSettings {
    ConverterSettings(
      from: source, to: destination, quality: DeviceConversion.quality, startsAtZero: true)
  }
}

extension PropertyInfo {
  /// Which numbers of channels go together, which is only read: pairs of an input's and an output's.
  static func channelCounts(
    _ counts: [(input: Int16, output: Int16)], _ summary: String, proposed: String = ""
  ) -> PropertyInfo {
    PropertyInfo(
      .supportedChannelCounts, key: "supportedNumChannels",
      constant: "kAudioUnitProperty_SupportedNumChannels", kind: .structure(.channelCounts),
      scopes: [.global], access: .readOnly,
      defaultValue: .channelCounts(
        counts.map { ChannelCounts(input: $0.input, output: $0.output) }),
      summary: "Which numbers of channels go together: " + summary, proposed: proposed)
  }
}
