public import AudioTypes

extension PatchRules {
  /// Objects have no keys but those that are defined.
  public static let unknownKey = Rule(
    "PR0102", "patch/unknown-key",
    "objects have no keys but those that are defined",
    page: .init(
      "An object has only keys that are defined, and a \"comment\".",
      because: """
        A key that nobody reads is mostly a spelling mistake, and its setting silently does not hold.
        That is why it is an error and not a warning.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["\"properties\"": "\"propertys\""])))
}
