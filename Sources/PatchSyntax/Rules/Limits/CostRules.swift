public import AudioTypes

/// The rules about what a patch may cost (`PatchLimits`), as far as its text decides. The graph has
/// the rule about memory.
public enum CostRules {
  /// All of them.
  public static let all: [Rule] = [
    buses,
    chain,
    updates,
    steps,
  ]
}
