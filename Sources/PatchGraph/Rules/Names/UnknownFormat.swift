public import AudioTypes

extension NameRules {
  /// A stream format that is named is defined.
  public static let unknownFormat = Rule(
    "PR0204", "name/stream-format",
    "a stream format that is named is defined",
    page: .init(
      "A stream format that is named is defined under \"streamFormats\".",
      because: "Without its definition the bus would have no format at all.",
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"streamFormat\": {", with: "\"streamFormats\": { \"stereo\": {"
        )
        .replacing("44100 },", with: "44100 } },\n  \"streamFormat\": \"stereo\","),
        wrong: ["\"streamFormat\": \"stereo\"": "\"streamFormat\": \"sterio\""])))
}
