public import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
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
  fileprivate struct State {
    /// The document that plays, with what is still to come of its timeline.
    var reading: PatchReader.Result
    /// Another number for every document that was told to play.
    var base = 0
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
  private let surroundings: PatchSurroundings
  private let grant: HardwareGrant
  private let hasTaps: Bool
  /// Held for no longer than it takes to look.
  private let state: Mutex<State>
  /// Held while what plays goes over to something else: while units are made and files are opened.
  /// Whoever holds it may take the others.
  private let changing = Mutex<Void>(())
  private let folded: Mutex<Folded>

  private struct Folded {
    var document: FoldedDocument
    /// Another number for every text.
    var revision = 0
    /// How often a document has been read to take steps of its timeline in.
    var folds = 0
  }

  /// - Parameters:
  ///   - patch: Without errors; its graph is initialized, or about to be.
  ///   - reading: What it was built from.
  ///   - surroundings: Where paths in documents begin, and what they may do. Of libraries they load only
  ///     those that `patch` has.
  ///   - hasTaps: Whether taps come and go as documents say; else none ever comes.
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
        nodes: patch.layout.nodes, taps: patch.layout.taps.mapValues(\.id)))
  }

  /// The document that plays: what has happened of its timeline is in it.
  ///
  /// It is made once when something has happened. Who asks is not kept waiting by a change.
  public var reading: PatchReader.Result { revision.reading }

  /// The same, and a number that is another one whenever the document is.
  public var revision: (number: Int, reading: PatchReader.Result) {
    fold(state.withLock(\.self), at: now)
  }

  /// How often a document has been read again to take steps of its timeline in: once for each time that
  /// somebody has asked after one had passed.
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
    let state = state.withLock(\.self)
    let time = now
    return Present(
      reading: fold(state, at: time).reading, reference: state.reference, nodes: state.nodes,
      time: time)
  }

  /// A graph that is what plays and that nothing plays, with its document: to be looked at, as a drawing
  /// does, without holding up the graph that plays. `nil` where the document has none.
  package var reference: (reading: PatchReader.Result, patch: Reference?) {
    let present = present
    guard let graph = present.reference.graph, let document = present.reference.document else {
      return (present.reading, nil)
    }
    return (
      present.reading, Reference(graph: graph, document: document, surroundings: surroundings)
    )
  }

  /// A graph with the document that it is of.
  package struct Reference {
    package let graph: AudioGraph
    package let document: PatchDocument
    package let surroundings: PatchSurroundings
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

  /// The same in frames of the plans: a device that keeps no time has to wait there until the graph has
  /// been told.
  public var nextUpdateFrame: Int? {
    guard let time = nextUpdate, let session = graph.session else { return nil }
    let rate = session.configuration.clientSampleRate ?? session.configuration.sampleRate
    return Int(time * rate)
  }

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
    guard nextUpdate.map({ $0 <= seconds }) == true else { return }
    try changing.withLock { _ throws(Refusal) in
      while let update = state.withLock({ $0.updates.first }), update.time <= seconds {
        var next = PatchBuilder.build(update, in: surroundings, device: .granted(grant))
        let passed = try carryOut(
          next, state.withLock(\.reading), at: update.time, triggered: Set(update.triggers))
        state.withLock { state in
          // The document stays what it is: its timeline says what has happened.
          next.updates = state.reference.updates
          state.take(passed, next)
          state.updates.removeFirst()
        }
      }
    }
  }

  /// Goes over to another document. What its timeline says of the time that has passed has happened.
  ///
  /// - Parameters:
  ///   - time: Seconds from the start of the graph at which the change takes effect; `nil` for as soon as
  ///     can be.
  ///   - isRequest: Whether somebody has asked for it who may make things only so loud as the patch
  ///     allows: `OutputLimits.requestedGain`.
  ///   - isConfined: Whether it names only files in the patch's folder, but for those that play
  ///     already: for a document from a stranger.
  /// - Returns: What has changed and how it is heard; empty where nothing has.
  @discardableResult
  public func play(
    _ reading: PatchReader.Result, at time: Double? = nil, isRequest: Bool = false,
    isConfined: Bool = false
  ) throws(Refusal) -> [PatchChange] {
    var reading = reading
    var next = build(reading, isConfined)
    guard !next.hasErrors, next.graph != nil else { throw .wrong(next) }
    if reading.document?.timeline.isEmpty == false {
      let folded = TimelineFold.fold(
        reading, next.updates, upTo: time ?? now, sampleRate: grant.sampleRate)
      if folded.source.bytes != reading.source.bytes {
        reading = folded
        next = build(reading, isConfined)
        guard !next.hasErrors, next.graph != nil else { throw .wrong(next) }
      }
    }
    return try changing.withLock { _ throws(Refusal) in
      if isRequest {
        let refused = RequestedGains.diagnostics(from: state.withLock(\.reference), to: next)
        if !refused.isEmpty {
          next.diagnostics = (next.diagnostics + refused).inDocumentOrder()
          throw .wrong(next)
        }
      }
      let passed = try carryOut(next, reading, at: time)
      let progress = TimelineProgress(reading, sampleRate: grant.sampleRate)
      state.withLock { state in
        state.reading = reading
        state.base += 1
        state.take(passed, next)
        state.updates = next.updates
        state.progress = progress
      }
      return passed.changes
    }
  }

  /// The errors and warnings that a document would have if it played. Nothing changes.
  ///
  /// - Parameter isConfined: As in `play`.
  public func check(_ reading: PatchReader.Result, isConfined: Bool = false) -> BuiltPatch {
    // As a whole: of what is made from another patch nothing is said but that it is right.
    PatchBuilder.build(
      reading, in: surroundings(isConfined, state.withLock { $0.reference }),
      device: .granted(grant))
  }

  /// What a document may do that somebody types: it reads in the patch's folder, and what plays already.
  public var surroundingsOfDrafts: PatchSurroundings {
    surroundings(true, state.withLock { $0.reference })
  }

  private func surroundings(
    _ isConfined: Bool, _ reference: BuiltPatch
  ) -> PatchSurroundings {
    guard isConfined else { return surroundings }
    var confined = surroundings
    confined.files = surroundings.files.confined(
      to: surroundings.directory,
      except: Set(reference.inputFiles + reference.outputFiles))
    return confined
  }

  private func build(_ reading: PatchReader.Result, _ isConfined: Bool) -> BuiltPatch {
    let reference = state.withLock { $0.reference }
    let surroundings = surroundings(isConfined, reference)
    return PatchRevision.build(reading, from: reference, in: surroundings)
      ?? PatchBuilder.build(reading, in: surroundings, device: .granted(grant))
  }

  /// What has become of what plays.
  fileprivate struct Passed {
    var changes: [PatchChange]
    var nodes: [String: NodeID]
    var taps: [String: TapID]
  }

  /// Why the sound of a callback of the document that plays cannot begin again: a sentence and what helps;
  /// `nil` where it can.
  public func triggerProblem(_ callback: String) -> (message: String, help: [String])? {
    guard let document = state.withLock(\.reference).document else { return nil }
    return TriggerProblem(callback, in: document).map { problem in
      let guess = didYouMean(callback, among: problem.names)
      return (problem.message, [guess].compactMap(\.self) + problem.help)
    }
  }

  /// Has the sounds of callbacks begin again, together and as soon as can be: each is heard whole from its
  /// first frame on, while what it has played until then fades out in 5 ms. What processes it goes on.
  ///
  /// - Parameter callbacks: Their names; in sub-graphs `strip/song`. One whose sound has no beginning
  ///   (`triggerProblem(_:)`), or that feeds nothing, stays as it is.
  /// - Returns: What begins.
  @discardableResult
  public func trigger(_ callbacks: [String]) throws(Refusal) -> [PatchChange] {
    let names = Set(callbacks.filter { triggerProblem($0) == nil })
    return try changing.withLock { _ throws(Refusal) in
      let (reference, reading) = state.withLock { ($0.reference, $0.reading) }
      let passed = try carryOut(reference, reading, at: nil, triggered: names)
      state.withLock { $0.take(passed, reference) }
      return passed.changes
    }
  }

  /// Has the graph go over to another patch. Called by whoever holds `changing`.
  ///
  /// - Parameter triggered: The callbacks whose sounds begin again.
  private func carryOut(
    _ next: BuiltPatch, _ reading: PatchReader.Result, at time: Double?,
    triggered: Set<String> = []
  ) throws(Refusal) -> Passed {
    let state = state.withLock(\.self)
    // What a unit that is initialized has is what it has been initialized with.
    let (graph, nodes) = (graph, state.nodes)
    let difference = GraphDifference(
      from: state.reference, to: next, triggered: triggered,
      running: { name in
        nodes[name].flatMap { (try? graph.unit($0))?.configuration() }
      })
    guard difference.restarts.isEmpty else { throw .restart(reading, difference.changes) }
    var passed = Passed(changes: difference.changes, nodes: state.nodes, taps: state.taps)
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
      passed.nodes = passage.nodes
      passed.taps = passage.taps
      graph.outputPeakLimit = next.layout.limits.outputPeak
    }
    return passed
  }
}

extension LivePatch.State {
  fileprivate mutating func take(_ passed: LivePatch.Passed, _ next: BuiltPatch) {
    reference = next
    nodes = passed.nodes
    taps = passed.taps
  }
}
