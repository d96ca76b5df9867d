public import AudioTypes

extension UnitRules {
  /// An input element that is on has a device.
  public static let hardwareInput = Rule(
    "PR0603", "io/hardware-input",
    "an input element that is on has a device to hear with",
    statuses: [.invalidPropertyValue],
    page: .init(
      "An I/O unit that hears has a device to hear with.",
      because: """
        Without one the hardware's rate is 0 Hz, and Remote I/O fails to initialize with -10851. The
        session knows beforehand (inputIsAvailable); `patchrun devices` lists the sources.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{ \"io\": { \"component\": \"remoteIO\" } }",
          with: """
            {
                "io": {
                  "component": "remoteIO",
                  "inputs": { "1": { "properties": { "enableIO": false } } }
                }
              }
            """),
        wrong: ["\"enableIO\": false": "\"enableIO\": true"], hardware: "inputChannels=0")))
}
