public import AudioTypes

extension UnitRules {
  /// A DynamicsProcessor has one input in Core Audio; a key is an addition.
  public static let keyInput = Rule(
    "PR0412", "dynamics/key",
    "a DynamicsProcessor has one input in Core Audio",
    severity: .note,
    silencedBy: [.unreadNode, .session, .format, .feeds],
    page: .init(
      "The DynamicsProcessor of Core Audio has one input, whose own level decides.",
      because: """
        With "inputCount": 2 the one here has a key: the level of input 1 decides about the gain of input \
        0, which is how music is lowered under a voice. No unit of Apple's has such an input, so that the \
        patch does not go over to an iPhone.
        """,
      example: .none("It is a note, and nothing is wrong with the patch here.")))
}
