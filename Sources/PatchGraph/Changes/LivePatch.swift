public import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
public import PatchSyntax
import RenderCore
import RenderHost
import Synchronization

/// A playing patch that can be changed into another while it plays. Every change takes these steps:
///
///     new document -> the same validation -> difference -> the graph's pending edits -> update
///
/// A document with errors changes nothing. May be called from any thread except the render thread.
public final class LivePatch: Sendable {
  private struct State {
    /// The document that plays, with the later steps of its timeline.
    var reading: PatchReader.Result
    /// How many documents have been played.
    var base = 0
    /// The graph of that document, which is not played: the graph of the next document is compared
    /// with it.
    var reference: BuiltPatch
    /// The updates of its timeline that the graph has not been given yet.
    var updates: [PlannedUpdate]
    /// The steps of its timeline, and how many of them `takePassedSteps()` has returned.
    var progress: TimelineProgress
    /// The nodes and the taps that play.
    var names: PlayingNames

    /// Notes that the graph has become that of another document.
    mutating func take(_ next: BuiltPatch, _ names: PlayingNames) {
      reference = next
      self.names = names
    }
  }

  /// Why a document was not played.
  public enum Refusal: Error, Sendable {
    /// It has errors, which the patch lists.
    case wrong(BuiltPatch)
    /// It needs a restart; the changes say why.
    case restart(PatchReader.Result, [PatchChange])

    /// A sentence that starts in lower case, without its period.
    public var message: String {
      switch self {
      case .wrong(let patch):
        patch.diagnostics.first { $0.severity == .error }?.message.text ?? "the patch is wrong"
      case .restart(_, let changes):
        "what plays cannot be changed without a gap: "
          + (changes.first { $0.heard == .restart }?.text ?? "it has to begin again")
      }
    }
  }

  public let graph: AudioGraph
  private let surroundings: PatchSurroundings
  private let grant: HardwareGrant
  private let hasTaps: Bool
  /// Locked only while it is read or written.
  private let state: Mutex<State>
  /// Locked during a whole change, while units are made and files are opened. Its holder may lock
  /// `state` and `folded`.
  private let changing = Mutex<Void>(())
  private let folded: Mutex<Folded>

  private struct Folded {
    var document: FoldedDocument
    /// How many texts `document` has had.
    var revision = 0
    /// How often passed steps have been taken into the document.
    var folds = 0
  }

  /// Begins with a patch. `nil` where it has no graph.
  ///
  /// - Parameters:
  ///   - patch: A patch without errors; its graph is initialized, or about to be.
  ///   - reading: The document that it was built from.
  ///   - surroundings: The surroundings of all documents. Documents may load only the libraries
  ///     that `patch` may load.
  ///   - hasTaps: Whether documents get their taps; otherwise taps are left out.
  public init?(
    _ patch: BuiltPatch, from reading: PatchReader.Result, in surroundings: PatchSurroundings,
    hasTaps: Bool = true
  ) {
    guard let graph = patch.graph else { return nil }
    self.graph = graph
    grant = graph.grant
    self.hasTaps = hasTaps
    var surroundings = surroundings
    surroundings.nativeCode = .only(patch.allowedLibraries)
    self.surroundings = surroundings
    // The updates have been checked when the patch was built.
    var reference = PatchBuilder.build(
      reading, in: surroundings, device: .granted(grant), epoch: nil)
    reference.updates = patch.updates
    reference.subgraphFiles = patch.subgraphFiles
    folded = Mutex(
      Folded(
        document: FoldedDocument(reading, patch.updates, base: 0, sampleRate: grant.sampleRate)))
    state = Mutex(
      State(
        reading: reading, reference: reference, updates: patch.updates,
        progress: TimelineProgress(reading, sampleRate: grant.sampleRate),
        names: PlayingNames(
          nodes: patch.layout.nodes, taps: patch.layout.taps.mapValues(\.id))))
  }

  /// The document that plays, with the passed steps of its timeline in it.
  ///
  /// It is computed at the first call after a step has passed, and does not wait for a change that
  /// is being made.
  public var reading: PatchReader.Result { revision.reading }

  /// The same document, and a number that grows whenever the document changes.
  public var revision: (number: Int, reading: PatchReader.Result) {
    fold(state.withLock(\.self), at: now)
  }

  /// How often passed steps have been taken into the document: once for each call of `reading` or
  /// `revision` after steps had passed.
  var foldCount: Int { folded.withLock(\.folds) }

  private func fold(
    _ state: State, at seconds: Double
  ) -> (number: Int, reading: PatchReader.Result) {
    folded.withLock { folded in
      if folded.document.base != state.base {
        folded.document = FoldedDocument(
          state.reading, state.reference.updates, base: state.base, sampleRate: grant.sampleRate)
        folded.revision += 1
      }
      if folded.document.advance(to: seconds) {
        folded.revision += 1
        folded.folds += 1
      }
      return (folded.revision, folded.document.reading)
    }
  }

  /// The state at one moment.
  struct Present {
    /// The document, with the passed steps of its timeline in it.
    var reading: PatchReader.Result
    var reference: BuiltPatch
    /// The nodes that play, by their names in the patch.
    var nodes: [String: NodeID]
    /// Seconds from the start.
    var time: Double
  }

  var present: Present {
    let state = state.withLock(\.self)
    let time = now
    return Present(
      reading: fold(state, at: time).reading, reference: state.reference, nodes: state.names.nodes,
      time: time)
  }

  /// The document that plays, and a graph equal to the one that plays, to be drawn or listed
  /// without delaying it; `nil` where there is no such graph.
  package var reference: (reading: PatchReader.Result, patch: Reference?) {
    let present = present
    guard let graph = present.reference.graph, let document = present.reference.document else {
      return (present.reading, nil)
    }
    return (
      present.reading, Reference(graph: graph, document: document, surroundings: surroundings)
    )
  }

  /// A graph, and the document that it was built from.
  package struct Reference {
    package let graph: AudioGraph
    package let document: PatchDocument
    package let surroundings: PatchSurroundings
  }

  /// The session policy of the document that plays.
  public var policy: SessionPolicy { state.withLock { $0.reference.layout.policy } }

  /// The paths of the files of its sub-graphs, as they were opened.
  public var subgraphFiles: [String] {
    state.withLock { $0.reference.subgraphFiles.map(\.path) }
  }

  /// The time that has been rendered, in seconds; 0 before the graph has a session.
  public var now: Double {
    guard let session = graph.session else { return 0 }
    return Double(session.nextFrame) / session.clientRate
  }

  /// The time of the next update of the timeline that the graph has not been given, in seconds from
  /// the start; `nil` for none.
  public var nextUpdate: Double? { state.withLock { $0.updates.first?.time } }

  /// `nextUpdate` in frames of the plans. A device without a clock must wait there until
  /// `planUpdates(upTo:)` has returned.
  public var nextUpdateFrame: Int? {
    guard let time = nextUpdate, let session = graph.session else { return nil }
    return Int(time * session.clientRate)
  }

  /// The pointers of the values that the timeline has changed since the last call; `nil` where no
  /// step has passed since. `reading` already has these changes.
  public func takePassedSteps() -> [String]? {
    state.withLock { $0.progress.take(upTo: now) }
  }

  /// Gives the graph the updates of the timeline up to a time, each planned for its frame.
  ///
  /// Call it some time ahead: an update that is planned late takes effect as soon as possible.
  ///
  /// - Parameter seconds: The time from the start of the graph.
  /// - Throws: ``Refusal`` where an update cannot be made while the patch plays.
  public func planUpdates(upTo seconds: Double) throws(Refusal) {
    guard nextUpdate.map({ $0 <= seconds }) == true else { return }
    try changing.withLock { _ throws(Refusal) in
      while let update = state.withLock({ $0.updates.first }), update.time <= seconds {
        var next = PatchBuilder.build(update, in: surroundings, device: .granted(grant))
        let names = try carryOut(
          difference(to: next, triggered: Set(update.triggers)), state.withLock(\.reading),
          at: update.time)
        state.withLock { state in
          // The document stays the same: the update is in its timeline.
          next.updates = state.reference.updates
          state.take(next, names)
          state.updates.removeFirst()
        }
      }
    }
  }

  /// Plays another document. The steps of its timeline that lie in the past count as passed.
  ///
  /// - Parameters:
  ///   - time: When the change takes effect, in seconds from the start of the graph; `nil` for as
  ///     soon as possible.
  ///   - isRequest: Whether the change is a request, whose gains `OutputLimits.requestedGain`
  ///     limits.
  ///   - isConfined: Whether the document may name only files in the patch's folder and those that
  ///     play already, as for a document from a stranger.
  /// - Returns: What has changed and how it is heard; empty where nothing has.
  /// - Throws: ``Refusal``; what plays goes on unchanged.
  @discardableResult
  public func play(
    _ reading: PatchReader.Result, at time: Double? = nil, isRequest: Bool = false,
    isConfined: Bool = false
  ) throws(Refusal) -> [PatchChange] {
    var reading = reading
    var next = try build(reading, isConfined)
    if reading.document?.timeline.isEmpty == false {
      let folded = TimelineFold.fold(
        reading, next.updates, upTo: time ?? now, sampleRate: grant.sampleRate)
      if folded.source.bytes != reading.source.bytes {
        reading = folded
        next = try build(reading, isConfined)
      }
    }
    return try changing.withLock { _ throws(Refusal) in
      let difference = difference(to: next)
      if isRequest {
        let refused = RequestedGains.diagnostics(
          of: difference, above: next.layout.limits.requestedGain)
        if !refused.isEmpty {
          next.diagnostics = (next.diagnostics + refused).inDocumentOrder()
          throw .wrong(next)
        }
      }
      let names = try carryOut(difference, reading, at: time)
      let progress = TimelineProgress(reading, sampleRate: grant.sampleRate)
      state.withLock { state in
        state.reading = reading
        state.base += 1
        state.take(next, names)
        state.updates = next.updates
        state.progress = progress
      }
      return difference.changes
    }
  }

  /// Builds a document for its errors and warnings, without playing it.
  ///
  /// - Parameter isConfined: As in `play`.
  public func check(_ reading: PatchReader.Result, isConfined: Bool = false) -> BuiltPatch {
    // Built as a whole, because a `PatchRevision` reports no warnings.
    PatchBuilder.build(reading, in: surroundings(isConfined), device: .granted(grant))
  }

  /// The surroundings for a document that is being typed: it may read files in the patch's folder,
  /// and those that play already.
  public var surroundingsOfDrafts: PatchSurroundings { surroundings(true) }

  private func surroundings(_ isConfined: Bool) -> PatchSurroundings {
    guard isConfined else { return surroundings }
    let reference = state.withLock { $0.reference }
    var confined = surroundings
    confined.files = surroundings.files.confined(
      to: surroundings.directory,
      except: Set(reference.inputFiles + reference.outputFiles))
    return confined
  }

  /// Builds the patch of a document; throws where it has errors.
  private func build(
    _ reading: PatchReader.Result, _ isConfined: Bool
  ) throws(Refusal) -> BuiltPatch {
    let reference = state.withLock { $0.reference }
    let surroundings = surroundings(isConfined)
    let patch =
      PatchRevision.build(reading, from: reference, in: surroundings)
      ?? PatchBuilder.build(reading, in: surroundings, device: .granted(grant))
    guard !patch.hasErrors, patch.graph != nil else { throw .wrong(patch) }
    return patch
  }

  /// Why the sound of a callback in the playing document cannot begin again: a message and help;
  /// `nil` where it can.
  public func triggerProblem(_ callback: String) -> (message: String, help: [String])? {
    guard let document = state.withLock(\.reference).document else { return nil }
    return TriggerProblem(callback, in: document).map { problem in
      let guess = didYouMean(callback, among: problem.names)
      return (problem.message, [guess].compactMap(\.self) + problem.help)
    }
  }

  /// Makes the sounds of callbacks begin again, together and as soon as possible. Each new sound
  /// starts at full level, while the old one fades out within 5 ms. Callbacks that process the
  /// sound continue.
  ///
  /// - Parameter callbacks: Their names; in sub-graphs `strip/song`. A callback that cannot begin
  ///   again (`triggerProblem(_:)`), or that feeds nothing, stays as it is.
  /// - Returns: The sounds that begin again, as changes.
  /// - Throws: ``Refusal`` where the graph cannot be changed.
  @discardableResult
  public func trigger(_ callbacks: [String]) throws(Refusal) -> [PatchChange] {
    let triggered = Set(callbacks.filter { triggerProblem($0) == nil })
    return try changing.withLock { _ throws(Refusal) in
      let (reference, reading) = state.withLock { ($0.reference, $0.reading) }
      let difference = difference(to: reference, triggered: triggered)
      let names = try carryOut(difference, reading, at: nil)
      state.withLock { $0.take(reference, names) }
      return difference.changes
    }
  }

  /// What another patch changes in the one that plays. The caller holds `changing`.
  ///
  /// - Parameter triggered: The names of callbacks that begin again.
  private func difference(
    to next: BuiltPatch, triggered: Set<String> = []
  ) -> GraphDifference {
    let (reference, nodes) = state.withLock { ($0.reference, $0.names.nodes) }
    // An initialized unit keeps the configuration that it was initialized with, so this is
    // compared.
    return GraphDifference(
      from: reference, to: next, triggered: triggered,
      running: { name in
        nodes[name].flatMap { (try? self.graph.unit($0))?.configuration() }
      })
  }

  /// Turns the graph into that of another patch. The caller holds `changing`.
  ///
  /// - Returns: The nodes and the taps that play then.
  /// - Throws: ``Refusal/restart(_:_:)`` where the graph cannot be changed while it plays.
  private func carryOut(
    _ difference: GraphDifference, _ reading: PatchReader.Result, at time: Double?
  ) throws(Refusal) -> PlayingNames {
    guard difference.restarts.isEmpty else { throw .restart(reading, difference.changes) }
    var transition = GraphTransition(
      graph: graph, difference: difference, hasTaps: hasTaps, names: state.withLock(\.names))
    guard !difference.isEmpty else { return transition.names }
    do throws(Violation) { try transition.carryOut(at: time) } catch {
      throw .restart(
        reading,
        [
          PatchChange(
            "", "what plays cannot be changed into the patch: \(error.message)", .restart)
        ])
    }
    graph.outputPeakLimit = difference.new.layout.limits.outputPeak
    return transition.names
  }
}
