public import AudioTypes
public import RenderCore
import Synchronization

/// The graph that a unit is in, or the renderer of a unit outside of a graph.
///
/// Called on any thread that uses the unit, without holding the unit's lock.
public protocol UnitHost: AnyObject, Sendable {
  /// Whether it is a graph, which holds the feeds of its units. Units outside of a graph hold their
  /// own.
  var keepsFeeds: Bool { get }

  /// The share of the time that rendering takes: 0 to 1, and above 1 where it does not keep up.
  var cpuLoad: Float { get }

  /// Reports to every unit the failed renders of itself and of units upstream since the last call.
  func collectRenderErrors()

  /// Connects an output of another unit to an input of `unit`, or removes its feed. In an
  /// initialized graph this edit waits for the update.
  func connect(
    _ connection: UnitConnection, to unit: UnitInstance
  ) throws(Violation)

  /// Feeds an input of `unit` by a callback; `nil` removes its feed. Waits in the same way.
  func setRenderCallback(
    _ callback: (any RenderCallback)?, of unit: UnitInstance, _ input: Int
  ) throws(Violation)

  /// The stream format that a connection brings to an input of `unit`; `nil` where it is not known.
  func arrivingFormat(at input: Int, of unit: UnitInstance) -> StreamFormat?

  /// Makes a new plan: a feed of `unit` has changed, or a property that the plan depends on.
  func replan(for unit: UnitInstance)

  /// Resets an initialized unit: clears the state of its kernels.
  func reset(_ unit: UnitInstance)
}

/// The value of `makeConnection`: Core Audio's `AudioUnitConnection`.
public final class UnitConnection: Sendable {
  /// The source unit; `nil` removes the input's feed.
  public let source: UnitInstance?
  /// The output element of the source.
  public let output: Int
  /// The input element of the destination.
  public let input: Int

  /// - Parameter source: `nil` removes the input's feed.
  public init(from source: UnitInstance?, _ output: Int = 0, to input: Int = 0) {
    self.source = source
    self.output = output
    self.input = input
  }
}

/// A render callback as the value of a property: Core Audio's `AURenderCallbackStruct`.
public final class CallbackReference: Sendable {
  /// The callback, called for each slice.
  public let callback: any RenderCallback

  public init(_ callback: any RenderCallback) { self.callback = callback }
}

extension PropertyValue {
  /// A value of `makeConnection`.
  public static func connection(_ connection: UnitConnection) -> PropertyValue {
    .object(PropertyObject(connection))
  }

  /// A value of `setRenderCallback`; `nil` removes the input's feed.
  public static func renderCallback(_ callback: (any RenderCallback)?) -> PropertyValue {
    .object(PropertyObject(callback.map { CallbackReference($0) }))
  }

  /// A value of `setInputCallback`; `nil` removes the callback.
  public static func inputCallback(_ body: InputCallbackReference?) -> PropertyValue {
    .object(PropertyObject(body))
  }

  /// A value of `mutedSpeechActivityEventListener`; `nil` for none.
  public static func mutedSpeechActivityListener(
    _ listener: MutedSpeechActivityListener?
  ) -> PropertyValue {
    .object(PropertyObject(listener))
  }

  /// A value of `hostCallbacks`.
  public static func hostCallbacks(_ callbacks: HostCallbacks?) -> PropertyValue {
    .object(PropertyObject(callbacks))
  }
}

extension UnitInstance {
  /// Sets the graph that the unit is in; `nil` removes it. The unit holds it weakly.
  public func setHost(_ host: (any UnitHost)?) { state.withLock { $0.host = host } }

  package var host: (any UnitHost)? { state.withLock { $0.host } }

  /// Returns the status of the last render that failed here, and clears it.
  public func takeFailure() -> Status { failure.take() }

  /// The factory presets by number; empty for none.
  public var factoryPresets: [Preset] { blueprint.factoryPresets }

  /// Whether a client has set a property, and no parameter has replaced it since.
  public func hasSet(_ id: PropertyID, _ scope: Scope, _ element: Int) -> Bool {
    state.withLock { $0.values[PropertyPlace(id, scope, element)] != nil }
  }

  /// Returns when to begin at the next start, and clears it; `nil` for at once.
  public func takeStartTime() -> StartTime? {
    let value = state.withLock {
      $0.values.removeValue(forKey: PropertyPlace(.startTime, .global, 0))
    }
    guard case .startTime(let start)? = value else { return nil }
    return start
  }

  /// The kernel that calls a client with the microphone's samples; `nil` where no callback is set.
  public var inputCallbackKernel: KernelBox? {
    let value = state.withLock { $0.values[PropertyPlace(.setInputCallback, .global, 0)] }
    guard case .object(let object)? = value,
      let callback = object.object as? InputCallbackReference
    else { return nil }
    return .calling(InputCallbackKernel(callback), with: callback)
  }

  /// The kernel that calls a client on speech while the unit is muted; `nil` where no listener is
  /// set.
  public var mutedSpeechKernel: KernelBox? {
    let place = PropertyPlace(.mutedSpeechActivityEventListener, .global, 0)
    let (value, controls) = state.withLock { ($0.values[place], $0.controls) }
    guard case .object(let object)? = value,
      let listener = object.object as? MutedSpeechActivityListener,
      let word = controls.slot(place)
    else { return nil }
    return .calling(
      MutedSpeechKernel(listener, controls: controls.block.access, word: word), with: listener,
      controls.block)
  }

  /// A value that only the host has; `nil` for other properties. Collects the host's errors before
  /// `lastRenderError` is read.
  func hostValue(_ info: PropertyInfo) -> PropertyValue? {
    switch info.id {
    case .cpuLoad: return .float64(Double(host?.cpuLoad ?? 0))
    case .lastRenderError:
      host?.collectRenderErrors()
      return nil
    default: return nil
    }
  }

  /// Sets a property that the host, or the unit as a whole, handles: a feed, a callback, a saved
  /// state. Returns `false` for any other property.
  func setHostProperty(
    _ info: PropertyInfo, _ scope: Scope, _ element: Int, _ value: PropertyValue
  ) throws(Violation) -> Bool {
    switch (info.id, value) {
    case (.makeConnection, .object(let object)):
      guard let connection = object.object as? UnitConnection else { throw invalid(info, scope) }
      if let graph { try graph.connect(connection, to: self) } else { try connectAlone(connection) }
    case (.setRenderCallback, .object(let object)):
      let reference = object.object as? CallbackReference
      guard reference != nil || object.object == nil else { throw invalid(info, scope) }
      if let graph {
        try graph.setRenderCallback(reference?.callback, of: self, element)
      } else {
        try setCallbackAlone(reference?.callback, element)
      }
    case (.setInputCallback, .object(let object)):
      guard object.object == nil || object.object is InputCallbackReference else {
        throw invalid(info, scope)
      }
      return try storeAndReplan(info, value)
    case (.mutedSpeechActivityEventListener, .object(let object)):
      guard object.object == nil || object.object is MutedSpeechActivityListener else {
        throw invalid(info, scope)
      }
      return try storeAndReplan(info, value)
    case (.hostCallbacks, .object(let object)):
      guard object.object == nil || object.object is HostCallbacks else {
        throw invalid(info, scope)
      }
      return false
    case (.classInfo, .classInfo(let state)), (.classInfoFromDocument, .classInfo(let state)):
      try restore(state)
    default: return false
    }
    notify(info.id, scope, element)
    return true
  }

  private func storeAndReplan(
    _ info: PropertyInfo, _ value: PropertyValue
  ) throws(Violation) -> Bool {
    state.withLock { $0.values[PropertyPlace(info.id, .global, 0)] = value }
    host?.replan(for: self)
    notify(info.id, .global, 0)
    return true
  }

  /// The graph that the unit is in; `nil` for none.
  private var graph: (any UnitHost)? {
    guard let host, host.keepsFeeds else { return nil }
    return host
  }

  private func invalid(_ info: PropertyInfo, _ scope: Scope) -> Violation {
    PropertyCheck.wrongKind(info, .init(node: nil, .property(info.id, scope, 0)))
  }

  func unreadable(_ info: PropertyInfo, _ scope: Scope, _ element: Int) -> Violation {
    Violation(
      UnitRules.propertyReadable, status: .invalidProperty, "'\(info.key)' is set, not read",
      at: .init(node: nil, .property(info.id, scope, element)))
  }
}
