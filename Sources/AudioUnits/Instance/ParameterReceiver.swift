public import AudioTypes
import Synchronization

/// Receives changes of parameters that are set with a sender, of any units: Core Audio's
/// `AUParameterListener`.
///
/// As in Core Audio, it does not receive changes without a sender
/// (`UnitInstance.setParameter(_:_:_:to:)`, a schedule, a timeline), nor changes that it has sent
/// itself. With a minimum interval, changes are gathered for that time from the first one on; then
/// the last value of each parameter is delivered.
///
/// Callable from any thread but the render thread.
public final class ParameterReceiver: Sendable {
  /// Called with the unit, the parameter, its scope and element, and the new value.
  public typealias Body = @Sendable (UnitInstance, UInt32, Scope, Int, Float) -> Void
  /// Calls a closure after a time, as a run loop does in Core Audio.
  public typealias Timer = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  struct Key: Hashable {
    /// The unit's serial number.
    var unit: Int
    var parameter: UInt32
    var scope: Scope
    var element: Int
  }

  private struct Change {
    var key: Key
    var unit: UnitInstance
    var value: Float
  }

  private struct State {
    var added: Set<Key> = []
    /// In the order of their first changes.
    var gathered: [Change] = []
  }

  private let minimumInterval: Duration
  private let timer: Timer
  private let body: Body
  private let state = Mutex(State())

  /// - Parameters:
  ///   - minimumInterval: Zero for a call at each change, at once, on the thread that makes it.
  ///   - timer: Determines the thread on which gathered changes are delivered; by default that of a
  ///     new task.
  public init(
    minimumInterval: Duration = .zero,
    timer: @escaping Timer = { interval, body in
      Task {
        try? await Task.sleep(for: interval)
        body()
      }
    },
    _ body: @escaping Body
  ) {
    self.minimumInterval = minimumInterval
    self.timer = timer
    self.body = body
  }

  /// Listens to a parameter (`AUListenerAddParameter`). Adding it twice has no further effect. The
  /// unit and the listener do not retain each other.
  ///
  /// - Throws: `kAudioUnitErr_InvalidElement`, `kAudioUnitErr_InvalidParameter`, also for
  ///   `anyParameter`.
  public func add(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, of unit: UnitInstance
  ) throws(Violation) {
    _ = try unit.parameter(parameter, scope, element)
    state.withLock { _ = $0.added.insert(key(parameter, scope, element, unit)) }
    unit.addReceiver(self)
  }

  /// Stops listening to a parameter (`AUListenerRemoveParameter`). A gathered change of it is not
  /// delivered.
  public func remove(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, of unit: UnitInstance
  ) {
    let key = key(parameter, scope, element, unit)
    state.withLock { state in
      state.added.remove(key)
      state.gathered.removeAll { $0.key == key }
    }
  }

  private func key(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, _ unit: UnitInstance
  ) -> Key {
    Key(unit: unit.serial, parameter: parameter, scope: scope, element: element)
  }

  /// The parameters of a unit that have been added, in the order of scopes, elements and numbers.
  func parameters(of unit: UnitInstance) -> [(parameter: UInt32, scope: Scope, element: Int)] {
    let serial = unit.serial
    let keys = state.withLock { $0.added.filter { $0.unit == serial } }
    return keys.sorted {
      ($0.scope.rawValue, $0.element, $0.parameter) < ($1.scope.rawValue, $1.element, $1.parameter)
    }.map { ($0.parameter, $0.scope, $0.element) }
  }

  /// Delivers or gathers a change of a parameter that has been added.
  func receive(
    _ unit: UnitInstance, _ parameter: UInt32, _ scope: Scope, _ element: Int, _ value: Float
  ) {
    let key = key(parameter, scope, element, unit)
    let isToBeTimed = state.withLock { state -> Bool? in
      guard state.added.contains(key) else { return nil }
      guard minimumInterval > .zero else { return false }
      if let place = state.gathered.firstIndex(where: { $0.key == key }) {
        state.gathered[place].value = value
        return nil
      }
      state.gathered.append(Change(key: key, unit: unit, value: value))
      return state.gathered.count == 1 ? true : nil
    }
    switch isToBeTimed {
    case .some(true): timer(minimumInterval) { [weak self] in self?.deliver() }
    case .some(false): body(unit, parameter, scope, element, value)
    case .none: break
    }
  }

  private func deliver() {
    let changes = state.withLock { state in
      defer { state.gathered = [] }
      return state.gathered
    }
    for change in changes {
      body(
        change.unit, change.key.parameter, change.key.scope, change.key.element, change.value)
    }
  }
}

extension UnitInstance {
  /// The wildcard for any parameter in `notifyParameterListeners`
  /// (`kAUParameterListener_AnyParameter`).
  public static var anyParameter: UInt32 { 0xFFFF_FFFF }

  /// A weak reference to a listener.
  struct WeakReceiver {
    weak var listener: ParameterReceiver?
  }

  /// Sets a parameter, from the next slice on, and calls every listener but the sender
  /// (`AUParameterSet`).
  ///
  /// - Parameter sender: `nil` to call all listeners.
  /// - Throws: As `setParameter(_:_:_:to:)`. No listener is called then.
  public func setParameter(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, to value: Float,
    from sender: ParameterReceiver?
  ) throws(Violation) {
    try setParameter(parameter, scope, element, to: value)
    for listener in parameterReceivers where listener !== sender {
      listener.receive(self, parameter, scope, element, value)
    }
  }

  /// Calls every listener but the sender with the present value of a parameter
  /// (`AUParameterListenerNotify`): after it has been set without a sender, or by a schedule.
  ///
  /// - Parameter parameter: `anyParameter` for all parameters that listeners have added, for
  ///   instance after a preset; scope and element are ignored then.
  /// - Throws: `kAudioUnitErr_InvalidElement`, `kAudioUnitErr_InvalidParameter`.
  public func notifyParameterListeners(
    _ parameter: UInt32, _ scope: Scope = .global, _ element: Int = 0,
    from sender: ParameterReceiver? = nil
  ) throws(Violation) {
    if parameter != Self.anyParameter {
      let value = try self.parameter(parameter, scope, element)
      for listener in parameterReceivers where listener !== sender {
        listener.receive(self, parameter, scope, element, value)
      }
      return
    }
    for listener in parameterReceivers where listener !== sender {
      for place in listener.parameters(of: self) {
        // An element that has been removed since is skipped.
        guard
          let value = try? self.parameter(place.parameter, place.scope, place.element)
        else { continue }
        listener.receive(self, place.parameter, place.scope, place.element, value)
      }
    }
  }

  private var parameterReceivers: [ParameterReceiver] {
    state.withLock { $0.isPlain ? [] : $0.rare.parameterReceivers.compactMap(\.listener) }
  }

  /// Adds a listener, which is held weakly.
  func addReceiver(_ listener: ParameterReceiver) {
    state.withLock { state in
      state.rare.parameterReceivers.removeAll { $0.listener == nil }
      if !state.rare.parameterReceivers.contains(where: { $0.listener === listener }) {
        state.rare.parameterReceivers.append(WeakReceiver(listener: listener))
      }
    }
  }
}
