public import AudioTypes

extension ImportRules {
  /// The files that an imported file names can be read.
  public static let file = Rule(
    "PR1007", "import/file",
    "the files that an imported file names can be read",
    page: .init(
      "A file that an imported one includes can be read.",
      because: """
        Filters of an equalizer may stand in a file of their own. Without them the chain would
        not be what its author heard. Only regular files are read, and no more than 100 of them
        within each other.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
