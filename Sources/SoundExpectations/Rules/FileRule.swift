public import AudioTypes

extension ExpectationRules {
  public static let file = Rule(
    "PR1101", "test/file",
    "a test file names a patch that can be read",
    page: .init(
      "A test file names the patch that it tests, and the patch can be read and initialized.",
      because: """
        The path is relative to the test file. Where the patch is wrong, what is wrong
        with it is said by `patchrun validate`; a test that expects findings says so
        with `diagnostics`.
        """,
      example: .test(
        right: ExamplePatches.expectation("{ \"notSilent\": true }"),
        wrong: ExamplePatches.expectation("{ \"notSilent\": true }").replacing(
          "tone.json", with: "tune.json"))))
}
