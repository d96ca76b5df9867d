import ArgumentParser
import AudioTypes
import BackEnds
import PatchSyntax
import RenderHost

struct Devices: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "Lists the sinks and sources of the sound server.",
    discussion: """
      The name at the beginning of a line is the value of --sink and --source, and of "device" in \
      an I/O unit of a patch: { "sink": "NAME" }. In a patch it may also be a pattern, or patterns \
      for the properties that --json shows: { "sink": { "description": "*USB*" } }. '*' marks the \
      defaults.

      EXAMPLES:
        patchrun devices
        patchrun devices --json

      EXIT STATUS:
        0  they have been listed
        2  wrong usage
        3  no server answers

      ENVIRONMENT:
        PULSE_SERVER  the sound server, if it is not the default one
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let devices: [AudioDevice]
    do throws(HardwareError) { devices = try BackEndCatalog.standard.devices() } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
    try output(json ? Self.json(devices).document : Self.text(devices))
    return ExitStatus.success
  }

  static func text(_ devices: [AudioDevice]) -> String {
    var text = ""
    for direction in [AudioDevice.Direction.sink, .source] {
      let some = devices.filter { $0.direction == direction }
      text += "\(direction == .sink ? "Sinks" : "Sources"):\n"
      if some.isEmpty { text += "    none\n" }
      let width = some.map(\.name.count).max() ?? 0
      for device in some {
        let name = device.name + String(repeating: " ", count: width - device.name.count)
        text += "  \(device.isDefault ? "*" : " ") \(name)  "
        text += "\(counted(device.channelCount, "channel")), \(rateText(device.sampleRate)) Hz, "
        text += "\(device.sampleFormat), \(device.state.rawValue)  \(device.description)\n"
      }
    }
    return text
  }

  static func json(_ devices: [AudioDevice]) -> JSONText {
    func list(_ direction: AudioDevice.Direction) -> JSONText {
      .array(
        devices.filter { $0.direction == direction }.map { device in
          let members: JSONText = [
            "name": .string(device.name),
            "index": .number(device.index),
            "description": .string(device.description),
            "default": .boolean(device.isDefault),
            "state": .string(device.state.rawValue),
            "sampleFormat": .string(device.sampleFormat),
            "sampleRate": .number(device.sampleRate),
            "channels": .number(device.channelCount),
            "channelMap": .strings(device.channelMap),
            "properties": .object(
              device.properties.sorted { $0.key < $1.key }.map {
                .init($0.key, .string($0.value))
              }),
          ]
          guard let monitored = device.monitorOf else { return members }
          return members.adding(["monitorOf": .string(monitored)])
        })
    }
    return ["sinks": list(.sink), "sources": list(.source)]
  }
}
