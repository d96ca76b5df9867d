public import AudioTypes

extension ChangeRules {
  /// An operation is one that a JSON Patch has.
  public static let operation = Rule(
    "PR0901", "change/operation",
    "an operation is one of those of a JSON Patch",
    page: .init(
      "An operation is one of those of a JSON Patch (RFC 6902).",
      because: """
        They are add, remove, replace, move, copy and test. Each has a "path"; add, replace and test
        have a "value", move and copy a "from".
        """,
      example: .patch(ExamplePatches.updated, wrong: ["\"op\": \"replace\"": "\"op\": \"set\""])))
}
