import AudioTypes
public import AudioUnits
import Synchronization

/// A graph as it was initialized or updated last: to look at while another thread changes it.
public struct PlayingGraph: Sendable {
  /// A node of it, with its unit.
  public struct Node: Sendable {
    /// The node's number.
    public let id: NodeID
    public let name: String
    /// What renders it.
    public let unit: UnitInstance
  }

  private let model: GraphModel

  init(_ model: GraphModel) { self.model = model }

  /// In the order of addition.
  public var nodes: [Node] {
    model.nodes.compactMap { node in
      node.instance.map { Node(id: node.id, name: node.name, unit: $0) }
    }
  }

  /// The unit of a node; `nil` for one that does not play.
  public func unit(_ node: NodeID) -> UnitInstance? { model.node(node)?.instance }

  /// The ramps of its timeline.
  public var ramps: [ParameterRamp] { model.ramps }

  var taps: [GraphModel.Tap] { model.taps }
}

extension AudioGraph {
  /// What plays, or did last; before `initialize()`, what there is. Where something plays nobody who
  /// changes the graph is waited for. Any thread.
  public var playing: PlayingGraph {
    PlayingGraph(present.withLock { $0.model } ?? state.withLock { $0.model })
  }
}
