import CPulse
import RenderHost

extension AudioDevice {
  init(_ info: pa_sink_info, isDefault: Bool) {
    let states: [Int32: State] = [0: .running, 1: .idle, 2: .suspended]
    self.init(
      direction: .sink, index: unsafe info.index, name: unsafe text(info.name),
      description: unsafe text(info.description),
      sampleFormat: unsafe text(pa_sample_format_to_string(info.sample_spec.format)),
      sampleRate: Double(unsafe info.sample_spec.rate),
      channelMap: unsafe positions(info.channel_map),
      state: unsafe states[info.state.rawValue] ?? .unknown, isDefault: isDefault, monitorOf: nil,
      properties: unsafe texts(info.proplist, driver: text(info.driver)))
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
      monitorOf: monitored.isEmpty ? nil : monitored,
      properties: unsafe texts(info.proplist, driver: text(info.driver)))
  }

  /// Whether it is the dummy sink that a server makes where it has no other, or its monitor: nobody
  /// hears what is played on it.
  var isDummySink: Bool { (direction == .sink ? name : monitorOf) == Self.dummySinkName }

  /// The name of the dummy sink of PulseAudio's `module-always-sink` and of PipeWire.
  static let dummySinkName = "auto_null"

  /// Whether a name in a request, or an index, means this device.
  func answers(to name: String) -> Bool { name == self.name || name == String(index) }
}

/// All properties that are texts.
private func texts(_ list: OpaquePointer?, driver: String) -> [String: String] {
  var properties = ["driver": driver]
  var state: UnsafeMutableRawPointer?
  while let key = unsafe pa_proplist_iterate(list, &state) {
    if let value = unsafe pa_proplist_gets(list, key) {
      unsafe properties[text(key)] = unsafe text(value)
    }
  }
  return properties
}

private func positions(_ map: pa_channel_map) -> [String] {
  var map = map
  var buffer = [CChar](repeating: 0, count: 1024)
  guard let line = unsafe pa_channel_map_snprint(&buffer, buffer.count, &map) else { return [] }
  return unsafe String(cString: line).split(separator: ",").map(String.init)
}
