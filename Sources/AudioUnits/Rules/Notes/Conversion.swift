public import AudioTypes

extension UnitRules {
  /// A note on what a FormatConverter converts.
  public static let conversion = Rule(
    "PR0424", "format/conversion",
    "a FormatConverter says what it converts",
    severity: .note,
    silencedBy: [.unreadNode, .format],
    page: .init(
      "A Format Converter says what it converts, to whom asks for notes.",
      because: """
        What one asks for is no mistake: `patchrun validate --notes` says where rates, sample types and
        channels change, and where a converter has nothing to do. A conversion that nobody asked for,
        inside an I/O unit, is a warning (PR0608).
        """,
      example: .none("A note is no mistake: there is nothing to put right.")))
}
