public import AudioTypes
import Synchronization

extension UnitInstance {
  // MARK: Properties

  /// The description of a property; `nil` where the unit has no such property.
  public func info(_ id: PropertyID) -> PropertyInfo? { blueprint.property(id) }

  /// The description of a property by its key (`maximumFramesPerSlice`) or its `kAudio…` name.
  public func info(named name: String) -> PropertyInfo? {
    blueprint.property(named: name)
  }

  /// Whether the property may be set at the moment (`AudioUnitGetPropertyInfo`).
  ///
  /// - Throws: `kAudioUnitErr_InvalidProperty`, `…InvalidScope`, `…InvalidElement`.
  public func isWritable(
    _ id: PropertyID, _ scope: Scope, _ element: Int
  ) throws(Violation) -> Bool {
    let info = try checkedInfo(id, scope, element)
    return state.withLock { writeRefusal(info, scope, element, $0) == nil }
  }

  /// The value of a property.
  ///
  /// - Throws: `kAudioUnitErr_InvalidProperty`, `…InvalidScope`, `…InvalidElement`,
  ///   `…PropertyNotInUse` where it has no value now, `…InvalidParameter` for the description of a
  ///   parameter that does not exist.
  public func property(
    _ id: PropertyID, _ scope: Scope = .global, _ element: Int = 0
  ) throws(Violation) -> PropertyValue {
    let info = try checkedInfo(id, scope, element)
    guard info.isReadable else { throw unreadable(info, scope, element) }
    if let value = hostValue(info) { return value }
    return try state.withLock { state throws(Violation) in
      try value(info, scope, element, &state)
    }
  }

  /// Sets a property, with Core Audio's checks in their order.
  ///
  /// - Throws: `kAudioUnitErr_InvalidProperty`, `…InvalidScope`, `…InvalidElement`,
  ///   `…InvalidPropertyValue`, `…FormatNotSupported`, `…PropertyNotWritable`, `…Initialized`.
  public func setProperty(
    _ id: PropertyID, _ scope: Scope = .global, _ element: Int = 0, to value: PropertyValue
  ) throws(Violation) {
    let info = try checkedInfo(id, scope, element, value: value)
    let isSet = try setHostProperty(info, scope, element, value)
    guard !isSet else { return }
    if try agreesWithConnection(info, scope, element, value) { return }
    let changed = try state.withLock { state throws(Violation) in
      try set(info, scope, element, value, &state)
    }
    guard changed else { return }
    if id == .inPlaceProcessing { host?.replan(for: self) }
    notify(id, scope, element)
  }

  /// Calls `listener` after each successful change of a property, on any scope and element.
  public func addListener(
    _ id: PropertyID, _ listener: @escaping PropertyListener
  ) -> ListenerToken {
    state.withLock { state in
      state.rare.nextListener += 1
      state.rare.propertyListeners[state.rare.nextListener] = (id, listener)
      return ListenerToken(number: state.rare.nextListener)
    }
  }

  /// Calls `listener` at once after each change of a parameter, or of any parameter for `nil`, with
  /// or without a sender.
  ///
  /// This is an addition to Core Audio, whose listeners receive only changes with a sender: see
  /// `ParameterReceiver`.
  public func addParameterListener(
    _ parameter: UInt32?, _ listener: @escaping ParameterListener
  ) -> ListenerToken {
    state.withLock { state in
      state.rare.nextListener += 1
      state.rare.parameterListeners[state.rare.nextListener] = (parameter, listener)
      return ListenerToken(number: state.rare.nextListener)
    }
  }

  /// Removes a listener; allowed inside the listener itself.
  public func removeListener(_ token: ListenerToken) {
    state.withLock { state in
      state.rare.propertyListeners[token.number] = nil
      state.rare.parameterListeners[token.number] = nil
    }
  }

  func notify(_ id: PropertyID, _ scope: Scope, _ element: Int) {
    let tokens = state.withLock { state in
      // Most units have none.
      state.isPlain
        ? [] : state.rare.propertyListeners.filter { $0.value.0 == id }.keys.sorted()
    }
    for token in tokens {
      // A listener may have removed another.
      let listener = state.withLock { $0.rare.propertyListeners[token]?.1 }
      listener?(id, scope, element)
    }
  }
}
