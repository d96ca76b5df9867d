public import AudioTypes

extension NameRules {
  /// A device is named for a side that is on.
  public static let deviceSide = Rule(
    "PR0623", "device/side", "a device is named for a side that is on", severity: .warning,
    page: .init(
      "A source is named where the microphone side is on, a sink where the loudspeaker side is.",
      because: """
        What is off opens no device. At first the loudspeaker side is on and the microphone side is not:
        enableIO turns it on, as kAudioOutputUnitProperty_EnableIO does.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{ \"component\": \"remoteIO\" }",
          with: "{ \"component\": \"remoteIO\", \"device\": { \"sink\": \"usb\" } }"),
        wrong: ["\"sink\"": "\"source\""])))
}
