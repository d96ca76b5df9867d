public import AudioGraphs
public import AudioTypes
import AudioUnits
import RenderCallbacks
public import RenderCore

/// Where sound is put into a graph.
public enum PathEntry: Hashable, Sendable {
  /// In the place of what feeds an input element or, with `behind`, of the callback so many pulls
  /// behind it.
  case input(NodeID, Int, behind: Int = 0)
  /// What the microphone of an I/O unit hears.
  case microphone(NodeID)

  public var node: NodeID {
    switch self {
    case .input(let node, _, _), .microphone(let node): node
    }
  }
}

/// Where sound is taken from a graph.
public enum PathExit: Hashable, Sendable {
  case output(NodeID, Int)
  /// What the output unit gives to the device, or to the file.
  case device
}

/// The way from one bus of a graph to another.
public struct ResponsePath: Sendable {
  /// At least one; several, where a callback feeds several inputs.
  public var entries: [PathEntry]
  public var exit: PathExit

  public init(from entries: [PathEntry], to exit: PathExit) {
    self.entries = entries
    self.exit = exit
  }

  /// What can be reached from the entries: nodes, and whether the device is.
  public func reached(in graph: AudioGraph) -> (nodes: Set<NodeID>, device: Bool) {
    let links = graph.interactions.compactMap(\.link)
    var nodes: Set<NodeID> = []
    var reachesDevice = false
    var next: [NodeID] = []
    func enter(_ node: NodeID, _ input: Int) {
      if graph.isOutputUnit(node) {
        // What it plays does not come out of its microphone side.
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

  /// Whether there is a way at all.
  public func exists(in graph: AudioGraph) -> Bool {
    let (nodes, device) = reached(in: graph)
    switch exit {
    case .device: return device
    case .output(let node, let bus):
      guard graph.isOutputUnit(node) else { return nodes.contains(node) }
      return bus == 1 && entries.contains(.microphone(node))
    }
  }

  /// Puts a callback in the place of what enters, and silences all other sources. Before the graph is
  /// initialized. What only hands on stays.
  ///
  /// - Throws: What the graph refuses.
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
      // A bus that took its format from a connection has none of its own.
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
  /// Whether a node ends the graph: an I/O unit, or a Generic Output that is no sub-graph's.
  public func isOutputUnit(_ node: NodeID) -> Bool {
    (try? nodeInfo(node).unit?.description.isOutput) ?? false
  }
}

extension CallbackFeed {
  /// With another callback at the end of what is pulled; `nil` where an output is at that end.
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

  /// Callbacks that pull one another in their order, the last of them one that pulls nothing.
  private static func chain(
    _ callbacks: some BidirectionalCollection<any RenderCallback>, pulling last: any RenderCallback
  ) -> CallbackFeed {
    callbacks.reversed().reduce(.callback(last)) { .callback($1, from: $0) }
  }

  /// With another callback so many pulls behind, which pulls nothing.
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
