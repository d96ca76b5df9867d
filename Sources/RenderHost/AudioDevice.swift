public import AudioTypes

/// A sink or a source of a back end.
public struct AudioDevice: Hashable, Sendable {
  /// The direction of the sound.
  public enum Direction: String, Hashable, Sendable {
    /// Something to play on.
    case sink
    /// Something to record from.
    case source
  }

  /// Whether the device is in use, in a server's words.
  public enum State: String, Hashable, Sendable {
    case running, idle, suspended, unknown
  }

  /// Whether it plays or records.
  public var direction: Direction
  /// The back end's number for it; valid until the server restarts.
  public var index: UInt32
  /// The name that `--sink` and `--source` take.
  public var name: String
  /// The name for people.
  public var description: String
  /// The sample format in the server's words: `s16le`, `float32le`.
  public var sampleFormat: String
  /// In Hz.
  public var sampleRate: Double
  /// The position of each channel, in the back end's words: `front-left`, `mono`.
  public var channelMap: [String]
  /// Whether it is in use.
  public var state: State
  /// Whether the back end uses it where a request names none.
  public var isDefault: Bool
  /// The name of the sink that this source monitors; `nil` for any other device.
  public var monitorOf: String?
  /// Further properties, by the back end's names: `device.bus`, and `driver`.
  public var properties: [String: String]

  public init(
    direction: Direction, index: UInt32, name: String, description: String, sampleFormat: String,
    sampleRate: Double, channelMap: [String], state: State, isDefault: Bool,
    monitorOf: String? = nil, properties: [String: String] = [:]
  ) {
    self.properties = properties
    self.direction = direction
    self.index = index
    self.name = name
    self.description = description
    self.sampleFormat = sampleFormat
    self.sampleRate = sampleRate
    self.channelMap = channelMap
    self.state = state
    self.isDefault = isDefault
    self.monitorOf = monitorOf
  }

  /// The number of channels.
  public var channelCount: Int { channelMap.count }

  /// The stream format, where a bus could carry it; `nil` for other sample formats.
  public var streamFormat: StreamFormat? {
    let types: [String: SampleType] = [
      "s16le": .int16, "s24le": .int24, "s32le": .int32, "float32le": .float32,
    ]
    guard let type = types[sampleFormat], channelCount > 0 else { return nil }
    return StreamFormat(
      type, channels: channelCount, sampleRate: sampleRate, interleaved: true)
  }
}
