public import AudioTypes

extension UnitRules {
  /// An iPodEQ that is used has a preset that does something.
  public static let equalizerPreset = Rule(
    "PR0411", "equalizer/preset",
    "an iPodEQ that is used has a preset that does something",
    severity: .warning,
    silencedBy: [.unreadNode, .format],
    page: .init(
      "An iPod EQ has a preset that does something.",
      because: """
        Its preset is \"Disabled\" until another is chosen, number 0 of the list, and the sound goes
        through as it came. \"Flat\", which many expect there, is number 8. Write presets by name.
        """,
      example: .patch(ExamplePatches.equalizer, wrong: [", \"presentPreset\": \"Rock\"": ""])))
}
