public import AudioTypes

extension ImportRules {
  /// The files that an imported file names can be read.
  public static let file = Rule(
    "PR1007", "import/file",
    "the files that an imported file names can be read",
    page: .init(
      "A file that an imported one includes can be read.",
      because: """
        A file of filters may include others. Without them the chain would not sound as its author
        heard it. Only regular files are read, and includes may be nested 100 deep.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
