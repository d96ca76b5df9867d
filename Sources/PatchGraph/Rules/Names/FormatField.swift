public import AudioTypes

extension NameRules {
  /// The fields of a stream format have names and numbers that exist.
  public static let formatField = Rule(
    "PR0214", "format/field",
    "the fields of a stream format have names and numbers that exist",
    statuses: [.formatNotSupported, .invalidAudioUnit],
    page: .init(
      "The fields of an AudioStreamBasicDescription, and a component's flags, are names and "
        + "numbers that exist.",
      because: """
        Core Audio compares the flags bit for bit. One that is unknown, or too large for its field,
        makes a format that no unit takes.
        """,
      statusNote: """
        Core Audio documents no status for codes of a component that are none; -10864 is patchrun's choice.
        """,
      example: .patch(
        ExamplePatches.described,
        wrong: ["\"kAudioFormatFlagIsPacked\"": "\"kAudioFormatFlagPacked\""])))
}
