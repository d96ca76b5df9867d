public import AudioTypes

extension ImportRules {
  /// A patch that is exported as a list of filters is a chain of them.
  public static let exportedChain = Rule(
    "PR1010", "export/chain",
    "a patch that is exported as a list of filters is a chain of them",
    page: .init(
      "A patch that is exported as a list of filters has NBandEQs between its source and its output.",
      because: """
        Equalizer APO's and AutoEq's files are lists of filters that one sound goes through, one after the
        other. What mixes, converts or plays something else has no line in them, nor have filters whose type
        they do not know.
        """,
      example: .none("It is found where a patch is exported, and the patch is right by itself.")))
}
