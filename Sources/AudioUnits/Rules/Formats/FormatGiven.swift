public import AudioTypes

extension UnitRules {
  /// A bus whose stream format does not follow from anything else has an explicit one.
  public static let formatGiven = Rule(
    "PR0404", "format/given",
    "a bus whose stream format nothing else decides has been given one",
    statuses: [.formatNotSupported],
    silencedBy: [.unreadNode, .format, .defaultFormat],
    page: .init(
      "A bus whose format nothing else decides is given one, by itself or by the patch's "
        + "\"streamFormat\".",
      because: """
        These are the inputs that callbacks feed, the output of an iPod EQ, the output of a converter,
        and outputs/1 of an I/O unit that hears. A callback has no format of its own, and the guide
        demands that they are set. Most designs use one format throughout: say it once, for the
        patch.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "  \"streamFormat\": { \"sample\": \"float32\", \"channels\": 2, \"sampleRate\": 44100 },\n":
            ""
        ])))
}
