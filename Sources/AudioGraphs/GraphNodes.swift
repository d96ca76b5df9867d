public import AudioTypes
public import AudioUnits
import Synchronization

/// The nodes of a graph.
extension AudioGraph {
  /// Adds a node. In an open graph its unit is made at once; it is initialized when it first takes
  /// part in an interaction.
  ///
  /// - Parameter name: Its name in diagnostics and listings.
  /// - Throws: `kAUGraphErr_OutputNodeErr` for a second output unit, `kAUGraphErr_InvalidAudioUnit`
  ///   where not exactly one component matches the description.
  @discardableResult
  public func addNode(
    _ description: ComponentDescription, name: String? = nil
  ) throws(Violation) -> NodeID {
    try addNode(of: ComponentsFound.find(description, in: catalog), name: name).id
  }

  /// Adds a node of a given unit.
  ///
  /// - Parameter inputCount: The initial number of inputs, where the unit may have as many; `nil`
  ///   for the unit's default.
  /// - Returns: The node and, in an open graph, its unit.
  /// - Throws: `kAUGraphErr_OutputNodeErr` for a second output unit.
  package func addNode(
    of unit: any AudioUnit.Type, name: String?, inputCount: Int? = nil
  ) throws(Violation) -> (id: NodeID, unit: UnitInstance?) {
    try state.withLock { state throws(Violation) in
      try OneOutputUnit.check(unit, in: state.model)
      let instance = state.isOpen ? makeInstance(unit, inputCount: inputCount) : nil
      return (state.model.add(unit, name: name, instance: instance), instance)
    }
  }

  /// Reserves room for nodes and for feeds of their inputs.
  package func reserveCapacity(nodes count: Int, feeds feedCount: Int) {
    state.withLock { $0.model.reserveCapacity(nodes: count, feeds: feedCount) }
  }

  /// Adds the output unit of a sub-graph: a Generic Output that passes its input on to another
  /// node, in the format of its output element, instead of ending the graph.
  ///
  /// - Parameter name: Its name in diagnostics and listings.
  @discardableResult
  public func addSubgraphOutput(name: String? = nil) -> NodeID {
    state.withLock { state in
      state.model.add(
        SubgraphOutput.self, name: name,
        instance: state.isOpen ? makeInstance(SubgraphOutput.self) : nil)
    }
  }

  /// Adds a node whose unit is a copy of `unit` with all its settings, formats included.
  ///
  /// - Parameter streamFormat: The node's default format, as in `setDefaultStreamFormat(_:of:)`.
  /// - Throws: As `addNode(_:name:)`; `kAudioUnitErr_Uninitialized` before `open()`.
  @discardableResult
  public func addNode(
    copying unit: UnitInstance, name: String? = nil, streamFormat: StreamFormat? = nil
  ) throws(Violation) -> NodeID {
    try state.withLock { state throws(Violation) in
      guard state.isOpen else { throw GraphStates.notOpen() }
      try OneOutputUnit.check(unit.unit, in: state.model)
      let copy = unit.copy()
      copy.setHost(unitHost)
      let node = state.model.add(unit.unit, name: name, instance: copy)
      _ = state.model.setDefaultFormat(streamFormat, of: node)
      return node
    }
  }

  /// Removes a node and its interactions. Pending while the graph is initialized.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_OutputNodeErr` for the output unit of a
  ///   running graph.
  public func removeNode(_ node: NodeID) throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      if found.unit.description.isOutput && state.isRunning {
        throw Violation(
          OneOutputUnit.rule, status: .outputNode,
          "the output unit '\(found.name)' cannot be removed while the graph is running",
          at: .init(node: node, .whole), help: ["stop the graph first"])
      }
      try make(.remove(node), &state)
    }
  }

  /// The number of nodes. Any thread but the render thread.
  public var nodeCount: Int { state.withLock { $0.model.nodes.count } }

  /// The nodes in the order of addition.
  public var nodes: [NodeID] { state.withLock { $0.model.nodes.map(\.id) } }

  /// The node at an index in the order of addition.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound` (our choice; Core Audio documents none).
  public func node(at index: Int) throws(Violation) -> NodeID {
    try state.withLock { state throws(Violation) in
      guard state.model.nodes.indices.contains(index) else {
        throw NodesExist.violation(NodeID(rawValue: Int32(clamping: index)))
      }
      return state.model.nodes[index].id
    }
  }

  /// The component and the name of a node, and its unit once the graph is open.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func nodeInfo(
    _ node: NodeID
  ) throws(Violation) -> (component: ComponentDescription, name: String, unit: UnitInstance?) {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      return (found.component, found.name, found.instance)
    }
  }

  /// The unit of a node of an open graph.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAudioUnitErr_Uninitialized` before `open()`.
  public func unit(_ node: NodeID) throws(Violation) -> UnitInstance {
    guard let unit = try nodeInfo(node).unit else { throw GraphStates.notOpen() }
    return unit
  }
}
