public import AudioTypes

extension CostRules {
  /// A chain has no more callbacks than the limit allows.
  public static let chain = Rule(
    "PR0228", "limit/callbacks",
    "a chain has no more callbacks than the limit allows",
    page: .init(
      "A chain has no more callbacks than the limit: 256.",
      because: """
        A callback that pulls another one makes a chain with it, and each that feeds an input has all of
        its chain made for that input. `--limit callbacks=1000` allows longer chains.
        """,
      example: .none("A chain of 257 callbacks is too long for a page.")))
}
