import AudioTypes
public import AudioUnits
import Synchronization

/// A graph as it was last initialized or updated, readable while another thread changes it.
public struct PlayingGraph: Sendable {
  /// A node with its unit.
  public struct Node: Sendable {
    /// The node's number.
    public let id: NodeID
    public let name: String
    /// The unit that renders it.
    public let unit: UnitInstance
  }

  private let model: GraphModel

  init(_ model: GraphModel) { self.model = model }

  /// The nodes in the order of addition.
  public var nodes: [Node] {
    model.nodes.compactMap { node in
      node.instance.map { Node(id: node.id, name: node.name, unit: $0) }
    }
  }

  /// The unit of a node; `nil` for one that does not play.
  public func unit(_ node: NodeID) -> UnitInstance? { model.node(node)?.instance }

  /// The ramps of its timeline.
  public var ramps: [ParameterRamp] { model.ramps }
}

extension AudioGraph {
  /// The graph that plays, or played last; before `initialize()`, the graph as it has been edited.
  /// After `initialize()` the call does not wait for a thread that changes the graph. Any thread.
  public var playing: PlayingGraph {
    PlayingGraph(present.withLock { $0.model } ?? state.withLock { $0.model })
  }
}
