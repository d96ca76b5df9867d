public import AudioGraphs
import AudioTypes
import AudioUnits
public import PatchSyntax
import RenderCore
import RenderHost
import Synchronization

/// A patch that plays, and becomes another one while it does: the one road for every change.
///
///     new document -> the same validation -> difference -> the graph's pending edits -> update
///
/// A document that is wrong changes nothing. Callable from any thread but the render thread.
public final class LivePatch: Sendable {
  private struct State {
    /// The last good document's graph, which nothing plays: what the next one is compared with.
    var reference: BuiltPatch
    /// What plays, by the names of the patch.
    var nodes: [String: NodeID]
    var taps: [String: TapID]
  }

  /// Why a document was not taken up.
  public enum Refusal: Error, Sendable {
    /// It is wrong.
    case wrong(BuiltPatch)
    /// It can be had only by beginning again, for what these changes say.
    case restart(BuiltPatch, [PatchChange])
  }

  public let graph: AudioGraph
  private let directory: String
  private let grant: HardwareGrant
  private let state: Mutex<State>

  /// - Parameters:
  ///   - patch: Initialized, or about to be.
  ///   - reading: What it was built from.
  ///   - directory: What paths in documents are relative to; empty for the current one.
  public init?(_ patch: BuiltPatch, from reading: PatchReader.Result, directory: String) {
    guard let graph = patch.graph else { return nil }
    self.graph = graph
    self.directory = directory
    grant = graph.grant
    let reference = PatchBuilder.build(reading, directory: directory, device: .granted(grant))
    state = Mutex(
      State(
        reference: reference, nodes: patch.layout.nodes, taps: patch.layout.taps.mapValues(\.id)))
  }

  /// What plays, as it was read last.
  public var patch: BuiltPatch { state.withLock { $0.reference } }

  /// Goes over to another document.
  ///
  /// - Parameter time: Seconds from the start of the graph at which the change takes effect; `nil` for
  ///   as soon as can be.
  /// - Returns: What has changed and how it is heard; empty where nothing has.
  @discardableResult
  public func play(
    _ reading: PatchReader.Result, at time: Double? = nil
  ) throws(Refusal) -> [PatchChange] {
    let next = PatchBuilder.build(reading, directory: directory, device: .granted(grant))
    guard !next.hasErrors, next.graph != nil else { throw .wrong(next) }
    return try state.withLock { state throws(Refusal) in
      let difference = GraphDifference(
        from: state.reference, to: next, running: running(state.nodes))
      guard difference.restarts.isEmpty else {
        throw .restart(next, difference.changes)
      }
      guard !difference.isEmpty else {
        state.reference = next
        return []
      }
      var passage = Passage(
        graph: graph, difference: difference, from: state.reference, to: next,
        nodes: state.nodes, taps: state.taps)
      do throws(Violation) { try passage.carryOut(at: time) } catch {
        throw .restart(
          next,
          [
            PatchChange(
              "", "what plays cannot be changed into the patch: \(error.message)", .restart)
          ])
      }
      state.reference = next
      state.nodes = passage.nodes
      state.taps = passage.taps
      return difference.changes
    }
  }

  private func running(_ nodes: [String: NodeID]) -> [String: UnitConfiguration] {
    let found = graph.configurations
    return nodes.compactMapValues { found[$0] }
  }
}

/// The edits that lead from one patch to the next in a graph that plays.
private struct Passage {
  let graph: AudioGraph
  let difference: GraphDifference
  let old: BuiltPatch
  let new: BuiltPatch
  private(set) var nodes: [String: NodeID]
  private(set) var taps: [String: TapID]

  init(
    graph: AudioGraph, difference: GraphDifference, from old: BuiltPatch, to new: BuiltPatch,
    nodes: [String: NodeID], taps: [String: TapID]
  ) {
    self.graph = graph
    self.difference = difference
    self.old = old
    self.new = new
    self.nodes = nodes
    self.taps = taps
  }

  mutating func carryOut(at time: Double?) throws(Violation) {
    let before = graph.defaultStreamFormat
    graph.defaultStreamFormat = new.graph?.defaultStreamFormat
    var added: [NodeID] = []
    do throws(Violation) {
      if let time {
        var failure: Violation?
        var copy = self
        do throws(GraphUpdateError) {
          try graph.update(at: time) { () throws(GraphUpdateError) in
            do throws(Violation) { try copy.edit(&added) } catch {
              failure = error
              throw GraphUpdateError(violation: error)
            }
          }
        } catch {
          throw failure ?? error.violation
        }
        self = copy
      } else {
        try edit(&added)
        do throws(GraphUpdateError) { try graph.update() } catch { throw error.violation }
      }
    } catch {
      graph.discardPendingEdits()
      graph.defaultStreamFormat = before
      for node in added { try? graph.removeNode(node) }
      _ = try? graph.update()
      throw error
    }
  }

  private mutating func edit(_ added: inout [NodeID]) throws(Violation) {
    let present = nodes
    for name in difference.leaving { nodes[name] = nil }
    for name in difference.entering {
      guard let source = new.graph, let id = new.layout.nodes[name] else { continue }
      let node = try graph.addNode(copying: try source.unit(id), name: name)
      added.append(node)
      nodes[name] = node
    }
    var feeds: [PatchLayout.BusName: FeedToken] = [:]
    let kept = Set(difference.moved.values)
    for input in difference.freed {
      guard let node = present[input.node] else { continue }
      if kept.contains(input) {
        feeds[input] = try graph.detachFeed(of: node, input.bus)
      } else {
        try graph.disconnect(node, input.bus)
      }
    }
    for name in difference.tapsLeaving {
      if let tap = taps.removeValue(forKey: name) { try graph.removeTap(tap) }
    }
    for name in difference.leaving {
      if let node = present[name] { try graph.removeNode(node) }
    }
    for input in difference.fed { try feed(input, feeds) }
    for name in difference.tapsEntering {
      guard let tap = new.layout.taps[name], let node = nodes[tap.at.node] else { continue }
      taps[name] = try graph.addTap(tap.tap, at: node, tap.at.bus, name: name)
    }
    for setting in difference.settings { try set(setting) }
  }

  private func feed(
    _ input: PatchLayout.BusName, _ feeds: [PatchLayout.BusName: FeedToken]
  ) throws(Violation) {
    guard let node = nodes[input.node] else { return }
    if let from = difference.moved[input], let token = feeds[from] {
      return try graph.attachFeed(token, to: node, input.bus)
    }
    switch new.layout.feeds[input] {
    case .output(let name)?:
      if let source = nodes[name.node] {
        try graph.connect(source, name.bus, to: node, input.bus)
      }
    case .chain(let chain)?:
      try graph.setInputCallback(chain.callback, of: node, input.bus, from: feed(of: chain))
    case nil: break
    }
  }

  /// What a chain pulls, in the graph that plays.
  private func feed(of chain: PatchLayout.Chain) -> CallbackFeed? {
    func translated(_ feed: CallbackFeed?) -> CallbackFeed? {
      switch feed {
      case .callback(let callback, let from)?: .callback(callback, from: translated(from))
      case .output(_, let bus)?:
        chain.source.flatMap { nodes[$0.node] }.map { .output($0, bus) }
      case nil: nil
      }
    }
    return translated(chain.feed)
  }

  private func set(_ setting: GraphDifference.Setting) throws(Violation) {
    switch setting {
    case .property(let name, let place, let value):
      guard let node = nodes[name] else { return }
      try graph.unit(node).setProperty(place.id, place.scope, place.element, to: value)
    case .parameter(let name, let place, let value):
      guard let node = nodes[name] else { return }
      try graph.unit(node).setParameter(place.id, place.scope, place.element, to: value)
    }
  }
}
