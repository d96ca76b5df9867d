import AudioTypes
import AudioUnits

/// What one preparation leaves for the next: the nodes about which there was nothing to say, so that
/// those are not looked at again which are set, fed and pulled as they were.
///
/// Units with sides to a device, and what they feed, are looked at each time.
struct SettledNodes: Sendable {
  final class Node: Sendable {
    /// The unit, and what was set on it.
    let unit: (serial: Int, version: Int)
    /// What fed it.
    let feedVersion: Int
    /// The outputs that it took from, and what they carried.
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
  }

  /// Of the graph: another one makes all of them doubtful.
  var defaultFormat: StreamFormat?
  var nodes: [NodeID: Node] = [:]
}
