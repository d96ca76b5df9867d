import AudioTypes
import AudioUnits

/// The nodes without violations in one preparation. The next one can skip those whose settings and
/// feeds are unchanged, and that are pulled as before.
///
/// Units with sides to a device, and the nodes they feed, are checked each time.
struct SettledNodes: Sendable {
  final class Node: Sendable {
    /// The serial of the unit, and the version of its settings.
    let unit: (serial: Int, version: Int)
    /// The version of its feeds.
    let feedVersion: Int
    /// The outputs that callbacks pulled for it, and their formats. Those of connections are in the
    /// configuration.
    let sources: [(output: BusKey, format: StreamFormat)]
    let isPulled: Bool
    let defaultFormat: StreamFormat?
    let configuration: UnitConfiguration

    init(
      unit: (serial: Int, version: Int), feedVersion: Int,
      sources: [(output: BusKey, format: StreamFormat)], isPulled: Bool,
      defaultFormat: StreamFormat?, configuration: UnitConfiguration
    ) {
      self.unit = unit
      self.feedVersion = feedVersion
      self.sources = sources
      self.isPulled = isPulled
      self.defaultFormat = defaultFormat
      self.configuration = configuration
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
