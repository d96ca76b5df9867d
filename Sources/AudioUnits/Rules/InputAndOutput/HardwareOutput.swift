public import AudioTypes

extension UnitRules {
  /// An output element that is on has a device.
  public static let hardwareOutput = Rule(
    "PR0604", "io/hardware-output",
    "an output element that is on has a device to play on",
    statuses: [.invalidPropertyValue],
    page: .init(
      "An I/O unit that plays has a device to play on.",
      because: """
        Without one the hardware's rate is 0 Hz, and Remote I/O fails to initialize with -10851.
        `patchrun devices` lists the sinks. A Generic Output needs none: `patchrun render` pulls it.
        """,
      example: .patch(
        ExamplePatches.tone.replacing("remoteIO", with: "GenericOutput"),
        wrong: ["GenericOutput": "remoteIO"], hardware: "channels=0")))
}
