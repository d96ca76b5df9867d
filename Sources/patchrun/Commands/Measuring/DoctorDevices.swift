import Diagnostics
import RenderHost

/// The sinks and sources of a sound server by the names that `--sink` and `--source` give.
struct DoctorDevices {
  let server: SoundServer

  /// The device of a name or an index, or the default one for `nil`; `nil` where there is none.
  func device(_ direction: AudioDevice.Direction, _ name: String?) -> AudioDevice? {
    let some = server.devices.filter { $0.direction == direction }
    guard let name else { return some.first { $0.isDefault } }
    // Names that the server replaces (PulseAudio's `namereg.c`).
    switch (direction, name) {
    case (.sink, "@DEFAULT_SINK@"), (.source, "@DEFAULT_SOURCE@"):
      return some.first { $0.isDefault }
    case (.source, "@DEFAULT_MONITOR@"):
      return device(.sink, nil).flatMap { sink in some.first { $0.monitorOf == sink.name } }
    default: return some.first { $0.name == name || String($0.index) == name }
    }
  }

  /// What is said of a device that is not there: of a name that no device has, and of a missing
  /// default sink. `nil` for a device that is there, or is not needed.
  func complaint(_ direction: AudioDevice.Direction, _ name: String?) -> DoctorFinding? {
    guard device(direction, name) == nil, name != nil || direction == .sink else { return nil }
    let word = direction.rawValue
    let names = server.devices.filter { $0.direction == direction }.map(\.name)
    let known =
      "there \(names.count == 1 ? "is" : "are") \(names.map(quoted).joined(separator: ", ")); "
      + "'patchrun devices' lists them"
    guard !names.isEmpty else {
      return .init(
        topic: word, state: .warning, found: "the server has no \(word)",
        cure: "'pactl load-module module-null-sink' adds a sink that plays nothing, and its monitor"
      )
    }
    guard let name else {
      return .init(
        topic: word, state: .warning, found: "the server has no default \(word)",
        cure: "name one with --\(word): \(known)")
    }
    let near = didYouMean(name, among: names).map { $0 + " " } ?? ""
    return .init(
      topic: word, state: .warning, found: "there is no \(word) \(quoted(name))",
      cure: near + known)
  }

  /// What is said of names where no server can be asked for them.
  static func unchecked(sink: String?, source: String?) -> [DoctorFinding] {
    let named: [(direction: AudioDevice.Direction, name: String?)] = [
      (.sink, sink), (.source, source),
    ]
    return named.compactMap { direction, name in
      guard let name else { return nil }
      return DoctorFinding(
        topic: direction.rawValue, state: .note,
        found: "\(quoted(name)) cannot be checked: no sound server answers")
    }
  }
}
