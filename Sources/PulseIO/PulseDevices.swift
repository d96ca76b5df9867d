public import AudioTypes
import CPulse
public import RenderHost

/// A sink or a source of a PulseAudio server.
public struct PulseDevice: Hashable, Sendable {
  public enum Direction: String, Hashable, Sendable {
    /// Something to play on.
    case sink
    /// Something to record from.
    case source
  }

  public enum State: String, Hashable, Sendable {
    case running, idle, suspended, unknown
  }

  public var direction: Direction
  /// The server's number for it, good until the server restarts.
  public var index: UInt32
  /// What `--sink` and `--source` take.
  public var name: String
  /// What a person calls it.
  public var description: String
  /// How its samples are written down, in PulseAudio's words: `s16le`, `float32le`.
  public var sampleFormat: String
  /// In Hz.
  public var sampleRate: Double
  /// Where each channel belongs, in PulseAudio's words: `front-left`, `mono`.
  public var channelMap: [String]
  public var state: State
  /// Whether it is taken where none is named.
  public var isDefault: Bool
  /// For a source that hears what a sink plays, the sink's name.
  public var monitorOf: String?

  public var channelCount: Int { channelMap.count }

  /// The samples as a stream format, where a bus could carry them. What crosses to the server is
  /// `float32` in any case.
  public var streamFormat: StreamFormat? {
    let types: [String: SampleType] = [
      "s16le": .int16, "s24le": .int24, "s32le": .int32, "float32le": .float32,
    ]
    guard let type = types[sampleFormat], channelCount > 0 else { return nil }
    return StreamFormat(
      type, channels: channelCount, sampleRate: sampleRate, interleaved: true)
  }
}

/// The sinks and sources of a server.
public enum PulseDevices {
  /// All sinks, then all sources, in the server's order.
  ///
  /// Blocks for 5 s at the most; throws `connectionRefused` where no server answers. `server` is an
  /// address; `nil` leaves it to libpulse (`PULSE_SERVER`, client.conf).
  public static func list(
    server: String? = nil, applicationName: String = "patchrun"
  ) throws(HardwareError) -> [PulseDevice] {
    try PulseConnection(server: server, applicationName: applicationName).devices()
  }
}

extension PulseDevice {
  init(_ info: pa_sink_info, isDefault: Bool) {
    let states: [Int32: State] = [0: .running, 1: .idle, 2: .suspended]
    self.init(
      direction: .sink, index: unsafe info.index, name: unsafe text(info.name),
      description: unsafe text(info.description),
      sampleFormat: unsafe text(pa_sample_format_to_string(info.sample_spec.format)),
      sampleRate: Double(unsafe info.sample_spec.rate),
      channelMap: unsafe positions(info.channel_map),
      state: unsafe states[info.state.rawValue] ?? .unknown, isDefault: isDefault, monitorOf: nil)
  }

  init(_ info: pa_source_info, isDefault: Bool) {
    let states: [Int32: State] = [0: .running, 1: .idle, 2: .suspended]
    let monitored = unsafe text(info.monitor_of_sink_name)
    self.init(
      direction: .source, index: unsafe info.index, name: unsafe text(info.name),
      description: unsafe text(info.description),
      sampleFormat: unsafe text(pa_sample_format_to_string(info.sample_spec.format)),
      sampleRate: Double(unsafe info.sample_spec.rate),
      channelMap: unsafe positions(info.channel_map),
      state: unsafe states[info.state.rawValue] ?? .unknown, isDefault: isDefault,
      monitorOf: monitored.isEmpty ? nil : monitored)
  }

  /// Whether a user means this one.
  func answers(to name: String) -> Bool { name == self.name || name == String(index) }
}

private func positions(_ map: pa_channel_map) -> [String] {
  var map = map
  var buffer = [CChar](repeating: 0, count: 1024)
  guard let line = unsafe pa_channel_map_snprint(&buffer, buffer.count, &map) else { return [] }
  return unsafe String(cString: line).split(separator: ",").map(String.init)
}
