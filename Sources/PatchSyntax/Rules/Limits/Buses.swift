public import AudioTypes

extension CostRules {
  /// The nodes of a patch have no more inputs and outputs than the limit allows.
  public static let buses = Rule(
    "PR0227", "limit/buses",
    "the nodes of a patch have no more inputs and outputs than the limit allows",
    page: .init(
      """
      The \"inputCount\" and the \"outputCount\" of all nodes add up to no more than the limit: 65536.
      """,
      because: """
        Each input of a mixer has its parameters, its meters and its buffers, whether something feeds it
        or not, and a number in the patch makes a thousand of them. `--limit buses=200000` allows more.
        """,
      example: .none("It takes more than 64 mixers of 1024 inputs.")))
}
