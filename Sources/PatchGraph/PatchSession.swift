public import AudioTypes
import AudioUnits
public import PatchSyntax
public import RenderHost

/// A patch's requests to the device.
public struct SessionRequest: Hashable, Sendable {
  /// In Hz; `nil` for the device's own.
  public var preferredSampleRate: Double?
  /// In seconds; `nil` for the device's own.
  public var preferredIOBufferDuration: Double?
  public var category: SessionCategory?
  /// Whether the loudspeaker side of an I/O unit is on.
  public var wantsOutput = true
  /// Whether the microphone side of an I/O unit is on.
  public var wantsInput = false
  /// Whether the output unit runs on a device; a Generic Output does not.
  public var isDevice = true
  /// Whether it is a Voice-Processing I/O unit that lowers other sounds.
  public var isConversation = false
  /// The sink that the I/O unit names; `nil` for none.
  public var sink: DeviceSelector?
  /// The source that the I/O unit names; `nil` for none.
  public var source: DeviceSelector?
}

/// The grant that is assumed where no device is asked: `--hardware rate=44100,channels=2`.
public struct HardwareAssumption: Hashable, Sendable {
  /// In Hz; `nil` for the rate that the patch prefers, or else 44,100.
  public var sampleRate: Double?
  /// Channels of the loudspeaker side, 0 for no such side; `nil` for 2.
  public var channels: Int?
  /// Channels of the microphone side, 0 for no such side; `nil` for 1.
  public var inputChannels: Int?
  /// Frames of the largest slice; `nil` for the size that the patch prefers, or else 1,024.
  public var ioBufferFrames: Int?

  public init() {}

  /// Why a text is no assumption about hardware.
  public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Reads `key=value` pairs with commas between them: `rate` (1000 to 768000 Hz), `channels` and
  /// `inputChannels` (0 to 32), `frames` (1 to 65536).
  ///
  /// - Throws: ``ParseError`` for any other key or value.
  public static func parse(_ text: String) throws(ParseError) -> HardwareAssumption {
    var result = HardwareAssumption()
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw ParseError(description: "'\(pair)' is not of the form key=value")
      }
      let whole = Int(parts[1])
      switch parts[0] {
      case "rate":
        guard let rate = Double(parts[1]), rate >= 1000, rate <= 768_000 else {
          throw ParseError(description: "'rate' is 1000 to 768000 Hz, not '\(parts[1])'")
        }
        result.sampleRate = rate
      case "channels", "inputChannels":
        guard let whole, (0...32).contains(whole) else {
          throw ParseError(description: "'\(parts[0])' is 0 to 32, not '\(parts[1])'")
        }
        if parts[0] == "channels" { result.channels = whole } else { result.inputChannels = whole }
      case "frames":
        guard let whole, (1...65_536).contains(whole) else {
          throw ParseError(description: "'frames' is 1 to 65536, not '\(parts[1])'")
        }
        result.ioBufferFrames = whole
      default:
        throw ParseError(
          description: "'\(parts[0])' is not known: rate, channels, inputChannels and frames are")
      }
    }
    return result
  }
}

/// The device that a graph is built for.
public enum PatchDevice: Sendable {
  /// No device: preferences are granted, unless something else is assumed.
  case assumed(HardwareAssumption)
  /// No device: the graph has this grant.
  case granted(HardwareGrant)
  /// This device, with its grant.
  case hardware(any AudioHardware)
}

extension PatchBuilder {
  /// The requests of a document to the device.
  public static func request(of document: PatchDocument) -> SessionRequest {
    var request = SessionRequest(
      preferredSampleRate: document.session?.value.preferredSampleRate?.value,
      preferredIOBufferDuration: document.session?.value.preferredIOBufferDuration?.value,
      category: document.session?.value.category?.value)
    // Most nodes name one of a few components: each name is looked up once.
    var others: [String] = []
    var isAfterOther = false
    for index in document.nodes.indices {
      if isAfterOther, document.isNodeAsBefore(index) { continue }
      isAfterOther = others.contains { document.nodes[index].value.isUnit(named: $0) }
      if isAfterOther { continue }
      let component = document.nodes[index].value.component?.value
      guard let unit = ComponentResolver.unit(component) else { continue }
      guard unit.description.isOutput else {
        if case .name(let name)? = component { others.append(name) }
        continue
      }
      let node = document.nodes[index]
      guard !node.value.endsSubgraph else { continue }
      request.isDevice = unit.description.property(.enableIO) != nil
      if let ducks = unit.description.property(.duckNonVoiceAudio) {
        let written = node.value.properties
          .first { $0.name == ducks.key || $0.name == ducks.constant }?.value
        request.isConversation = written?.bool ?? (written?.number != 0)
      }
      func isOn(_ elements: [PatchDocument.Element], _ bus: Int) -> Bool? {
        elements.first { $0.bus.value == bus }?.properties
          .first { $0.name == "enableIO" || $0.name == "kAudioOutputUnitProperty_EnableIO" }?
          .value.bool
      }
      request.sink = node.value.device?.value.sink.flatMap(DeviceSelector.init)
      request.source = node.value.device?.value.source.flatMap(DeviceSelector.init)
      request.wantsInput = request.isDevice && isOn(node.value.inputs, 1) ?? false
      request.wantsOutput = request.isDevice && isOn(node.value.outputs, 0) ?? true
    }
    return request
  }

  /// The grant of a device that gives what is requested, except where something else is assumed.
  public static func assumedGrant(
    for request: SessionRequest, _ assumption: HardwareAssumption
  ) -> HardwareGrant {
    let rate = assumption.sampleRate ?? request.preferredSampleRate ?? 44_100
    let output = assumption.channels ?? 2
    let input = assumption.inputChannels ?? 1
    return HardwareGrant(
      outputFormat: output > 0
        ? StreamFormat(.float32, channels: output, sampleRate: rate, interleaved: true) : nil,
      inputFormat: input > 0
        ? StreamFormat(.float32, channels: input, sampleRate: rate, interleaved: true) : nil,
      ioBufferFrames: assumption.ioBufferFrames
        ?? HardwareGrant.ioBufferFrames(
          forDuration: request.preferredIOBufferDuration, sampleRate: rate))
  }
}
