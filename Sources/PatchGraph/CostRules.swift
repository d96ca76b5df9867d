import AudioGraphs
import Diagnostics
import PatchSyntax

/// What a patch may cost: see `PatchLimits`. The limits of the text are with the rules of the text, and that
/// of the memory is a rule of the graph.
enum CostRules {
  static let buses = RuleInfo(
    "PR0227", "limit/buses", "the nodes of a patch have no more inputs than the limit allows")
  static let chain = RuleInfo(
    "PR0228", "limit/callbacks", "a chain has no more callbacks than the limit allows")
  static let updates = RuleInfo(
    "PR0229", "limit/updates", "the updates of a timeline make no more text than the limit allows")

  static let all = [buses, chain, updates]
}
