import AudioTypes
import AudioUnits

/// A rule about one node of a graph. It is checked after all stream formats are settled, and may
/// use the connections and the rates around the node.
///
/// A line in `GraphRules.ofNodes` registers it: it is then checked, and listed with all other
/// rules.
protocol NodeRule: Sendable {
  static var rule: Rule { get }

  /// What is wrong with a node; `nil` for nothing.
  static func violation(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, in graph: SettledGraph
  ) -> Violation?
}

/// A graph whose stream formats are settled.
struct SettledGraph {
  let model: GraphModel
  /// The configuration of each node that takes part.
  let configurations: [NodeID: UnitConfiguration]
  let domains: RateDomains
  /// The nodes that the output unit pulls, itself included.
  let pulled: Set<NodeID>
  /// The length of the longest slice, in frames.
  let largestSlice: Int
  /// Whether the output unit is that of a device.
  let isIO: Bool
  /// Whether its microphone side is on, or is used although it is off.
  let isHearing: Bool

  /// Whether a node renders as many frames at once as the device asks for.
  func rendersWholeSlices(_ node: GraphModel.Node) -> Bool {
    pulled.contains(node.id) && domains.domain(of: node.id) == .main
  }
}
