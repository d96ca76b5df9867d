public import AudioTypes

/// What a patch may cost (`PatchLimits`), as far as its text says. That of the memory is a rule of the graph.
public enum CostRules {
  /// All of them.
  public static let all: [Rule] = [
    buses,
    chain,
    updates,
    steps,
  ]
}
