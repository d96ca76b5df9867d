public import AudioTypes
public import RenderCore
import Synchronization

/// Connections, callbacks and taps.
extension AudioGraph {
  /// Connects an output element to an input element, replacing the input's feed. `initialize()` and
  /// `update()` check whether the buses exist and the formats match.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_InvalidConnection` where the output feeds
  ///   another input, or a node would feed itself (an I/O unit's element 1 may feed its element 0).
  public func connect(
    _ source: NodeID, _ output: Int = 0, to destination: NodeID, _ input: Int = 0
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.connect(Connection(from: source, output, to: destination, input)), &state)
    }
  }

  /// Feeds an input element by a callback, replacing the input's feed.
  ///
  /// A `CallbackInstance`, here and in `feed`, gives access to the live settings. An instance that
  /// plays already continues at its new place; if only its feed changes, the old feed crossfades to
  /// the new one.
  ///
  /// - Parameter feed: What a processing callback pulls; `nil` for nothing.
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_InvalidConnection` where the pulled output
  ///   feeds something else, or a callback that pulls nothing is given a feed;
  ///   `kAudioUnitErr_NoConnection` where a processing callback is given none.
  public func setInputCallback(
    _ callback: any RenderCallback, of node: NodeID, _ input: Int = 0,
    from feed: CallbackFeed? = nil
  ) throws(Violation) {
    try setInputCallback(callback, of: node, input, from: feed, soundingAs: nil)
  }

  /// The same for a callback that may feed other inputs as well.
  ///
  /// - Parameter name: The name of the source at the beginning of the chain of callbacks. Sources
  ///   of the same name are the same sound.
  package func setInputCallback(
    _ callback: any RenderCallback, of node: NodeID, _ input: Int, from feed: CallbackFeed?,
    soundingAs name: String?
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(
        .callback(
          InputCallback(
            callback: callback, destination: node, input: input, feed: feed, name: name)), &state)
    }
  }

  /// The callbacks that feed an input element: the one that feeds it directly, the one that this
  /// pulls, and so on; empty where no callback feeds it. Their live settings can be changed.
  /// Pending edits are not included.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func callbacks(of node: NodeID, _ input: Int = 0) throws(Violation) -> [CallbackInstance] {
    try state.withLock { state throws(Violation) in
      guard state.model.node(node) != nil else { throw NodesExist.violation(node) }
      guard case .callback(let callback)? = state.model.feeds[BusKey(node: node, bus: input)] else {
        return []
      }
      return callback.instances
    }
  }

  /// Removes the feed of an input element.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_InvalidConnection` where nothing feeds it
  ///   (our choice; Core Audio documents no code).
  public func disconnect(_ node: NodeID, _ input: Int = 0) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.disconnect(BusKey(node: node, bus: input)), &state)
    }
  }

  /// Detaches the feed of an input, for `attachFeed(_:to:_:)`. A callback keeps its state for the
  /// new input.
  ///
  /// - Throws: As `disconnect(_:_:)`.
  public func detachFeed(of node: NodeID, _ input: Int = 0) throws(Violation) -> FeedToken {
    try state.withLock { state throws(Violation) in
      state.nextToken += 1
      let token = FeedToken(number: state.nextToken)
      try make(.detach(BusKey(node: node, bus: input), token), &state)
      return token
    }
  }

  /// Feeds an input by a detached feed. A token can be attached once.
  ///
  /// - Throws: As `connect(_:_:to:_:)`; `kAUGraphErr_InvalidConnection` where the token has been
  ///   attached already.
  public func attachFeed(
    _ token: FeedToken, to node: NodeID, _ input: Int = 0
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.attach(token, to: BusKey(node: node, bus: input)), &state)
    }
  }

  /// Removes every connection and every callback.
  public func clearConnections() throws(Violation) {
    try state.withLock { state throws(Violation) in try make(.clear, &state) }
  }

  /// Connects an output element to an input element that nothing feeds.
  ///
  /// - Throws: As `connect(_:_:to:_:)`, and where something feeds the input.
  package func connectOnce(
    _ source: NodeID, _ output: Int, to destination: NodeID, _ input: Int
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      if let second = InputsFedOnce.violation(destination, input, in: state.model) { throw second }
      try make(.connect(Connection(from: source, output, to: destination, input)), &state)
    }
  }

  /// The violation of feeding an input twice, for callers that do not want `connect` to replace the
  /// feed; `nil` where nothing feeds it yet.
  package func secondFeed(of node: NodeID, _ input: Int) -> Violation? {
    state.withLock { InputsFedOnce.violation(node, input, in: $0.model) }
  }

  /// Connections and callbacks in the order in which they were made.
  public var interactions: [Interaction] { state.withLock { $0.model.interactions } }

  /// The interactions with a node at one end.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func interactions(of node: NodeID) throws(Violation) -> [Interaction] {
    try state.withLock { state throws(Violation) in
      guard state.model.node(node) != nil else { throw NodesExist.violation(node) }
      return state.model.interactions.filter { state.model.touches($0, node) }
    }
  }

  /// The taps, in the order in which they were added. Pending ones are not among them.
  package var taps: [any RenderTap] { state.withLock { $0.model.taps.map(\.tap) } }

  /// Adds a tap to an output element. Pending while the graph is initialized.
  ///
  /// - Parameter name: Its name in listings; "tap" and its number where `nil`.
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  @discardableResult
  public func addTap(
    _ tap: any RenderTap, at node: NodeID, _ output: Int = 0, name: String? = nil
  ) throws(Violation) -> TapID {
    try state.withLock { state throws(Violation) in
      state.nextToken += 1
      let id = TapID(rawValue: state.nextToken)
      let tap = GraphModel.Tap(
        id: id, node: node, output: output, name: name ?? "tap \(id.rawValue)", tap: tap)
      try make(.addTap(tap), &state)
      return id
    }
  }

  /// Removes a tap. Pending while the graph is initialized. A tap that does not exist is ignored.
  public func removeTap(_ tap: TapID) throws(Violation) {
    try state.withLock { state throws(Violation) in try make(.removeTap(tap), &state) }
  }

  /// Moves a tap to another output element, where it continues. A recording continues in its file
  /// if the stream format is the same, otherwise in a second file. Pending while the graph is
  /// initialized. A tap that does not exist is ignored.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func moveTap(
    _ tap: TapID, to node: NodeID, _ output: Int = 0
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.moveTap(tap, to: BusKey(node: node, bus: output)), &state)
    }
  }

  /// The present readings of the taps that measure, in the order of addition; the final ones after
  /// the graph has been stopped or closed. Empty before `initialize()`.
  ///
  /// Any thread but the render thread. The call neither waits for the render thread nor delays it.
  public var readings: [TapMeasurement] {
    let (taps, readers) = present.withLock { ($0.model?.taps ?? [], $0.readers) }
    return taps.compactMap { tap in
      readers[tap.id].map {
        TapMeasurement(
          id: tap.id, name: tap.name, node: tap.node, output: tap.output, reading: $0.reading)
      }
    }
  }

  /// The present reading of a tap; `nil` for a tap that does not measure, and before
  /// `initialize()`.
  public func reading(of tap: TapID) -> TapReading? {
    present.withLock { $0.readers[tap] }?.reading
  }

  /// The format of every bus that needs a format and has been given none. Set it before
  /// `initialize()`.
  public var defaultStreamFormat: StreamFormat? {
    get { state.withLock { $0.defaultFormat } }
    set { state.withLock { $0.defaultFormat = newValue } }
  }

  /// An approximate limit, in bytes, of the memory of units, callbacks and taps; `nil`, the
  /// default, for no limit. Set before `initialize()`, which refuses a graph above the limit, as
  /// `update()` does.
  public var memoryLimit: Int? {
    get { state.withLock { $0.memoryLimit } }
    set { state.withLock { $0.memoryLimit = newValue } }
  }

  /// The session category: `initialize()` refuses sides of the I/O unit that it does not permit.
  /// `nil`, the default, permits both. Set before `initialize()`.
  public var sessionCategory: SessionCategory? {
    get { state.withLock { $0.category } }
    set { state.withLock { $0.category = newValue } }
  }

  /// Sets a format that replaces `defaultStreamFormat` for the buses of one node; `nil` removes it.
  /// Set before `initialize()`.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func setDefaultStreamFormat(
    _ format: StreamFormat?, of node: NodeID
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      guard state.model.setDefaultFormat(format, of: node) else {
        throw NodesExist.violation(node)
      }
    }
  }

  /// The format set by `setDefaultStreamFormat(_:of:)`; `nil` for none.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func defaultStreamFormat(of node: NodeID) throws(Violation) -> StreamFormat? {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      return found.defaultFormat
    }
  }
}
