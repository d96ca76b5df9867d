public import AudioTypes

extension ImportRules {
  /// An imported file is no larger than the limits allow.
  public static let size = Rule(
    "PR1009", "import/size",
    "an imported file is no larger than the limits allow",
    page: .init(
      """
      An imported file, with those it includes, has up to 4 MiB, values up to 64 deep, and up to
      4,096 filters.
      """,
      because: """
        The files of equalizers have a few kilobytes. A file a thousand times as large is a mistake, or an
        attempt to use up memory and time.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
