public import AudioTypes

extension SyntaxRules {
  /// A document is smaller than 2 GiB.
  public static let size = Rule(
    "PR0024", "json/size",
    "a document is smaller than 2 GiB",
    page: .init(
      "A document is smaller than 2 GiB.",
      because:
        "Places in the text are counted in 32 bits. The sounds of a patch are files of their own.",
      example: .none("A patch of 2 GiB is too long for a page.")))
}
