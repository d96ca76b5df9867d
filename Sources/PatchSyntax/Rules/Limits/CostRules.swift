public import AudioTypes

/// The rules about the limits of a patch (`PatchLimits`) that its text alone decides. The rule
/// about memory is with the graph.
public enum CostRules {
  /// All rules in this group.
  public static let all: [Rule] = [
    buses,
    chain,
    updates,
    steps,
  ]
}
