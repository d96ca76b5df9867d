public import AudioTypes
import RenderCore
import Synchronization

extension UnitInstance {
  // MARK: Parameters

  /// The description of a parameter of a scope, or `nil` where it has none of that number.
  public func parameterInfo(_ parameter: UInt32, _ scope: Scope) -> ParameterInfo? {
    blueprint.parameter(parameter, scope)
  }

  /// The same by its key (`volume`) or its `k…` name.
  public func parameterInfo(named name: String, _ scope: Scope) -> ParameterInfo? {
    blueprint.parameter(named: name, scope)
  }

  /// The elements by which the meters of a bus are read, where each channel has its own, counted through
  /// all buses of the scope; `nil` where the bus is the element.
  public func channelElements(_ scope: Scope, _ bus: Int) -> Range<Int>? {
    state.withLock { unit.channelElements(scope, bus, in: settled($0)) }
  }

  /// The parameter that is a number of the rows of a matrix, as they have been set; `nil` where they do not
  /// fit.
  ///
  /// - Parameter configuration: With every format settled.
  public func parameter(
    ofLevel row: Int, _ column: Int, in configuration: UnitConfiguration
  ) -> ParameterPlace? {
    unit.parameter(ofLevel: row, column, in: configuration)
  }

  /// The value of a parameter, a meter's included. Where it has been scheduled
  /// (`ParameterEvent.Change.immediate`), that value, from the moment on in which it was.
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

  /// Sets a parameter, from the next slice on, and calls the listeners of `addParameterListener`. As
  /// `AudioUnitSetParameter` does not, it tells no `ParameterReceiver`.
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
      leaveMatrix(parameter, scope, element, &state)
      state.write(value.bitPattern, at: slot)
      let tokens = state.parameterListeners.filter {
        $0.value.0 == nil || $0.value.0 == parameter
      }
      return (tokens.keys.sorted(), replaceProperty(by: parameter, scope, element, &state))
    }
    if let replaced { notify(replaced, scope, element) }
    for token in tokens {
      let listener = state.withLock { $0.parameterListeners[token]?.1 }
      listener?(parameter, scope, element, value)
    }
  }

  /// Has a level of a matrix stand for itself: the rows that were set are kept as single levels.
  private func leaveMatrix(
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

  /// Ends what a property says in the place of a parameter, once that is set.
  private func replaceProperty(
    by parameter: UInt32, _ scope: Scope, _ element: Int, _ state: inout State
  ) -> PropertyID? {
    guard
      let info = blueprint.yielding.first(where: {
        $0.yieldsTo == parameter && $0.scopes.contains(scope)
      })
    else { return nil }
    let place = PropertyPlace(info.id, scope, element)
    guard state.values.removeValue(forKey: place) != nil else { return nil }
    if let slot = state.controls.slot(place) { state.write(0, at: slot) }
    return info.id
  }

  /// What is unusual about a value that may be set; `nil` for nothing.
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

  /// What is meant by a gain that is so great that it may be in percent.
  private static func percent(_ info: ParameterInfo, _ value: Float) -> [String] {
    guard info.unit == .linearGain, (10...100).contains(value) else { return [] }
    return ["this is a factor: \(plain(value)) % is \(plain(value / 100))"]
  }

  /// Of a level of a matrix.
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
        UnitRules.parameterRange, status: .invalidParameter, .outsideRange(info, value), at: place)
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

  /// The gain in decibels that the unit has at each of some frequencies, in hertz, as it is set now;
  /// `nil` for a unit that is no filter. A change that is still on its way counts as made.
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

  /// How far what the unit puts out goes at most, as it is configured: `AudioUnit.peak(of:in:controls:)`.
  public func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration
  ) -> PeakLevel {
    state.withLock { unit.peak(of: inputs, in: configuration, controls: $0.controls) }
  }
}
