import CPulse
import Glibc
import RenderHost

/// libpulse's text for one of its error codes.
func pulseMessage(_ code: Int32) -> String {
  guard let text = unsafe pa_strerror(code) else { return "error \(code)" }
  return unsafe String(cString: text)
}

func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  let text = unsafe String(cString: value)
  return text.isEmpty ? nil : text
}

private let renderInstead =
  "'patchrun render FILE -o OUT.wav' renders to a file instead, without a server"

extension HardwareError {
  /// - Parameter reason: The message of the loader.
  static func noLibrary(_ reason: String) -> HardwareError {
    HardwareError(
      .systemError, "libpulse cannot be loaded (\(reason))",
      help: "install it (Debian: libpulse0); " + renderInstead)
  }

  static func noServer(_ code: pa_error_code_t, address: String?) -> HardwareError {
    let place = (address ?? environment("PULSE_SERVER")).map { " at '\($0)'" } ?? ""
    let reason = pulseMessage(Int32(bitPattern: code.rawValue))
    if code == PA_ERR_ACCESS || code == PA_ERR_AUTHKEY {
      return HardwareError(
        .connectionRefused, "the sound server\(place) does not let this user in (\(reason))",
        help: "run as the user whose server it is, or give that user's cookie in PULSE_COOKIE; "
          + renderInstead)
    }
    return HardwareError(
      .connectionRefused, "no sound server answers\(place) (\(reason))",
      help: "start one with 'pulseaudio --start', or 'systemctl --user start pipewire-pulse' where "
        + "PipeWire is the server; " + renderInstead)
  }

  static func noDevice(_ direction: AudioDevice.Direction) -> HardwareError {
    HardwareError(
      .noDevice, "the sound server has no \(direction.rawValue)",
      help: direction == .sink
        ? "connect a loudspeaker, or add a sink that plays nothing with "
          + "'pactl load-module module-null-sink'; " + renderInstead
        : "connect a microphone, or load a source with 'pactl load-module'")
  }

  static func dummySinkOnly() -> HardwareError {
    HardwareError(
      .noDevice, "the sound server has no sink but its dummy, which nobody hears",
      help: "connect a loudspeaker; '--sink \(AudioDevice.dummySinkName)' plays on the dummy; "
        + renderInstead)
  }

  static func monitorOnly(_ monitor: AudioDevice) -> HardwareError {
    HardwareError(
      .noDevice,
      "the sound server has no source but '\(monitor.name)', which hears what the patch plays",
      help: "connect a microphone, or ask for the feedback with '--source \(monitor.name)'")
  }

  static func noSuchDevice(
    _ selector: DeviceSelector, _ direction: AudioDevice.Direction, among devices: [AudioDevice]
  ) -> HardwareError {
    let some = devices.filter { $0.direction == direction }
    let values = some.map { device in
      selector.patterns.keys.sorted().map { device.property($0).map { "'\($0)'" } ?? "none" }
        .joined(separator: ", ")
    }
    let looked = selector.patterns.keys.sorted().joined(separator: ", ")
    let known = "\(looked) of those there are: \(values.joined(separator: "; ")); "
    return HardwareError(
      .noSuchDevice, "there is no \(direction.rawValue) \(selector.summary)",
      help: (values.isEmpty ? "" : known)
        + "'patchrun devices --json' lists them with all that they have")
  }

  static func noSuchDevice(
    _ name: String?, _ direction: AudioDevice.Direction, among devices: [AudioDevice]
  ) -> HardwareError {
    let word = direction.rawValue
    let names = devices.filter { $0.direction == direction }.map(\.name)
    var help = "there \(names.count == 1 ? "is" : "are") "
    help += names.map { "'\($0)'" }.joined(separator: ", ")
    if let name, let near = nearMiss(name, among: names) {
      help = "did you mean '\(near)'? " + help
    }
    return HardwareError(
      .noSuchDevice,
      name.map { "there is no \(word) '\($0)'" } ?? "the default \(word) is not there",
      help: help + "; 'patchrun devices' lists them")
  }

  static func lost(
    _ direction: AudioDevice.Direction, _ name: String, _ what: String
  ) -> HardwareError {
    HardwareError(
      .deviceLost, "the \(direction.rawValue) '\(name)' \(what)",
      help: "'patchrun devices' lists what is there now")
  }

  static func connectionLost(_ reason: String) -> HardwareError {
    HardwareError(
      .connectionLost, "the sound server went away (\(reason))",
      help: "look at the server's log; 'pulseaudio --start' starts it again")
  }
}

/// The name that was probably meant: one that differs from `name` in at most a third of its
/// characters, or the only one that begins with `name`; `nil` for none.
func nearMiss(_ name: String, among names: [String]) -> String? {
  let best = names.map { ($0, editDistance(Array(name.utf8), Array($0.utf8))) }
    .min { $0.1 < $1.1 }
  if let best, best.1 <= max(1, name.utf8.count / 3) { return best.0 }
  let longer = names.filter { !name.isEmpty && $0.hasPrefix(name) }
  return longer.count == 1 ? longer[0] : nil
}

/// The number of insertions, deletions and substitutions (Wagner and Fischer 1974).
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var row = Array(0...right.count)
  for (i, a) in left.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, b) in right.enumerated() {
      let change = diagonal + (a == b ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(change, diagonal + 1, row[j] + 1)
    }
  }
  return row[right.count]
}
