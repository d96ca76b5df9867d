public import AudioGraphs
public import AudioTypes
import AudioUnits
import RenderCallbacks
public import RenderCore

/// A place where a measurement feeds sound into a graph.
public enum PathEntry: Hashable, Sendable {
  /// An input element: replaces its feed or, with `behind`, the callback that many pulls behind it.
  case input(NodeID, Int, behind: Int = 0)
  /// The microphone of an I/O unit.
  case microphone(NodeID)

  public var node: NodeID {
    switch self {
    case .input(let node, _, _), .microphone(let node): node
    }
  }
}

/// A place where a measurement takes sound from a graph.
public enum PathExit: Hashable, Sendable {
  case output(NodeID, Int)
  /// The output unit's output, to the device or to the file.
  case device
}

/// The way from one bus of a graph to another.
public struct ResponsePath: Sendable {
  /// At least one; several where a callback feeds several inputs.
  public var entries: [PathEntry]
  public var exit: PathExit

  public init(from entries: [PathEntry], to exit: PathExit) {
    self.entries = entries
    self.exit = exit
  }

  /// The nodes that sound from the entries reaches, and whether it reaches the device.
  public func reached(in graph: AudioGraph) -> (nodes: Set<NodeID>, device: Bool) {
    let links = graph.interactions.compactMap(\.link)
    var nodes: Set<NodeID> = []
    var reachesDevice = false
    var next: [NodeID] = []
    func enter(_ node: NodeID, _ input: Int) {
      if graph.isOutputUnit(node) {
        // The output of an I/O unit does not appear at its microphone side.
        if input == 0 { reachesDevice = true }
        nodes.insert(node)
      } else if nodes.insert(node).inserted {
        next.append(node)
      }
    }
    for entry in entries {
      switch entry {
      case .input(let node, let input, _): enter(node, input)
      case .microphone(let node):
        nodes.insert(node)
        for link in links where link.source == node && link.output == 1 {
          enter(link.destination, link.input)
        }
      }
    }
    while let node = next.popLast() {
      for link in links where link.source == node { enter(link.destination, link.input) }
    }
    return (nodes, reachesDevice)
  }

  /// Whether sound from the entries reaches the exit.
  public func exists(in graph: AudioGraph) -> Bool {
    let (nodes, device) = reached(in: graph)
    switch exit {
    case .device: return device
    case .output(let node, let bus):
      guard graph.isOutputUnit(node) else { return nodes.contains(node) }
      return bus == 1 && entries.contains(.microphone(node))
    }
  }

  /// Replaces the sources at the entries with a callback, and silences all other sources; callbacks
  /// that process a feed stay. Call it before the graph is initialized.
  ///
  /// - Throws: The graph's ``Violation`` of a connection, callback or property.
  public func play(_ callback: any RenderCallback, in graph: AudioGraph) throws(Violation) {
    let formats = graph.configurations
    for interaction in graph.interactions {
      let (node, input) = (interaction.destination, interaction.input)
      guard entry(node, input) == nil, case .callback(let found) = interaction,
        let quiet = CallbackFeed.callback(found.callback, from: found.feed)
          .replacingSource(by: SilenceCallback()),
        case .link(let first) = quiet
      else { continue }
      try graph.disconnect(node, input)
      try graph.setInputCallback(first.callback, of: node, input, from: first.from)
    }
    for entry in entries {
      guard case .input(let node, let input, let behind) = entry else { continue }
      let found = graph.interactions.first { $0.destination == node && $0.input == input }
      if found != nil { try graph.disconnect(node, input) }
      if behind > 0, case .callback(let old)? = found,
        case .link(let first) = CallbackFeed.callback(old.callback, from: old.feed)
          .replacing(behind, by: callback)
      {
        try graph.setInputCallback(first.callback, of: node, input, from: first.from)
        continue
      }
      try graph.setInputCallback(callback, of: node, input)
      // A bus whose format came from a connection has no format of its own.
      guard found?.connection != nil || found == nil,
        let elements = formats[node]?.inputs, elements.indices.contains(input)
      else { continue }
      try graph.unit(node).setProperty(
        .streamFormat, .input, input, to: .streamFormat(elements[input].format))
    }
  }

  private func entry(_ node: NodeID, _ input: Int) -> PathEntry? {
    entries.first { entry in
      if case .input(node, input, _) = entry { true } else { false }
    }
  }
}

extension AudioGraph {
  /// Whether a node is an output unit: an I/O unit, or a Generic Output outside of a sub-graph.
  public func isOutputUnit(_ node: NodeID) -> Bool {
    (try? nodeInfo(node).unit?.description.isOutput) ?? false
  }
}

extension CallbackFeed {
  /// The feed with another callback at its end; `nil` where an output is at that end.
  func replacingSource(by callback: any RenderCallback) -> CallbackFeed? {
    var chain: [any RenderCallback] = []
    var next: CallbackFeed? = self
    while let feed = next {
      guard case .link(let link) = feed else { return nil }
      chain.append(link.callback)
      next = link.from
    }
    return Self.chain(chain.dropLast(), pulling: callback)
  }

  /// The callbacks, each pulling the next, and the last pulling a callback without an input.
  private static func chain(
    _ callbacks: some BidirectionalCollection<any RenderCallback>, pulling last: any RenderCallback
  ) -> CallbackFeed {
    callbacks.reversed().reduce(.callback(last)) { .callback($1, from: $0) }
  }

  /// The feed with its callback that many pulls behind replaced by one without an input.
  func replacing(_ behind: Int, by callback: any RenderCallback) -> CallbackFeed {
    var chain: [any RenderCallback] = []
    var next = self
    while chain.count < behind, case .link(let link) = next, let from = link.from {
      chain.append(link.callback)
      next = from
    }
    return Self.chain(chain, pulling: callback)
  }
}
