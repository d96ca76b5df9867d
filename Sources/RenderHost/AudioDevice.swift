public import AudioTypes

/// A sink or a source of a back end.
public struct AudioDevice: Hashable, Sendable {
  /// Which way sound goes.
  public enum Direction: String, Hashable, Sendable {
    /// Something to play on.
    case sink
    /// Something to record from.
    case source
  }

  /// Whether it is in use, in a server's words.
  public enum State: String, Hashable, Sendable {
    case running, idle, suspended, unknown
  }

  /// Whether it plays or records.
  public var direction: Direction
  /// The back end's number for it; a server's is good until the server restarts.
  public var index: UInt32
  /// What `--sink` and `--source` take.
  public var name: String
  /// What a person calls it.
  public var description: String
  /// How its samples are written down: `s16le`, `float32le`.
  public var sampleFormat: String
  /// In Hz.
  public var sampleRate: Double
  /// Where each channel belongs, in the back end's words: `front-left`, `mono`.
  public var channelMap: [String]
  /// Whether it is in use.
  public var state: State
  /// Whether it is taken where none is named.
  public var isDefault: Bool
  /// For a source that hears what a sink plays, the sink's name.
  public var monitorOf: String?
  /// What the back end says besides, by its own names: `device.bus`, and `driver`.
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

  /// How many channels it has.
  public var channelCount: Int { channelMap.count }

  /// The samples as a stream format, where a bus could carry them; `nil` for any other.
  public var streamFormat: StreamFormat? {
    let types: [String: SampleType] = [
      "s16le": .int16, "s24le": .int24, "s32le": .int32, "float32le": .float32,
    ]
    guard let type = types[sampleFormat], channelCount > 0 else { return nil }
    return StreamFormat(
      type, channels: channelCount, sampleRate: sampleRate, interleaved: true)
  }
}
