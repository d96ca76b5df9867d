public import AudioTypes

extension NameRules {
  /// A device is named by patterns that are not empty, of properties that devices have.
  public static let devicePattern = Rule(
    "PR0622", "device/pattern",
    "a device is named by a pattern that can be looked for",
    page: .init(
      "A sink or a source is named by patterns that are not empty, of properties that devices have.",
      because: """
        A text is the name that `patchrun devices` shows, or a pattern of it: '*' stands for any
        characters, '?' for one. An object has patterns of several properties, all of which have to hold:
        name, description, driver, bus, or any that the sound server tells, such as "device.bus_path".
        Where several devices are like the patterns the server's default is taken, or else the first.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{ \"component\": \"remoteIO\" }",
          with: "{ \"component\": \"remoteIO\", \"device\": "
            + "{ \"sink\": { \"description\": \"*USB*\" } } }"),
        wrong: ["\"description\"": "\"descripton\""])))
}
