public import AudioTypes

extension NameRules {
  /// Each tap writes a file of its own.
  public static let recordingsApart = Rule(
    "PR0703", "tap/files-apart",
    "what a tap writes has a file of its own",
    page: .init(
      "What a tap writes, a recording or a picture, has a file of its own.",
      because: "Two that write to one file would overwrite each other, and neither could be used.",
      example: .patch(
        ExamplePatches.tapped.replacing(
          "\"taps\": { \"mix\"",
          with:
            "\"taps\": {\n    \"again\": { \"kind\": \"record\", \"at\": \"mixer\", \"path\": \"again.wav\" },\n    \"mix\""
        )
        .replacing("\"mix.wav\" } }", with: "\"mix.wav\" }\n  }"),
        wrong: ["again.wav": "mix.wav"])))
}
