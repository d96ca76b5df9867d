public import AudioTypes

extension ImportRules {
  /// An imported file is one that its own program takes.
  public static let refused = Rule(
    "PR1005", "import/refused",
    "an imported file is one that its own program takes",
    page: .init(
      "A file that its own program would refuse is refused here.",
      because: """
        CamillaDSP refuses a document with a key that it does not know, and PipeWire one whose
        brackets do not match: nothing of it is heard. A patch made from a part of it would be a
        guess.
        """,
      example: .none("It is found in files of other programs, not in patches.")))
}
