package import AudioTypes
public import RenderCore
import Synchronization

/// The feed of an input, for a unit outside of a graph.
package enum UnitFeed: Sendable {
  case unit(UnitSource, output: Int)
  /// A callback, with a number that is unique among all callbacks that have been set.
  case callback(any RenderCallback, serial: Int)
}

/// A unit that feeds another one. The fed unit retains it, except where it is an output unit: an
/// I/O unit may feed the unit that feeds it.
///
/// `@unchecked Sendable`: set once, and a weak reference may be read by any thread.
package final class UnitSource: @unchecked Sendable {
  private let kept: UnitInstance?
  private weak var seen: UnitInstance?

  init(_ unit: UnitInstance) {
    kept = unit.description.isOutput ? nil : unit
    seen = unit
  }

  package var unit: UnitInstance? { kept ?? seen }
}

/// Connections and callbacks of units outside of a graph, which take effect at once.
extension UnitInstance {
  private static let lastCallback = Atomic<Int>(0)

  /// The feeds of the inputs of a unit outside of a graph.
  package var feeds: [Int: UnitFeed] { state.withLock { $0.rare.feeds } }

  /// The object that renders the unit outside of a graph; makes it if there is none.
  package func loneRenderer<Renderer: AnyObject & Sendable>(orMake make: () -> Renderer) -> Renderer
  {
    let made = make()
    return state.withLock { state in
      if let present = state.rare.loneRenderer as? Renderer { return present }
      state.rare.loneRenderer = made
      return made
    }
  }

  /// Whether the unit is in a graph, which then holds its feeds.
  package var isInGraph: Bool { host?.keepsFeeds == true }

  /// Feeds an input from the connection in a `makeConnection` value.
  func connectAlone(_ connection: UnitConnection) throws(Violation) {
    let input = connection.input
    let place = Violation.Place(node: nil, .feed(input))
    guard let source = connection.source else { return removeFeed(input) }
    try checkBus(.input, input)
    try source.checkBus(.output, connection.output)
    guard !source.isInGraph else {
      throw Violation(
        UnitRules.unitInGraph, status: .cannotDoInCurrentContext,
        "the unit that feeds it is in a graph", at: place)
    }
    if let message = refusal(of: connection, from: source) {
      throw Violation(UnitRules.unitConnection, status: .invalidConnection, message, at: place)
    }
    try takeFormat(of: source, connection)
    forgetFeed(input)
    state.withLock { state in
      state.rare.feeds[input] = .unit(UnitSource(source), output: connection.output)
      state.inputUses[input] = .connection
    }
    source.state.withLock { state in
      state.outputUses[connection.output] = .connection
      state.rare.fedInputs[connection.output] = FedInput(unit: self, input: input)
    }
    host?.replan(for: self)
  }

  /// Feeds an input by a callback; `nil` removes the feed.
  func setCallbackAlone(
    _ callback: (any RenderCallback)?, _ input: Int
  ) throws(Violation) {
    guard let callback else { return removeFeed(input) }
    try checkBus(.input, input)
    let place = Violation.Place(node: nil, .feed(input))
    if isIO && input != RemoteIO.outputElement {
      throw Violation(
        UnitRules.unitConnection, status: .propertyNotWritable,
        "input 1 of an I/O unit is the microphone itself: only the device feeds it", at: place)
    }
    guard callback.input != .required else {
      throw Violation(
        UnitRules.unitConnection, status: .noConnection,
        "a callback that processes what it pulls is given nothing to pull", at: place,
        help: ["a graph gives it something: setInputCallback(_:of:_:from:)"])
    }
    forgetFeed(input)
    let serial = Self.lastCallback.wrappingAdd(1, ordering: .relaxed).newValue
    state.withLock { state in
      state.rare.feeds[input] = .callback(callback, serial: serial)
      state.inputUses[input] = .callback
    }
    host?.replan(for: self)
  }

  /// Removes the feed of an input, if there is one.
  private func removeFeed(_ input: Int) {
    if forgetFeed(input) { host?.replan(for: self) }
  }

  /// Removes the feed of an input without making a new plan, because another feed follows. Returns
  /// whether there was a feed.
  @discardableResult
  private func forgetFeed(_ input: Int) -> Bool {
    let removed = state.withLock { state in
      state.inputUses[input] = nil
      return state.rare.feeds.removeValue(forKey: input)
    }
    guard let removed else { return false }
    if case .unit(let source, let output) = removed {
      source.unit?.state.withLock { state in
        state.outputUses[output] = nil
        state.rare.fedInputs[output] = nil
      }
    }
    return true
  }

  /// Why a connection is refused; `nil` where it can be made.
  private func refusal(of connection: UnitConnection, from source: UnitInstance) -> String? {
    if isIO && connection.input != RemoteIO.outputElement {
      return "input 1 of an I/O unit is the microphone itself: only the device feeds it"
    }
    if source.description.isOutput,
      !source.isIO || connection.output != RemoteIO.inputElement
    {
      return "what an output unit plays goes to its device or its client: nothing else can take it"
    }
    if let taker = source.state.withLock({ $0.rare.fedInputs[connection.output] }),
      let unit = taker.unit,
      unit !== self || taker.input != connection.input
    {
      return "output \(connection.output) already feeds input \(taker.input) of another unit, and "
        + "an output feeds one input only"
    }
    // The two sides of an I/O unit form no cycle.
    guard !source.description.isOutput else { return nil }
    var seen: Set<Int> = []
    var queue = [source]
    while let unit = queue.popLast() {
      if unit === self { return "the unit would feed itself" }
      guard seen.insert(unit.serial).inserted, !unit.description.isOutput else { continue }
      for case .unit(let source, _) in unit.feeds.values {
        if let unit = source.unit { queue.append(unit) }
      }
    }
    return nil
  }

  /// Passes the format of the source along a connection.
  private func takeFormat(
    of source: UnitInstance, _ connection: UnitConnection
  ) throws(Violation) {
    let place = Violation.Place(node: nil, .feed(connection.input))
    let format = source.state.withLock { $0.outputs[connection.output].format }
    if let violation = unit.violation(of: format, scope: .input, element: connection.input) {
      throw violation
    }
    try state.withLock { state throws(Violation) in
      let present = state.inputs[connection.input].format
      guard present != format else { return }
      guard !state.isInitialized else {
        throw Violation(
          UnitRules.formatWritable, status: .propertyNotWritable,
          "input \(connection.input) was initialized with \(present.summary) and cannot change to "
            + format.summary, at: place)
      }
      state.inputs[connection.input].format = format
      state.inputs[connection.input].origin = .propagated(from: NodeID(rawValue: 0), output: 0)
    }
  }

  /// Passes the present formats of all sources along their connections, as the unit's
  /// initialization does.
  package func takeConnectedFormats() throws(Violation) {
    for (input, feed) in feeds.sorted(by: { $0.key < $1.key }) {
      guard case .unit(let source, let output) = feed, let unit = source.unit else { continue }
      try takeFormat(of: unit, UnitConnection(from: unit, output, to: input))
    }
  }

  private var isIO: Bool { kind.isIO }

  private func checkBus(_ scope: Scope, _ element: Int) throws(Violation) {
    try state.withLock { state throws(Violation) in try checkElement(scope, element, state) }
  }

  // MARK: Notifications

  /// Calls an observer before and after each render of the unit, on the render thread: Core Audio's
  /// `AudioUnitAddRenderNotify`. The observer must not allocate, lock or call the system.
  ///
  /// The unit's feeds have been rendered before the first call. Where a scheduled parameter cuts a
  /// slice, each piece is a render.
  public func addRenderNotification(_ body: @escaping RenderObserver.Body) -> ListenerToken {
    let token = state.withLock { state in
      state.rare.nextListener += 1
      state.rare.renderObservers[state.rare.nextListener] = RenderObserver(body)
      return ListenerToken(number: state.rare.nextListener)
    }
    host?.replan(for: self)
    return token
  }

  /// Removes an observer (`AudioUnitRemoveRenderNotify`).
  public func removeRenderNotification(_ token: ListenerToken) {
    let removed = state.withLock { $0.rare.renderObservers.removeValue(forKey: token.number) }
    if removed != nil { host?.replan(for: self) }
  }

  /// The render observers, in the order of addition.
  package var renderObservers: [RenderObserver] {
    state.withLock { state in
      state.isPlain
        ? [] : state.rare.renderObservers.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// Whether the unit has render observers.
  package var hasRenderObservers: Bool {
    state.withLock { !$0.isPlain && !$0.rare.renderObservers.isEmpty }
  }

  // MARK: The device

  /// Sets the formats of the device's two sides, which an I/O unit's hardware sides then have;
  /// `nil` for a missing side.
  package func setDevice(output: StreamFormat?, input: StreamFormat?) {
    guard isIO else { return }
    state.withLock { state in
      state.rare.deviceFormats = [:]
      for (scope, element, format) in [
        (Scope.output, RemoteIO.outputElement, output), (.input, RemoteIO.inputElement, input),
      ] {
        guard let format else { continue }
        state.rare.deviceFormats[scope] = format
        state.update(scope, element) {
          $0.format = format
          $0.origin = .hardware
        }
      }
    }
  }
}

/// The input that an output feeds.
struct FedInput: Sendable {
  weak var unit: UnitInstance?
  var input: Int
}
