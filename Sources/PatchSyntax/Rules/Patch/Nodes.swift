public import AudioTypes

extension PatchRules {
  /// A patch has no more nodes, callbacks and taps than the limit allows.
  public static let nodes = Rule(
    "PR0226", "limit/nodes",
    "a patch has no more nodes, callbacks and taps than the limit allows",
    page: .init(
      "A patch has no more nodes, callbacks and taps than the limit, with those of its sub-graphs: 25000.",
      because: """
        Each takes memory and time to be made. Sub-graphs that name others twice, and these others
        twice again, become a thousand in ten steps: they are counted while they are read, and reading
        ends where there are too many. `--limit nodes=100000` allows more.
        """,
      example: .none("25,000 nodes are too long for a page.")))
}
