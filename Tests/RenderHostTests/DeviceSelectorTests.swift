import RenderHost
import Testing

@Suite struct DeviceSelectorTests {
  private static func device(
    _ name: String, _ description: String, isDefault: Bool = false, monitorOf: String? = nil,
    properties: [String: String] = [:], direction: AudioDevice.Direction = .sink
  ) -> AudioDevice {
    AudioDevice(
      direction: direction, index: 0, name: name, description: description, sampleFormat: "s16le",
      sampleRate: 48_000, channelMap: ["mono"], state: .idle, isDefault: isDefault,
      monitorOf: monitorOf, properties: properties)
  }

  private let devices = [
    device("alsa_output.pci", "Built-in Audio", isDefault: true, properties: ["device.bus": "pci"]),
    device("alsa_output.usb-1", "Scarlett 2i2 USB", properties: ["device.bus": "usb"]),
    device("alsa_output.usb-2", "Dock USB", properties: ["device.bus": "usb", "driver": "alsa"]),
    device("alsa_output.usb-1.monitor", "Monitor", monitorOf: "alsa_output.usb-1", direction: .source),
    device("alsa_input.usb-1", "Scarlett 2i2 USB", direction: .source),
  ]

  @Test(arguments: [
    (["name": "alsa_output.usb-1"], "alsa_output.usb-1"),
    (["name": "*usb-?"], "alsa_output.usb-1"),
    (["name": "*"], "alsa_output.pci"),
    (["description": "*Scarlett*"], "alsa_output.usb-1"),
    (["description": "*scarlett*"], nil),
    (["bus": "usb", "driver": "a*a"], "alsa_output.usb-2"),
    (["device.bus": "usb", "description": "Dock*"], "alsa_output.usb-2"),
    (["device.serial": "*"], nil),
    (["name": "usb-1"], nil),
    (["name": "**o*t?ut.*i"], "alsa_output.pci"),
    (["name": "alsa_output.usb-1?"], nil),
  ] as [([String: String], String?)])
  func `a device is found by patterns, all of which hold`(
    patterns: [String: String], expected: String?
  ) {
    let selector = DeviceSelector(patterns: patterns)
    #expect(selector.device(.sink, among: devices)?.name == expected)
  }

  @Test
  func `what hears a sink comes last`() {
    let selector = DeviceSelector(name: "alsa_*put.usb-1*")
    #expect(selector.device(.source, among: devices)?.name == "alsa_input.usb-1")
    #expect(
      DeviceSelector(name: "*monitor").device(.source, among: devices)?.monitorOf
        == "alsa_output.usb-1")
  }

  @Test
  func `patterns that could go on for ever do not`() {
    let name = String(repeating: "a", count: 2000)
    let pattern = String(repeating: "*a", count: 500) + "b"
    let device = Self.device(name, "")
    #expect(!DeviceSelector(name: pattern).matches(device))
  }

  @Test
  func `it says what it looks for`() {
    #expect(DeviceSelector(name: "usb").summary == "'usb'")
    #expect(DeviceSelector(name: "usb").exactName == "usb")
    #expect(DeviceSelector(name: "usb*").summary == "whose name is like 'usb*'")
    #expect(
      DeviceSelector(patterns: ["bus": "usb", "description": "?"]).summary
        == "whose bus is like 'usb' and description is like '?'")
  }
}
