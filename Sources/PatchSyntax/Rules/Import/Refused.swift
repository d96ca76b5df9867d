public import AudioTypes

extension ImportRules {
  /// An imported file is one that its own program takes.
  public static let refused = Rule(
    "PR1005", "import/refused",
    "the original program accepts the imported file",
    page: .init(
      "A file that the original program refuses is refused here too.",
      because: """
        CamillaDSP refuses a document with an unknown key, and PipeWire one with unbalanced brackets:
        then no filter works. A patch made from a part of the file would be a guess.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
