public import AudioTypes

extension NameRules {
  /// A sink and a source are named on the I/O unit that uses them.
  public static let deviceUnit = Rule(
    "PR0621", "device/unit",
    "a sink and a source are named on the I/O unit that uses them",
    page: .init(
      "\"device\" stands on the Remote I/O or the Voice-Processing I/O unit of a patch.",
      because: """
        Only these units have hardware. A Generic Output is rendered to a file, and the output unit of a
        sub-graph hands its sound on to the patch around it: there the device is named. Core Audio of iOS
        has one device for all; naming another is patchrun's, as is its way on the Mac.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"io\": { \"component\": \"remoteIO\" }",
          with: "\"io\": { \"component\": \"remoteIO\", \"device\": { \"sink\": \"usb\" } }"),
        wrong: [
          "\"component\": \"MultichannelMixer\",":
            "\"component\": \"MultichannelMixer\",\n      \"device\": { \"sink\": \"usb\" },"
        ])))
}
