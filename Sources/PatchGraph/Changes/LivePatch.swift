public import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
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
    /// The document that plays, with what is still to come of its timeline.
    var reading: PatchReader.Result
    /// Its graph, which nothing plays: what the next one is compared with.
    var reference: BuiltPatch
    /// Updates of its timeline that the graph has not been told of yet.
    var updates: [PlannedUpdate]
    /// Steps of it that nobody has been told have happened.
    var progress: TimelineProgress
    /// What plays, by the names of the patch.
    var nodes: [String: NodeID]
    var taps: [String: TapID]
  }

  /// Why a document was not taken up.
  public enum Refusal: Error, Sendable {
    /// It is wrong.
    case wrong(BuiltPatch)
    /// It can be had only by beginning again, for what these changes say.
    case restart(PatchReader.Result, [PatchChange])
  }

  public let graph: AudioGraph
  private let directory: String
  private let grant: HardwareGrant
  private let hasTaps: Bool
  private let nativeCode: NativeCode
  private let state: Mutex<State>

  /// - Parameters:
  ///   - patch: Without errors; its graph is initialized, or about to be.
  ///   - reading: What it was built from.
  ///   - directory: What paths in documents are relative to; empty for the current one.
  ///   - hasTaps: Whether taps come and go as documents say; else none ever comes.
  public init?(
    _ patch: BuiltPatch, from reading: PatchReader.Result, directory: String, hasTaps: Bool = true
  ) {
    guard let graph = patch.graph else { return nil }
    self.graph = graph
    self.directory = directory
    grant = graph.grant
    self.hasTaps = hasTaps
    nativeCode = .only(patch.allowedLibraries)
    // The updates have been checked when the patch was built.
    var reference = PatchBuilder.build(
      reading, directory: directory, device: .granted(grant), epoch: nil, nativeCode)
    reference.updates = patch.updates
    reference.subgraphFiles = patch.subgraphFiles
    state = Mutex(
      State(
        reading: reading, reference: reference, updates: patch.updates,
        progress: TimelineProgress(reading, sampleRate: grant.sampleRate),
        nodes: patch.layout.nodes, taps: patch.layout.taps.mapValues(\.id)))
  }

  /// The document that plays: what has happened of its timeline is in it.
  public var reading: PatchReader.Result {
    state.withLock { state in
      TimelineFold.fold(
        state.reading, state.reference.updates, upTo: now, sampleRate: grant.sampleRate)
    }
  }

  /// What plays at one moment.
  struct Present {
    /// The document, with what has happened of its timeline in it.
    var reading: PatchReader.Result
    var reference: BuiltPatch
    /// The nodes of the graph that plays, by the names of the patch.
    var nodes: [String: NodeID]
    /// Seconds from the start.
    var time: Double
  }

  var present: Present {
    state.withLock { state in
      let time = now
      return Present(
        reading: TimelineFold.fold(
          state.reading, state.reference.updates, upTo: time, sampleRate: grant.sampleRate),
        reference: state.reference, nodes: state.nodes, time: time)
    }
  }

  /// What plays, to be drawn, and the document that it is of.
  public var drawing: (reading: PatchReader.Result, drawing: GraphDrawing?) {
    let present = present
    guard let graph = present.reference.graph, let document = present.reference.document else {
      return (present.reading, nil)
    }
    // The graph that nothing plays has the same names, and holds nobody up.
    return (
      present.reading, GraphDrawing(graph: graph, document: document, directory: directory)
    )
  }

  /// What the document decides for the time that it plays.
  public var policy: SessionPolicy { state.withLock { $0.reference.layout.policy } }

  /// The files of its sub-graphs, as they were opened.
  public var subgraphFiles: [String] {
    state.withLock { $0.reference.subgraphFiles.map(\.path) }
  }

  /// Seconds of the graph that have been rendered.
  public var now: Double {
    guard let session = graph.session else { return 0 }
    let rate = session.configuration.clientSampleRate ?? session.configuration.sampleRate
    return Double(session.nextFrame) / rate
  }

  /// When the next update of the timeline comes that the graph has not been told of, in seconds from
  /// the start; `nil` for never.
  public var nextUpdate: Double? { state.withLock { $0.updates.first?.time } }

  /// The pointers of what the timeline has changed since the last call; `nil` where none of its steps is
  /// over since. The document says it by now.
  public func takePassedSteps() -> [String]? {
    state.withLock { $0.progress.take(upTo: now) }
  }

  /// Tells the graph of the updates of the timeline that come up to some time, each for its frame.
  ///
  /// A host calls it some time ahead; one that comes late is made as soon as can be.
  ///
  /// - Parameter seconds: From the start of the graph.
  public func planUpdates(upTo seconds: Double) throws(Refusal) {
    try state.withLock { state throws(Refusal) in
      while let update = state.updates.first, update.time <= seconds {
        let next = PatchBuilder.build(
          update, directory: directory, device: .granted(grant), nativeCode: nativeCode)
        let updates = state.reference.updates
        let reading = state.reading
        _ = try play(next, reading, at: update.time, &state)
        // The document stays what it is: its timeline says what has happened.
        state.reading = reading
        state.reference = next
        state.reference.updates = updates
        state.updates.removeFirst()
      }
    }
  }

  /// Goes over to another document. What its timeline says of the time that has passed has happened.
  ///
  /// - Parameter time: Seconds from the start of the graph at which the change takes effect; `nil` for
  ///   as soon as can be.
  /// - Returns: What has changed and how it is heard; empty where nothing has.
  @discardableResult
  public func play(
    _ reading: PatchReader.Result, at time: Double? = nil
  ) throws(Refusal) -> [PatchChange] {
    var reading = reading
    var next = build(reading)
    guard !next.hasErrors, next.graph != nil else { throw .wrong(next) }
    if reading.document?.timeline.isEmpty == false {
      let folded = TimelineFold.fold(
        reading, next.updates, upTo: time ?? now, sampleRate: grant.sampleRate)
      if folded.source.bytes != reading.source.bytes {
        reading = folded
        next = build(reading)
        guard !next.hasErrors, next.graph != nil else { throw .wrong(next) }
      }
    }
    return try state.withLock { state throws(Refusal) in
      let changes = try play(next, reading, at: time, &state)
      state.updates = next.updates
      state.progress = TimelineProgress(reading, sampleRate: grant.sampleRate)
      return changes
    }
  }

  /// What would be wrong with a document, were it to play, or to be regretted: nothing changes.
  public func check(_ reading: PatchReader.Result) -> BuiltPatch {
    // As a whole: of what is made from another patch nothing is said but that it is right.
    PatchBuilder.build(
      reading, directory: directory, device: .granted(grant), nativeCode: nativeCode)
  }

  private func build(_ reading: PatchReader.Result) -> BuiltPatch {
    let reference = state.withLock { $0.reference }
    return PatchRevision.build(reading, from: reference, directory: directory)
      ?? PatchBuilder.build(
        reading, directory: directory, device: .granted(grant), nativeCode: nativeCode)
  }

  private func play(
    _ next: BuiltPatch, _ reading: PatchReader.Result, at time: Double?, _ state: inout State
  ) throws(Refusal) -> [PatchChange] {
    // What a unit that is initialized has is what it has been initialized with.
    let (graph, nodes) = (graph, state.nodes)
    let difference = GraphDifference(
      from: state.reference, to: next,
      running: { name in
        nodes[name].flatMap { (try? graph.unit($0))?.configuration() }
      })
    guard difference.restarts.isEmpty else { throw .restart(reading, difference.changes) }
    if !difference.isEmpty {
      var passage = Passage(
        graph: graph, difference: difference, from: state.reference, to: next,
        nodes: state.nodes, taps: state.taps, hasTaps: hasTaps)
      do throws(Violation) { try passage.carryOut(at: time) } catch {
        throw .restart(
          reading,
          [
            PatchChange(
              "", "what plays cannot be changed into the patch: \(error.message)", .restart)
          ])
      }
      state.nodes = passage.nodes
      state.taps = passage.taps
    }
    state.reading = reading
    state.reference = next
    return difference.changes
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
  private let hasTaps: Bool

  init(
    graph: AudioGraph, difference: GraphDifference, from old: BuiltPatch, to new: BuiltPatch,
    nodes: [String: NodeID], taps: [String: TapID], hasTaps: Bool
  ) {
    self.hasTaps = hasTaps
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
      let node = try graph.addNode(
        copying: try source.unit(id), name: name,
        streamFormat: try source.defaultStreamFormat(of: id))
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
    for name in difference.tapsEntering where hasTaps {
      guard let tap = new.layout.taps[name], let node = nodes[tap.at.node] else { continue }
      taps[name] = try graph.addTap(tap.tap, at: node, tap.at.bus, name: name)
    }
    for setting in difference.settings { try set(setting) }
    if difference.changesTimeline {
      try graph.setTimeline(
        new.ramps.compactMap { name, ramp in
          nodes[name].map { node in
            var ramp = ramp
            ramp.node = node
            return ramp
          }
        }, stopTime: new.graph?.stopTime)
    }
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
