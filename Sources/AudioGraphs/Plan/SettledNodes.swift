import AudioTypes
import AudioUnits

/// The nodes without violations in one preparation. The next one can skip those whose settings and
/// feeds are unchanged, and that are pulled as before.
///
/// Units with sides to a device, and the nodes they feed, are checked each time.
struct SettledNodes: Sendable {
  struct Node: Sendable {
    /// The serial of the unit, and the version of its settings.
    let unit: (serial: Int, version: Int)
    /// The version of its feeds.
    let feedVersion: Int
    let isPulled: Bool
    let configuration: UnitConfiguration
    private let rare: Rare?

    /// What few nodes have, in an object of its own: a graph may have very many nodes.
    private final class Rare: Sendable {
      let sources: [(output: BusKey, format: StreamFormat)]
      let defaultFormat: StreamFormat?

      init(_ sources: [(output: BusKey, format: StreamFormat)], _ defaultFormat: StreamFormat?) {
        self.sources = sources
        self.defaultFormat = defaultFormat
      }
    }

    /// The outputs that callbacks pulled for it, and their formats. Those of connections are in the
    /// configuration.
    var sources: [(output: BusKey, format: StreamFormat)] { rare?.sources ?? [] }
    var defaultFormat: StreamFormat? { rare?.defaultFormat }

    init(
      unit: (serial: Int, version: Int), feedVersion: Int,
      sources: [(output: BusKey, format: StreamFormat)], isPulled: Bool,
      defaultFormat: StreamFormat?, configuration: UnitConfiguration
    ) {
      self.unit = unit
      self.feedVersion = feedVersion
      self.isPulled = isPulled
      self.configuration = configuration
      rare = sources.isEmpty && defaultFormat == nil ? nil : Rare(sources, defaultFormat)
    }

    /// Whether all outputs that it takes have the formats that they had.
    func hasSameSources(in configurations: [NodeID: UnitConfiguration]) -> Bool {
      func has(_ node: NodeID, _ output: Int, _ format: StreamFormat) -> Bool {
        guard let outputs = configurations[node]?.outputs, outputs.indices.contains(output) else {
          return false
        }
        return outputs[output].format == format
      }
      for input in configuration.inputs where input.use == .connection {
        guard case .propagated(let node, let output) = input.origin else { continue }
        if !has(node, output, input.format) { return false }
      }
      return sources.allSatisfy { has($0.output.node, $0.output.bus, $0.format) }
    }
  }

  /// The graph's default format. Another one invalidates all nodes.
  var defaultFormat: StreamFormat?
  var nodes: [NodeID: Node] = [:]
}
