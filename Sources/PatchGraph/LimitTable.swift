import AudioGraphs
public import AudioTypes
public import PatchSyntax

extension PatchLimits.Limit {
  /// The rule that a patch breaks when it exceeds the limit.
  public var rule: Rule {
    switch self {
    case .bytes: SyntaxRules.bytes
    case .nodes: PatchRules.nodes
    case .buses: CostRules.buses
    case .callbacks: CostRules.chain
    case .updates: CostRules.updates
    case .steps: CostRules.steps
    case .seconds: MemoryFits.response
    case .memory: MemoryFits.rule
    }
  }
}

extension PatchLimits {
  /// The limits, for the help of `--limit` and for the documentation: name, default, code, and what
  /// it counts.
  public static let table: [(name: String, standard: String, code: String, summary: String)] =
    Limit.allCases.map {
      ($0.rawValue, $0.text($0.standard), $0.rule.code.rawValue, $0.summary)
    }
}
