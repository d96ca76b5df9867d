import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

/// The patch that another one was made from, and the parts in which the two may differ.
struct PatchOrigin: Sendable {
  /// Members of a document that are written differently, by their names, in the order of the
  /// document.
  struct Members {
    var removed: [String] = []
    var added: [String] = []
    var changed: [String] = []

    /// Those that the new document has.
    var present: Set<String> { Set(added).union(changed) }
  }

  /// The graph of the patch that it was made from.
  let graph: AudioGraph
  let nodes: Members
  let callbacks: Members
  /// Inputs that have another feed, or a new instance of the same one.
  let inputs: Set<PatchLayout.BusName>
  /// Whether other nodes, too, may have other formats.
  let changesFormats: Bool
}

/// A document that differs in a few nodes, callbacks and connections from one that has been built:
/// its graph is forked from the other's, and only what differs is built.
///
/// For a small change of a large patch this takes a fraction of the time of a whole build, with the
/// same result. Only documents without mistakes can be built in this way, and no warnings or notes
/// are reported.
struct PatchRevision {
  private let old: BuiltPatch
  private let before: PatchDocument
  private let after: PatchDocument
  private let surroundings: PatchSurroundings

  private var nodes = PatchOrigin.Members()
  private var callbacks = PatchOrigin.Members()
  /// Connections to remove, and connections to add.
  private var removed: [Link] = []
  private var added: [(link: Link, connection: PatchDocument.Connection)] = []
  private var edited: [Link] { removed + added.map(\.link) }

  /// A connection by its ends.
  private struct Link: Hashable {
    var source: PatchLayout.BusName
    var destination: PatchLayout.BusName

    /// `nil` where an end is missing, or names an element that is not known.
    init?(_ connection: PatchDocument.Connection) {
      guard let from = connection.from?.value, let to = connection.to?.value,
        from.element == nil, to.element == nil
      else { return nil }
      source = .init(node: from.node, bus: from.bus ?? 0)
      destination = .init(node: to.node, bus: to.bus ?? 0)
    }
  }

  /// Builds the patch of a document; `nil` where it has to be built as a whole, because it has
  /// mistakes or differs in more than nodes, callbacks and connections.
  ///
  /// - Parameters:
  ///   - old: The patch to fork: without errors, and for the same device.
  ///   - surroundings: Those that `old` was built in.
  static func build(
    _ reading: PatchReader.Result, from old: BuiltPatch, in surroundings: PatchSurroundings
  ) -> BuiltPatch? {
    guard reading.diagnostics.isEmpty, !old.hasErrors, let before = old.document,
      let after = reading.document
    else { return nil }
    var revision = PatchRevision(
      old: old, before: before, after: after, surroundings: surroundings)
    guard revision.compare() else { return nil }
    // Only a whole build reports that there are more buses than the limit.
    guard GraphBuilder.busCount(of: after).sum <= reading.limits.buses else { return nil }
    return revision.build(reading)
  }

  // MARK: Differences

  /// Finds the differences. Returns `false` where there are any that a revision cannot make.
  private mutating func compare() -> Bool {
    // The files of sub-graphs and presets may have changed too.
    guard before.subgraphs.isEmpty, before.timeline.isEmpty, after.timeline.isEmpty,
      !before.nodes.contains(where: { $0.value.preset != nil }),
      !after.nodes.contains(where: { $0.value.preset != nil }), isRestUnchanged(),
      before.taps.elementsEqual(after.taps, by: { $0.value.at?.value == $1.value.at?.value }),
      // A callback that pulls an element by its name needs a whole build.
      !after.callbacks.contains(where: { $0.value.pulled != nil })
    else { return false }
    nodes = Self.difference(before.nodes, after.nodes, \.json)
    callbacks = Self.difference(before.callbacks, after.callbacks, \.json)
    return compareConnections() && areNodesPlain() && areCallbacksPlain() && areNamesKept()
  }

  /// Whether the two have the same text, except for nodes, callbacks and connections.
  private func isRestUnchanged() -> Bool {
    func rest(_ document: PatchDocument) -> [String: JSONValue] {
      var rest: [String: JSONValue] = [:]
      for (key, value) in document.root.members {
        guard let name = key.string, !["nodes", "callbacks", "connections"].contains(name) else {
          continue
        }
        rest[name] = value
      }
      return rest
    }
    let (one, other) = (rest(before), rest(after))
    return one.count == other.count
      && one.allSatisfy { name, value in other[name]?.isWritten(like: value) == true }
  }

  private static func difference<Value>(
    _ before: [PatchDocument.Member<Value>], _ after: [PatchDocument.Member<Value>],
    _ json: (Value) -> JSONValue
  ) -> PatchOrigin.Members {
    let (old, new) = Self.middles(before.count, after.count) {
      before[$0].name == after[$1].name
        && json(before[$0].value).isWritten(like: json(after[$1].value))
    }
    var result = PatchOrigin.Members()
    var present = Dictionary(
      before[old].map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for member in after[new] {
      guard let was = present.removeValue(forKey: member.name) else {
        result.added.append(member.name)
        continue
      }
      if !json(was.value).isWritten(like: json(member.value)) { result.changed.append(member.name) }
    }
    result.removed = before[old].map(\.name).filter { present[$0] != nil }
    return result
  }

  /// The middles of two lists, without the equal parts at their beginnings and ends.
  ///
  /// Takes indices, because the parts of a document take long to copy.
  private static func middles(
    _ count: Int, _ otherCount: Int, _ isSame: (Int, Int) -> Bool
  ) -> (Range<Int>, Range<Int>) {
    let shorter = min(count, otherCount)
    var start = 0
    while start < shorter, isSame(start, start) { start += 1 }
    var end = 0
    while end < shorter - start, isSame(count - 1 - end, otherCount - 1 - end) { end += 1 }
    return (start..<count - end, start..<otherCount - end)
  }

  /// Finds the connections to remove and to add. Those of changed callbacks are removed and added
  /// again. Returns `false` where a connection is incomplete.
  private mutating func compareConnections() -> Bool {
    let (one, other) = (before.connections, after.connections)
    let (old, new) = Self.middles(one.count, other.count) {
      // The same text may mean another bus where an element has another name.
      one[$0].json.isWritten(like: other[$1].json) && one[$0].from?.value == other[$1].from?.value
        && one[$0].to?.value == other[$1].to?.value
    }
    var leaving: Set<Link> = []
    for connection in one[old] {
      guard let link = Link(connection) else { return false }
      leaving.insert(link)
    }
    for connection in other[new] {
      guard let link = Link(connection) else { return false }
      if leaving.remove(link) == nil { added.append((link, connection)) }
    }
    removed = Array(leaving)
    guard !callbacks.changed.isEmpty else { return true }
    let changed = Set(callbacks.changed)
    let coming = Set(added.map(\.link))
    for index in other.indices {
      guard let source = other[index].from?.value.node else { return false }
      guard changed.contains(source) else { continue }
      guard let link = Link(other[index]) else { return false }
      guard !coming.contains(link) else { continue }
      removed.append(link)
      added.append((link, other[index]))
    }
    return true
  }

  /// Whether the nodes that differ are units other than the output unit, whose settings decide what
  /// the session asks for.
  private func areNodesPlain() -> Bool {
    for name in nodes.changed + nodes.added {
      guard let node = after.nodes.first(where: { $0.name == name })?.value,
        node.subgraph == nil, node.device == nil,
        let unit = ComponentResolver.unit(node.component?.value),
        !unit.description.isOutput
      else { return false }
      if let present = old.unit(name),
        present.description.component != unit.description.component
      {
        return false
      }
    }
    guard nodes.removed.allSatisfy({ old.unit($0)?.description.isOutput == false }) else {
      return false
    }
    // A category may not permit playing, which is an error only where the output unit is fed.
    guard after.session?.value.category != nil else { return true }
    return edited.allSatisfy { old.unit($0.destination.node)?.description.isOutput != true }
  }

  /// Whether the callbacks that differ pull nothing, and no callback pulls them.
  private func areCallbacksPlain() -> Bool {
    for (document, names) in [
      (before, callbacks.changed + callbacks.removed), (after, callbacks.changed + callbacks.added),
    ] {
      for name in names {
        guard let callback = document.callbacks.first(where: { $0.name == name })?.value,
          callback.pulled == nil, callback.json["from"] == nil,
          after.taps.isEmpty || callback.json["path"] == nil
        else { return false }
      }
    }
    let names = Set(callbacks.changed + callbacks.removed)
    guard !names.isEmpty else { return true }
    return !after.callbacks.contains { member in
      guard let from = member.value.json["from"]?.string else { return false }
      return names.contains { from == $0 || from.hasPrefix($0 + ":") }
    }
  }

  /// Whether no remaining part refers to a removed name, and no added name is taken already.
  private func areNamesKept() -> Bool {
    let fresh = Set(nodes.added + callbacks.added)
    guard fresh.count == nodes.added.count + callbacks.added.count else { return false }
    if !fresh.isEmpty {
      let (nodes, callbacks) = (after.nodes, after.callbacks)
      let count =
        nodes.indices.count { fresh.contains(nodes[$0].name) }
        + callbacks.indices.count { fresh.contains(callbacks[$0].name) }
      guard count == fresh.count else { return false }
    }
    let missing = Set(nodes.removed + callbacks.removed)
    guard !missing.isEmpty else { return true }
    let connections = after.connections
    let isMeant =
      connections.indices.contains { index in
        [connections[index].from?.value.node, connections[index].to?.value.node].contains {
          $0.map(missing.contains) ?? false
        }
      }
      || after.taps.contains { $0.value.at.map { missing.contains($0.value.node) } ?? true }
      || after.callbacks.contains { $0.value.json["from"] != nil }
    return !isMeant
  }

  // MARK: The new patch

  private func build(_ reading: PatchReader.Result) -> BuiltPatch? {
    guard let present = old.graph else { return nil }
    let ids = old.layout.nodes
    let renewed = Set(nodes.changed.compactMap { ids[$0] })
    var touched: Set<NodeID> = []
    for link in edited {
      for name in [link.source.node, link.destination.node] {
        if let id = ids[name] { touched.insert(id) }
      }
    }
    let graph = present.fork(copying: touched.subtracting(renewed), renewing: renewed)
    var builder = GraphBuilder(
      document: after, graph: graph, surroundings: surroundings, unread: UnreadParts(after, []),
      reportsNotes: false, epoch: nil, limits: reading.limits)
    builder.resume(from: old.layout)
    for link in removed {
      guard let node = ids[link.destination.node],
        (try? graph.disconnect(node, link.destination.bus)) != nil
      else { return nil }
      builder.layout[feedOf: link.destination] = nil
    }
    for name in nodes.removed {
      guard let node = ids[name], (try? graph.removeNode(node)) != nil else { return nil }
      builder.forgetNode(name)
    }
    let sources = Set(added.map(\.link.source.node))
    let wanted = sources.union(callbacks.present)
    for index in after.callbacks.indices where wanted.contains(after.callbacks[index].name) {
      let member = after.callbacks[index]
      guard member.value.json["from"] == nil, member.value.kind?.value != "native" else {
        return nil
      }
      builder.addCallback(member)
    }
    let configured = nodes.present
    let members =
      configured.isEmpty
      ? [] : after.nodes.indices.filter { configured.contains(after.nodes[$0].name) }
    var units: [(index: Int, id: NodeID, unit: UnitInstance)] = []
    for index in members {
      if let id = ids[after.nodes[index].name], let unit = try? graph.unit(id) {
        if let count = after.nodes[index].value.inputCount {
          builder.setCount(count, .input, id, unit)
        }
        if let count = after.nodes[index].value.outputCount {
          builder.setCount(count, .output, id, unit)
        }
        units.append((index, id, unit))
      } else if let (id, unit) = builder.addNode(index) {
        units.append((index, id, unit))
      }
    }
    builder.layout.nodeNames = after.nodes.indices.map { after.nodes[$0].name }
    for (_, connection) in added { builder.connect(connection) }
    // Only a whole build compares the format of a connected input with the format that arrives.
    guard !Self.expectsFormats(before, old.layout), !Self.expectsFormats(after, builder.layout)
    else { return nil }
    for (index, id, unit) in units { builder.configure(index, id, unit) }
    guard !builder.diagnostics.hasErrors, !builder.hasWrongFormats, !builder.doubts.isRaised(.gaps)
    else {
      return nil
    }
    let isConfiguredAlike =
      touched.isEmpty && nodes.added.isEmpty && nodes.removed.isEmpty
      && renewed.allSatisfy { Self.isConfiguredAlike($0, present, graph) }
    if isConfiguredAlike {
      builder.layout.configurations = old.layout.configurations
    } else {
      let (violations, configurations) = graph.examination()
      guard !violations.contains(where: { $0.severity == .error }) else { return nil }
      builder.layout.configurations = configurations
    }
    return BuiltPatch(
      graph: graph, diagnostics: [], source: reading.source,
      ownLength: reading.source.bytes.count, document: after, title: after.title?.value,
      inputFiles: old.inputFiles + builder.inputFiles.filter { !old.inputFiles.contains($0) },
      outputFiles: old.outputFiles, libraries: old.libraries,
      allowedLibraries: old.allowedLibraries, layout: builder.layout,
      origin: PatchOrigin(
        graph: present, nodes: nodes, callbacks: callbacks,
        inputs: Set(edited.map(\.destination)), changesFormats: !isConfiguredAlike))
  }

  /// Whether a format is set on an input that gets its format from a connection.
  private static func expectsFormats(_ document: PatchDocument, _ layout: PatchLayout) -> Bool {
    let nodes = document.nodes
    return nodes.indices.contains { index in
      nodes[index].value.inputs.contains { input in
        guard input.streamFormat != nil || input.sampleRate != nil,
          case .output? = layout[feedOf: .init(node: nodes[index].name, bus: input.bus.value)]
        else { return false }
        return true
      }
    }
  }

  /// Whether a node has the same configuration in both graphs, so that it differs in parameters at
  /// most.
  private static func isConfiguredAlike(
    _ node: NodeID, _ one: AudioGraph, _ other: AudioGraph
  ) -> Bool {
    guard let one = (try? one.unit(node))?.configuration(),
      let other = (try? other.unit(node))?.configuration()
    else { return false }
    return one.inputs == other.inputs && one.outputs == other.outputs
      && one.maximumFramesPerSlice == other.maximumFramesPerSlice
      && one.properties == other.properties
  }
}

extension GraphBuilder {
  /// Starts from the layout of the patch whose graph has been forked.
  fileprivate mutating func resume(from layout: PatchLayout) {
    self.layout = layout
    nodes = layout.nodes
    resolveFormats()
  }

  fileprivate mutating func forgetNode(_ name: String) {
    nodes[name] = nil
    layout.nodes[name] = nil
  }
}

extension JSONValue {
  /// Whether two values are written with the same bytes.
  fileprivate func isWritten(like other: JSONValue) -> Bool {
    let (range, otherRange) = (range, other.range)
    guard range.count == otherRange.count else { return false }
    return tree.source.bytes[range].elementsEqual(other.tree.source.bytes[otherRange])
  }
}
