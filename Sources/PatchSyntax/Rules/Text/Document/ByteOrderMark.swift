public import AudioTypes

extension SyntaxRules {
  /// A document begins without a byte order mark.
  public static let byteOrderMark = Rule(
    "PR0003", "json/byte-order-mark",
    "a document begins without a byte order mark",
    severity: .warning,
    page: .init(
      "A patch begins with its first character, not with a byte order mark.",
      because: """
        Some editors put U+FEFF in front of UTF-8. RFC 8259 forbids it, and many other JSON readers
        refuse the file. patchrun reads it all the same.
        """,
      example: .patch(
        ExamplePatches.tone, wrongBytes: [0xEF, 0xBB, 0xBF] + Array(ExamplePatches.tone.utf8),
        shownAs: "\\uFEFF" + ExamplePatches.tone)))
}
