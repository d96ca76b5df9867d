public import AudioTypes

extension NameRules {
  /// No callbacks pull one another in a circle.
  public static let callbackCircle = Rule(
    "PR0706", "callback/circle",
    "no callbacks pull one another in a circle",
    statuses: [.invalidConnection],
    page: .init(
      "Callbacks do not pull each other in a circle.",
      because: "Each would ask the next for ever. An `echo` feeds back by itself, after a delay.",
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.ringModulated.replacing(
          "\"kind\": \"tone\" }",
          with: "\"kind\": \"tone\" },\n    \"wave\": { \"kind\": \"tremolo\", \"from\": \"tone\" }"
        ).replacing("90, \"from\": \"tone\"", with: "90, \"from\": \"wave\""),
        wrong: [
          "\"tremolo\", \"from\": \"tone\"": "\"tremolo\", \"from\": \"ring\"",
          "\"tone\": { \"kind\": \"tone\" },\n    ": "",
        ])))
}
