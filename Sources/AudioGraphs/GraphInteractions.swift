public import AudioTypes
public import RenderCore
import Synchronization

/// What feeds what, and what watches.
extension AudioGraph {
  /// Connects an output element to an input element, in the place of what has fed that. Whether the
  /// buses exist, and whether the formats fit, is found at `initialize()` or `update()`.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_InvalidConnection` where the output is taken
  ///   by another input, or a node would feed itself (an I/O unit's element 1 may feed its element 0).
  public func connect(
    _ source: NodeID, _ output: Int = 0, to destination: NodeID, _ input: Int = 0
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.connect(Connection(from: source, output, to: destination, input)), &state)
    }
  }

  /// Feeds an input element by a callback, in the place of what has fed it.
  ///
  /// A `CallbackInstance`, here and in `feed`, is what its live settings are turned by. One that plays
  /// already goes on in its new place: where only what it pulls is another, what it pulled fades out as
  /// the other fades in.
  ///
  /// - Parameter feed: What a callback that processes pulls; `nil` for nothing.
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_InvalidConnection` where something else takes
  ///   from the output that is pulled, or the callback pulls nothing and is given something;
  ///   `kAudioUnitErr_NoConnection` where it processes and is given nothing.
  public func setInputCallback(
    _ callback: any RenderCallback, of node: NodeID, _ input: Int = 0,
    from feed: CallbackFeed? = nil
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(
        .callback(
          InputCallback(callback: callback, destination: node, input: input, feed: feed)), &state)
    }
  }

  /// The same of a callback that may feed other inputs as well.
  ///
  /// - Parameter name: What the sound is called that the chain of callbacks begins with: inputs that are fed
  ///   by sounds of one name hear the same.
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

  /// The callbacks that feed an input element: the one that feeds it, the one that this pulls, and so
  /// on; empty where none does. Their live settings can be turned. Edits that are pending are not
  /// among them.
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

  /// Removes what feeds an input element.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`; `kAUGraphErr_InvalidConnection` where nothing feeds it
  ///   (our choice; Core Audio documents no code).
  public func disconnect(_ node: NodeID, _ input: Int = 0) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.disconnect(BusKey(node: node, bus: input)), &state)
    }
  }

  /// Takes away what feeds an input, to be put to another by `attachFeed(_:to:_:)`: a callback goes on
  /// there where it is.
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

  /// Feeds an input by what has been taken from another, once.
  ///
  /// - Throws: As `connect(_:_:to:_:)`; `kAUGraphErr_InvalidConnection` where it has been attached
  ///   already.
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

  /// Why a document may not feed an input: something does already. A call that feeds it would take that
  /// away.
  package func secondFeed(of node: NodeID, _ input: Int) -> Violation? {
    state.withLock { InputsFedOnce.violation(node, input, in: $0.model) }
  }

  /// Connections and callbacks in the order in which they were made.
  public var interactions: [Interaction] { state.withLock { $0.model.interactions } }

  /// The interactions that a node is an end of.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func interactions(of node: NodeID) throws(Violation) -> [Interaction] {
    try state.withLock { state throws(Violation) in
      guard state.model.node(node) != nil else { throw NodesExist.violation(node) }
      return state.model.interactions.filter {
        $0.destination == node || $0.link?.source == node
      }
    }
  }

  /// Watches an output element. Pending while the graph is initialized.
  ///
  /// - Parameter name: What listings call it; not given, "tap" and its number.
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

  /// Watches no longer. Pending while the graph is initialized; one that is not there is no mistake.
  public func removeTap(_ tap: TapID) throws(Violation) {
    try state.withLock { state throws(Violation) in try make(.removeTap(tap), &state) }
  }

  /// Has a tap watch another output element, and go on there: a recording in its file, where the stream
  /// format is the same, else in a second one. Pending while the graph is initialized; one that is not
  /// there is no mistake.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func moveTap(
    _ tap: TapID, to node: NodeID, _ output: Int = 0
  ) throws(Violation) {
    try state.withLock { state throws(Violation) in
      try make(.moveTap(tap, to: BusKey(node: node, bus: output)), &state)
    }
  }

  /// What the taps that measure have read so far, in the order of addition; after the graph has been
  /// stopped or closed, in all. None before `initialize()`.
  ///
  /// Any thread but the render thread, which is neither waited for nor made to wait.
  public var readings: [TapMeasurement] {
    let (taps, readers) = present.withLock { ($0.model?.taps ?? [], $0.readers) }
    return taps.compactMap { tap in
      readers[tap.id].map {
        TapMeasurement(
          id: tap.id, name: tap.name, node: tap.node, output: tap.output, reading: $0.reading)
      }
    }
  }

  /// What a tap has read so far; `nil` where it measures nothing, as in `readings`.
  public func reading(of tap: TapID) -> TapReading? {
    present.withLock { $0.readers[tap] }?.reading
  }

  /// The format of every bus that must be given one and is given none. Set before `initialize()`.
  public var defaultStreamFormat: StreamFormat? {
    get { state.withLock { $0.defaultFormat } }
    set { state.withLock { $0.defaultFormat = newValue } }
  }

  /// How many bytes units, callbacks and taps may take, about; `nil`, as it is at first, for no limit. Set
  /// before `initialize()`, which then refuses what takes more, as `update()` does.
  public var memoryLimit: Int? {
    get { state.withLock { $0.memoryLimit } }
    set { state.withLock { $0.memoryLimit = newValue } }
  }

  /// What the sound is for: `initialize()` refuses sides of the I/O unit that the category does not permit.
  /// `nil`, as it is at first, permits both. Set before `initialize()`.
  public var sessionCategory: SessionCategory? {
    get { state.withLock { $0.category } }
    set { state.withLock { $0.category = newValue } }
  }

  /// Gives the buses of one node another format than `defaultStreamFormat` for where none is given;
  /// `nil` takes it away again. Set before `initialize()`.
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

  /// The format that `setDefaultStreamFormat(_:of:)` has given a node; `nil` for none.
  ///
  /// - Throws: `kAUGraphErr_NodeNotFound`.
  public func defaultStreamFormat(of node: NodeID) throws(Violation) -> StreamFormat? {
    try state.withLock { state throws(Violation) in
      guard let found = state.model.node(node) else { throw NodesExist.violation(node) }
      return found.defaultFormat
    }
  }
}
