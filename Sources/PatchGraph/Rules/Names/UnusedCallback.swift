public import AudioTypes

extension NameRules {
  /// A callback that is defined feeds something.
  public static let unusedCallback = Rule(
    "PR0205", "name/callback-used",
    "a callback that is defined feeds something",
    severity: .warning,
    page: .init(
      "A callback that is defined feeds a bus, or is pulled by one that does.",
      because: """
        It is never called, so it is not heard. Mostly its connection was forgotten.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "\"callbacks\": { ": "\"callbacks\": { \"hum\": { \"kind\": \"noise\" }, "
        ])))
}
