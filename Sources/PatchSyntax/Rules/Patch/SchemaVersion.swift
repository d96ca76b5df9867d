public import AudioTypes

extension PatchRules {
  /// The schema version is 1.
  public static let schemaVersion = Rule(
    "PR0104", "patch/schema-version",
    "the schema version is 1",
    page: .init(
      "\"schemaVersion\" is 1, where it is given.",
      because: """
        It says which edition of the format the patch was written for. A greater one may mean things
        that this program does not know, and would run wrongly.
        """,
      example: .patch(
        ExamplePatches.tone.replacing("{\n  \"str", with: "{\n  \"schemaVersion\": 1,\n  \"str"),
        wrong: ["\"schemaVersion\": 1": "\"schemaVersion\": 2"])))
}
