import AudioGraphs
import AudioTypes
import RenderCore
import Synchronization

/// The nodes and the taps that play, by their names in the patch.
struct PlayingNames: Sendable {
  var nodes: [String: NodeID]
  var taps: [String: TapID]
}

/// Edits the playing graph to turn it into that of the next patch.
struct GraphTransition {
  let graph: AudioGraph
  let difference: GraphDifference
  /// Whether the next patch gets its taps; otherwise they are left out.
  let hasTaps: Bool
  /// Before `carryOut(at:)` those of the present patch, afterwards those of the next one.
  private(set) var names: PlayingNames

  private var new: BuiltPatch { difference.new }

  /// Makes all edits; where one fails, none.
  ///
  /// - Parameter time: When the edits take effect, in seconds from the start of the graph; `nil`
  ///   for as soon as possible.
  /// - Throws: Why the graph cannot be changed while it plays.
  mutating func carryOut(at time: Double?) throws(Violation) {
    let format = graph.defaultStreamFormat
    graph.defaultStreamFormat = new.graph?.defaultStreamFormat
    var added: [NodeID] = []
    do throws(GraphUpdateError) {
      try graph.update(at: time) { () throws(Violation) in try makeEdits(&added) }
    } catch {
      graph.discardPendingEdits()
      graph.defaultStreamFormat = format
      for node in added { try? graph.removeNode(node) }
      _ = try? graph.update()
      throw error.violation
    }
  }

  /// Makes the edits, which wait for the update, and sets what differs in units and callbacks.
  ///
  /// - Parameter added: Gets the nodes that have been added, also where an edit fails.
  private mutating func makeEdits(_ added: inout [NodeID]) throws(Violation) {
    let present = names.nodes
    for name in difference.leaving { names.nodes[name] = nil }
    for name in difference.entering {
      guard let source = new.graph, let id = new.layout.nodes[name] else { continue }
      let node = try graph.addNode(
        copying: try source.unit(id), name: name,
        streamFormat: try source.defaultStreamFormat(of: id))
      added.append(node)
      names.nodes[name] = node
    }
    var callbacks: [PatchLayout.BusName: [CallbackInstance]] = [:]
    for input in difference.freed {
      guard let node = present[input.node] else { continue }
      callbacks[input] = try graph.callbacks(of: node, input.bus)
      try graph.disconnect(node, input.bus)
    }
    for name in difference.tapsLeaving {
      if let tap = names.taps.removeValue(forKey: name) { try graph.removeTap(tap) }
    }
    // Taps move before the nodes that they watch are removed.
    for name in difference.tapsMoving {
      guard let tap = names.taps[name], let at = new.layout.taps[name]?.at,
        let node = names.nodes[at.node]
      else { continue }
      try graph.moveTap(tap, to: node, at.bus)
    }
    for name in difference.leaving {
      if let node = present[name] { try graph.removeNode(node) }
    }
    for input in difference.fed { try feed(input, callbacks) }
    for name in difference.tapsEntering where hasTaps {
      guard let tap = new.layout.taps[name], let node = names.nodes[tap.at.node] else { continue }
      names.taps[name] = try graph.addTap(tap.tap, at: node, tap.at.bus, name: name)
    }
    if difference.changesCompensation {
      graph.compensatesLatency = new.graph?.compensatesLatency ?? false
    }
    for setting in difference.settings { try set(setting) }
    if difference.changesTimeline {
      try graph.setTimeline(
        new.ramps.compactMap { name, ramp in
          names.nodes[name].map { node in
            var ramp = ramp
            ramp.node = node
            return ramp
          }
        }, stopTime: new.graph?.stopTime)
    }
  }

  private func feed(
    _ input: PatchLayout.BusName, _ present: [PatchLayout.BusName: [CallbackInstance]]
  ) throws(Violation) {
    guard let node = names.nodes[input.node] else { return }
    switch new.layout[feedOf: input] {
    case .output(let name)?:
      if let source = names.nodes[name.node] {
        try graph.connect(source, name.bus, to: node, input.bus)
      }
    case .chain(let chain)?:
      try giveFormat(input, node)
      let callbacks = try instances(of: chain, difference.origins[input] ?? [], present)
      try chain.feed(input.bus, of: node, in: graph, by: callbacks, names.nodes)
    case nil: break
    }
  }

  /// Gives an input of a playing unit the stream format that the patch sets, if it has none yet: a
  /// bus that a callback feeds needs a given format.
  private func giveFormat(_ input: PatchLayout.BusName, _ node: NodeID) throws(Violation) {
    guard let source = new.graph, let id = new.layout.nodes[input.node] else { return }
    let unit = try graph.unit(node)
    let present = unit.configuration().inputs
    let wanted = try source.unit(id).configuration().inputs
    guard unit.isInitialized, unit.unit.takesFormatsLive, present.indices.contains(input.bus),
      wanted.indices.contains(input.bus), present[input.bus].origin == .initial,
      [.given, .rateGiven].contains(wanted[input.bus].origin)
    else { return }
    try unit.setProperty(
      .streamFormat, .input, input.bus, to: .streamFormat(wanted[input.bus].format))
  }

  /// The callbacks of a chain: those that play already, and new ones, which may continue at the
  /// position of old ones.
  private func instances(
    of chain: PatchLayout.Chain, _ origins: [FeedDifference.Origin],
    _ present: [PatchLayout.BusName: [CallbackInstance]]
  ) throws(Violation) -> [CallbackInstance] {
    func playing(_ input: PatchLayout.BusName, _ behind: Int) -> CallbackInstance? {
      present[input].flatMap { $0.indices.contains(behind) ? $0[behind] : nil }
    }
    return try zip(chain.links, origins).map { link, origin throws(Violation) in
      switch origin {
      case .kept(let input, let behind, let values):
        guard let instance = playing(input, behind) else { break }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
          try Self.set(key, value, of: instance)
        }
        return instance
      case .continuing(let input, let behind):
        return CallbackInstance(link.callback, continuing: playing(input, behind))
      case .beginning(let input, let behind):
        if let instance = playing(input, behind) { return CallbackInstance(restarting: instance) }
      case .fresh: break
      }
      return CallbackInstance(link.callback)
    }
  }

  private static func set(
    _ key: String, _ value: Double, of instance: CallbackInstance
  ) throws(Violation) {
    do throws(CallbackProblem) { try instance.set(key, to: value) } catch {
      throw Violation(
        GraphRules.liveSetting, status: error.status, error.message, at: .graph,
        help: error.help.isEmpty ? [] : [error.help])
    }
  }

  private func set(_ setting: GraphDifference.Setting) throws(Violation) {
    switch setting {
    case .property(let name, let place, let value):
      guard let node = names.nodes[name] else { return }
      try graph.unit(node).setProperty(place.id, place.scope, place.element, to: value)
    case .parameter(let name, let place, let value):
      guard let node = names.nodes[name] else { return }
      try graph.unit(node).setParameter(place.id, place.scope, place.element, to: value)
    case .live(let input, let behind, let key, let value):
      guard let node = names.nodes[input.node] else { return }
      let instances = try graph.callbacks(of: node, input.bus)
      guard instances.indices.contains(behind) else { return }
      try Self.set(key, value, of: instances[behind])
    }
  }
}
