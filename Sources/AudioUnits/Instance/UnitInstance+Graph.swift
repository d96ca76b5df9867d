public import AudioTypes
public import RenderCore
import Synchronization

extension UnitInstance {
  // MARK: For the graph

  /// Marks what feeds an input, or whether something reads an output. The bus need not exist yet.
  /// Called by the graph.
  public func setUse(_ use: UnitConfiguration.Element.Use, _ scope: Scope, _ element: Int) {
    let use = use == .none ? nil : use
    state.withLock { state in
      switch scope {
      case .input: state.inputUses[element] = use
      case .output: state.outputUses[element] = use
      case .global: break
      }
    }
  }

  /// Clears every mark of `setUse`.
  public func clearUses() {
    state.withLock { state in
      state.inputUses = BusUses()
      state.outputUses = BusUses()
    }
  }

  /// Whether the element exists and a client has set its whole format.
  public func hasGivenFormat(_ scope: Scope, _ element: Int) -> Bool {
    state.withLock { state in
      guard let elements = state.elements(scope), elements.indices.contains(element) else {
        return false
      }
      return elements[element].origin == .given
    }
  }

  /// The present configuration; formats are those that have been set, or the initial ones.
  public func configuration() -> UnitConfiguration { state.withLock { settled($0) } }

  /// Identifies a configuration among those of all units: by the unit's serial, and a version that
  /// changes with everything that `configuration()` is made from.
  package var configurationVersion: (serial: Int, version: Int) {
    (serial, state.withLock { $0.version })
  }

  /// The name of an element, or `nil` where it has none.
  public func elementName(_ scope: Scope, _ element: Int) -> String? {
    state.withLock { state in
      guard let elements = state.elements(scope) else { return state.rare.globalName }
      return elements.indices.contains(element) ? elements[element].name : nil
    }
  }

  /// Takes over the formats that initialization has settled, and makes the kernels.
  public func initialize(_ configuration: UnitConfiguration) -> UnitKernels {
    let controls = state.withLock { state in
      for (index, element) in configuration.inputs.enumerated() {
        state.inputs[index].format = element.format
        state.inputs[index].origin = element.origin
      }
      for (index, element) in configuration.outputs.enumerated() {
        let present = state.outputs[index]
        guard present.format != element.format || present.origin != element.origin else { continue }
        state.outputs[index].format = element.format
        state.outputs[index].origin = element.origin
      }
      // Units with the same settings share memory as long as nothing is written.
      state.outputs = blueprint.sharing(outputs: state.outputs)
      state.isInitialized = true
      return state.controls
    }
    return unit.makeKernels(configuration, controls: controls)
  }

  /// Uninitializes the unit. Propagated formats are forgotten.
  package func forgetConfiguration() {
    state.withLock { state in
      state.isInitialized = false
      let device = state.rare.deviceFormats
      for index in state.inputs.indices {
        let isHardware = index == RemoteIO.inputElement && device[.input] != nil
        state.inputs[index].forgetSettled(
          (isHardware ? device[.input] : nil) ?? blueprint.initialInputFormat,
          isHardware: isHardware)
      }
      for index in state.outputs.indices {
        let isHardware = index == RemoteIO.outputElement && device[.output] != nil
        state.outputs[index].forgetSettled(
          (isHardware ? device[.output] : nil) ?? blueprint.initialOutputFormat,
          isHardware: isHardware)
      }
    }
  }

  /// Takes over formats that connections have brought to inputs of the initialized unit.
  package func takeFormats(of inputs: [UnitConfiguration.Element]) {
    state.withLock { state in
      guard state.isInitialized, inputs.count == state.inputs.count else { return }
      for (index, element) in inputs.enumerated() where state.inputs[index].format != element.format
      {
        state.inputs[index].format = element.format
        state.inputs[index].origin = element.origin
      }
    }
  }

  /// The parameters that can be scheduled, and the block of their controls. The block is retired
  /// when the number of the unit's elements changes.
  public func schedulableParameters() -> (block: ControlBlock, parameters: [SchedulableParameter]) {
    state.withLock { state in
      let parameters = description.parameters.compactMap { info -> SchedulableParameter? in
        guard !info.isReadOnly, let first = state.controls.slot(info.id, info.scope, 0) else {
          return nil
        }
        let most = Float.greatestFiniteMagnitude
        return SchedulableParameter(
          parameter: info.id, scope: info.scope.rawValue, firstIndex: first,
          stride: state.controls.stride(info.scope), elementCount: state.count(info.scope),
          lowest: info.isRangeEnforced ? info.range.lowerBound : -most,
          highest: info.isRangeEnforced ? info.range.upperBound : most, canRamp: info.canRamp)
      }
      return (state.controls.block, parameters)
    }
  }

  /// Throws where a schedule would refuse the event.
  ///
  /// - Throws: As `setParameter`; `kAudioUnitErr_InvalidParameter` also for a ramp of a parameter
  ///   that does not ramp.
  public func check(_ event: ParameterEvent) throws(Violation) {
    switch event.change {
    case .immediate(_, let value):
      try state.withLock { state throws(Violation) in
        _ = try slot(event.parameter, event.scope, event.element, state)
        guard let info = parameterInfo(event.parameter, event.scope) else { return }
        try check(value, info, event.element)
      }
    case .ramp(_, _, let first, let last):
      for value in [first, last] {
        _ = try rampControl(event.parameter, event.scope, event.element, to: value)
      }
    }
  }

  /// The control of a parameter, for a ramp to a value. It stays the same until the number of the
  /// unit's elements changes.
  ///
  /// - Parameter goesAround: Whether the value of a circular parameter may be outside of its range.
  /// - Throws: As `setParameter`; `kAudioUnitErr_InvalidParameter` also for a parameter that does
  ///   not ramp.
  public func rampControl(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, to value: Float, goesAround: Bool = false
  ) throws(Violation) -> (block: ControlBlock, index: Int) {
    try state.withLock { state throws(Violation) in
      let slot = try slot(parameter, scope, element, state)
      if let info = parameterInfo(parameter, scope) {
        try check(goesAround ? info.wrapped(value) : value, info, element)
        guard info.canRamp else {
          throw Violation(
            UnitRules.parameterRamps, status: .invalidParameter,
            "'\(info.key)' does not ramp: it is one value or another",
            at: .init(node: nil, .parameter(parameter, scope, element)))
        }
      } else if !value.isFinite {
        throw notFinite(value, .init(node: nil, .parameter(parameter, scope, element)))
      }
      return (state.controls.block, slot)
    }
  }

  /// Holds back writes to an initialized unit from now on, for a graph that applies them at a
  /// frame.
  public func holdWrites() { state.withLock { if $0.isInitialized { $0.heldWrites = [] } } }

  /// Returns the writes held back, in order. Later writes apply at once.
  public func takeHeldWrites() -> [ControlWrite] {
    state.withLock { state in
      defer { state.heldWrites = nil }
      return state.heldWrites ?? []
    }
  }

  /// Stores the status of a failed render, and calls the listeners of `lastRenderError`.
  public func noteRenderError(_ status: Status) {
    let isNew = state.withLock { state in
      let isNew = state.lastRenderError != status
      state.lastRenderError = status
      return isNew
    }
    if isNew { notify(.lastRenderError, .global, 0) }
  }

  /// Stores whether the unit runs, and calls the listeners of `isRunning`.
  public func noteRunning(_ isRunning: Bool) {
    guard info(.isRunning) != nil else { return }
    state.withLock {
      $0.values[PropertyPlace(.isRunning, .global, 0)] = .uint32(isRunning ? 1 : 0)
    }
    notify(.isRunning, .global, 0)
  }
}
