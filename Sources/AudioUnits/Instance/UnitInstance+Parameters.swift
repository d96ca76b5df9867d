public import AudioTypes
import RenderCore
import Synchronization

extension UnitInstance {
  // MARK: Parameters

  /// The description of a parameter; `nil` where the scope has no such parameter.
  public func parameterInfo(_ parameter: UInt32, _ scope: Scope) -> ParameterInfo? {
    blueprint.parameter(parameter, scope)
  }

  /// The same by its key (`volume`) or its `k…` name.
  public func parameterInfo(named name: String, _ scope: Scope) -> ParameterInfo? {
    blueprint.parameter(named: name, scope)
  }

  /// The elements of a bus's meters, where each channel has a meter of its own: counted through all
  /// buses of the scope. `nil` where the bus is the element.
  public func channelElements(_ scope: Scope, _ bus: Int) -> Range<Int>? {
    state.withLock { unit.channelElements(scope, bus, in: settled($0)) }
  }

  /// The parameter of a level in a matrix property; `nil` where the unit has no such level.
  ///
  /// - Parameter configuration: Every format is settled.
  public func parameter(
    ofLevel row: Int, _ column: Int, in configuration: UnitConfiguration
  ) -> ParameterPlace? {
    unit.parameter(ofLevel: row, column, in: configuration)
  }

  /// The value of a parameter, or of a meter. A scheduled value (`ParameterEvent.Change.immediate`)
  /// is returned as soon as it has been scheduled.
  ///
  /// - Throws: `kAudioUnitErr_InvalidElement`, `kAudioUnitErr_InvalidParameter`.
  public func parameter(
    _ parameter: UInt32, _ scope: Scope, _ element: Int
  ) throws(Violation) -> Float {
    try state.withLock { state throws(Violation) in
      if let derived = unit.derivedParameter(
        parameter, scope, element, in: { settled(state) }, controls: state.controls)
      {
        return derived
      }
      let slot = try slot(parameter, scope, element, state)
      return state.controls.block.stored(slot)
    }
  }

  /// Sets a parameter, from the next slice on, and calls the listeners of `addParameterListener`.
  /// As `AudioUnitSetParameter`, it calls no `ParameterReceiver`.
  ///
  /// - Throws: `kAudioUnitErr_InvalidElement`, `kAudioUnitErr_InvalidParameter` (also for a meter
  ///   and a value outside an enforced range).
  public func setParameter(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, to value: Float
  ) throws(Violation) {
    let (tokens, replaced) = try state.withLock { state throws(Violation) in
      let slot = try slot(parameter, scope, element, state)
      if let info = parameterInfo(parameter, scope) {
        try check(value, info, element)
      } else if !value.isFinite {
        throw notFinite(value, .init(node: nil, .parameter(parameter, scope, element)))
      }
      splitMatrix(parameter, scope, element, &state)
      state.write(value.bitPattern, at: slot)
      // Most units have none.
      let tokens =
        state.isPlain
        ? []
        : state.rare.parameterListeners.filter { $0.value.0 == nil || $0.value.0 == parameter }
          .keys.sorted()
      return (tokens, replaceProperty(by: parameter, scope, element, &state))
    }
    if let replaced { notify(replaced, scope, element) }
    for token in tokens {
      let listener = state.withLock { $0.rare.parameterListeners[token]?.1 }
      listener?(parameter, scope, element, value)
    }
  }

  /// Before a single level of a matrix is set, replaces the value of the matrix property by its
  /// single levels.
  private func splitMatrix(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, _ state: inout State
  ) {
    let place = PropertyPlace(.matrixLevels, .global, 0)
    guard unit.controlSlot(of: parameter, scope, element, in: state.controls) != nil,
      let rows = state.values.removeValue(forKey: place), !state.isInitialized,
      let first = state.controls.slot(place),
      let words = unit.liveWords(of: rows, for: place, in: settled(state))
    else { return }
    for (index, word) in words.enumerated() { state.write(word, at: first + 1 + index) }
  }

  /// Removes the value of a property that a parameter replaces. Returns the property.
  private func replaceProperty(
    by parameter: UInt32, _ scope: Scope, _ element: Int, _ state: inout State
  ) -> PropertyID? {
    guard
      let info = blueprint.replaceable.first(where: {
        $0.replacedBy == parameter && $0.scopes.contains(scope)
      })
    else { return nil }
    let place = PropertyPlace(info.id, scope, element)
    guard state.values.removeValue(forKey: place) != nil else { return nil }
    if let slot = state.controls.slot(place) { state.write(0, at: slot) }
    return info.id
  }

  /// A warning for an unusual value that may be set; `nil` for a usual one.
  public func warning(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, _ value: Float
  ) -> Violation? {
    guard let info = parameterInfo(parameter, scope), !info.isRangeEnforced,
      !info.range.contains(value)
    else { return nil }
    return Violation(
      UnitRules.parameterUsualRange, status: .ok,
      .outsideUsual(info, value), at: .init(node: nil, .parameter(parameter, scope, element)),
      help: Self.percent(info, value))
  }

  /// Help for a gain so large that it may be meant in percent.
  private static func percent(_ info: ParameterInfo, _ value: Float) -> [String] {
    guard info.unit == .linearGain, (10...100).contains(value) else { return [] }
    return ["this is a factor: \(plain(value)) % is \(plain(value / 100))"]
  }

  /// The violation of a level that is not finite.
  func notFinite(_ value: Float, _ place: Violation.Place) -> Violation {
    Violation(
      UnitRules.parameterRange, status: .invalidParameter,
      "a level is a finite number, not \(value)", at: place)
  }

  func check(_ value: Float, _ info: ParameterInfo, _ element: Int) throws(Violation) {
    let place = Violation.Place(node: nil, .parameter(info.id, info.scope, element))
    if info.isReadOnly {
      throw Violation(
        UnitRules.parameterReadOnly, status: .invalidParameter,
        "'\(info.key)' is measured by the unit; it is read, not set", at: place)
    }
    guard value.isFinite, !info.isRangeEnforced || info.range.contains(value) else {
      throw Violation(
        UnitRules.parameterRange, status: .invalidParameter,
        info.setting.refusal(of: info.written(value)), at: place)
    }
  }

  func slot(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, _ state: State
  ) throws(Violation) -> Int {
    if let slot = unit.controlSlot(of: parameter, scope, element, in: state.controls) {
      return slot
    }
    try checkElement(scope, element, state)
    guard let slot = state.controls.slot(parameter, scope, element) else {
      throw Violation(
        UnitRules.parameterKnown, status: .invalidParameter,
        .unknownParameter(parameter, scope, description),
        at: .init(node: nil, .parameter(parameter, scope, element)))
    }
    return slot
  }

  /// The unit's gain in decibels at each of some frequencies, in hertz, with the present settings;
  /// `nil` for a unit that is no filter. Changes under way count as complete.
  ///
  /// - Parameter configuration: One that initialization would settle; `nil` for the present one.
  public func gains(
    at frequencies: [Double], in configuration: UnitConfiguration? = nil
  ) -> [Double]? {
    state.withLock {
      unit.gains(
        at: frequencies, in: configuration ?? settled($0), controls: $0.controls)
    }
  }

  /// The highest level of the unit's output: `AudioUnit.peak(of:in:controls:)`.
  public func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration
  ) -> PeakLevel {
    state.withLock { unit.peak(of: inputs, in: configuration, controls: $0.controls) }
  }
}
