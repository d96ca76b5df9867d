public import AudioTypes
public import RenderCore
import Synchronization

/// One unit that has been opened: its elements, properties and parameters.
///
/// Callable from any thread but the render thread. Properties and parameters are checked as Core
/// Audio checks them, in the same order and with the same codes (facts, section 2.3).
public final class UnitInstance: Sendable {
  /// Called after a property has changed, on the thread that changed it.
  public typealias PropertyListener = @Sendable (PropertyID, Scope, Int) -> Void
  /// Called after a parameter has changed, on the thread that changed it.
  public typealias ParameterListener = @Sendable (UInt32, Scope, Int, Float) -> Void

  /// What takes a listener away again.
  public struct ListenerToken: Hashable, Sendable {
    let number: Int
  }

  public let unit: any AudioUnit.Type
  public var description: UnitDescription { blueprint.description }
  /// The generic properties and the unit's own, in the order of their numbers.
  public var properties: [PropertyInfo] { blueprint.properties }
  let blueprint: UnitBlueprint

  struct Element {
    var format: StreamFormat
    var origin: FormatOrigin
    var name: String?
  }

  /// Its word 0 holds the status of the last render that failed, until somebody takes it.
  public let failure = ControlBlock(count: 1)

  /// Which buses of a scope are in use, by their elements: most units have nothing but the first.
  struct BusUses {
    private var first: UnitConfiguration.Element.Use?
    private var others: [Int: UnitConfiguration.Element.Use] = [:]

    subscript(element: Int) -> UnitConfiguration.Element.Use? {
      get { element == 0 ? first : others[element] }
      set { if element == 0 { first = newValue } else { others[element] = newValue } }
    }
  }

  struct State {
    var inputs: [Element] { didSet { version += 1 } }
    var outputs: [Element] { didSet { version += 1 } }
    var globalName: String?
    var maximumFramesPerSlice: Int { didSet { version += 1 } }
    var values: [PropertyPlace: PropertyValue] { didSet { version += 1 } }
    /// Kept apart from the elements: a graph may connect a bus before there are as many.
    var inputUses = BusUses() { didSet { version += 1 } }
    var outputUses = BusUses() { didSet { version += 1 } }
    var controls: ControlLayout { didSet { version += 1 } }
    var isInitialized = false { didSet { version += 1 } }
    /// How often anything has been set that the configuration is made of.
    var version = 0
    /// What has been set and is not in force yet; `nil` where what is set is in force.
    var heldWrites: [ControlWrite]?
    var lastRenderError = Status.ok
    /// The factory preset whose sound the unit has, whatever the present preset is called.
    var factoryPreset: Preset?
    /// How often numbers that the render side reads have been set.
    var generation: UInt32 = 0
    weak var host: (any UnitHost)?
    /// What feeds the inputs, and who takes from the outputs, of a unit that is in no graph.
    var feeds: [Int: UnitFeed] = [:]
    var takers: [Int: UnitTaker] = [:]
    /// What renders it then.
    var keeper: (any AnyObject & Sendable)?
    /// Who is told of each render.
    var renderObservers: [Int: RenderObserver] = [:]
    /// Of an I/O unit's hardware sides: those that the device has.
    var deviceFormats: [Scope: StreamFormat] = [:]
    var propertyListeners: [Int: (PropertyID, PropertyListener)] = [:]
    var parameterListeners: [Int: (UInt32?, ParameterListener)] = [:]
    /// Who hears of what is set with a sender.
    var audience: [Audience] = []
    var nextListener = 0

    func elements(_ scope: Scope) -> [Element]? {
      switch scope {
      case .input: inputs
      case .output: outputs
      case .global: nil
      }
    }

    func settled(_ scope: Scope) -> [UnitConfiguration.Element] {
      (elements(scope) ?? []).enumerated().map { index, element in
        UnitConfiguration.Element(
          format: element.format, origin: element.origin, use: use(scope, index))
      }
    }

    func use(_ scope: Scope, _ element: Int) -> UnitConfiguration.Element.Use {
      switch scope {
      case .input: inputUses[element] ?? .none
      case .output: outputUses[element] ?? .none
      case .global: .none
      }
    }

    /// Sets a number that the render side reads.
    mutating func write(_ word: UInt32, at slot: Int) {
      if heldWrites == nil {
        controls.block[word: slot] = word
      } else {
        heldWrites?.append(ControlWrite(controls.block, slot, word: word))
      }
    }

    func count(_ scope: Scope) -> Int { elements(scope)?.count ?? 1 }

    mutating func update(_ scope: Scope, _ element: Int, _ change: (inout Element) -> Void) {
      if scope == .input { change(&inputs[element]) } else { change(&outputs[element]) }
    }
  }

  let state: Mutex<State>

  private static let lastSerial = Atomic<Int>(0)
  /// Its own among all that have been made.
  let serial = UnitInstance.lastSerial.wrappingAdd(1, ordering: .relaxed).newValue

  public convenience init(_ unit: any AudioUnit.Type) { self.init(unit, inputCount: nil) }

  /// A unit that has another number of inputs from the beginning, where its kind may be given as many.
  package init(_ unit: any AudioUnit.Type, inputCount wanted: Int?) {
    self.unit = unit
    let blueprint = UnitBlueprint.of(unit)
    self.blueprint = blueprint
    let description = blueprint.description
    let isSettable = wanted.map { description.inputs.settable?.contains($0) == true } ?? false
    let inputCount = isSettable ? wanted ?? description.inputs.count : description.inputs.count
    state = Mutex(
      State(
        inputs: Array(
          repeating: Element(format: blueprint.initialInputFormat, origin: .initial),
          count: inputCount),
        outputs: Array(
          repeating: Element(format: blueprint.initialOutputFormat, origin: .initial),
          count: description.outputs.count),
        maximumFramesPerSlice: description.defaultMaximumFramesPerSlice,
        values: blueprint.values,
        controls: ControlLayout(
          blueprint.controls, inputCount: inputCount, outputCount: description.outputs.count)))
  }

  // MARK: Elements

  /// How many elements a scope has now; 1 for the global scope.
  public func elementCount(_ scope: Scope) -> Int { state.withLock { $0.count(scope) } }

  public var isInitialized: Bool { state.withLock { $0.isInitialized } }

  // MARK: Properties

  /// The description of a property, or `nil` where the unit has none of that number.
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
  ///   parameter that is not there.
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

  /// Sets a property, with the checks of facts section 2.3 in their order.
  ///
  /// - Throws: `kAudioUnitErr_InvalidProperty`, `…InvalidScope`, `…InvalidElement`,
  ///   `…InvalidPropertyValue`, `…FormatNotSupported`, `…PropertyNotWritable`, `…Initialized`.
  public func setProperty(
    _ id: PropertyID, _ scope: Scope = .global, _ element: Int = 0, to value: PropertyValue
  ) throws(Violation) {
    let info = try checkedInfo(id, scope, element, value: value)
    let isHandedOver = try handOver(info, scope, element, value)
    guard !isHandedOver else { return }
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
      state.nextListener += 1
      state.propertyListeners[state.nextListener] = (id, listener)
      return ListenerToken(number: state.nextListener)
    }
  }

  /// Calls `listener` after each change of a parameter, or of any for `nil`: whoever sets it, at once.
  ///
  /// It is patchrun's own. Core Audio's listeners hear only of what is set with a sender:
  /// `ParameterReceiver`.
  public func addParameterListener(
    _ parameter: UInt32?, _ listener: @escaping ParameterListener
  ) -> ListenerToken {
    state.withLock { state in
      state.nextListener += 1
      state.parameterListeners[state.nextListener] = (parameter, listener)
      return ListenerToken(number: state.nextListener)
    }
  }

  /// Takes a listener away; safe inside the listener itself.
  public func removeListener(_ token: ListenerToken) {
    state.withLock { state in
      state.propertyListeners[token.number] = nil
      state.parameterListeners[token.number] = nil
    }
  }

  func notify(_ id: PropertyID, _ scope: Scope, _ element: Int) {
    let tokens = state.withLock { state in
      state.propertyListeners.filter { $0.value.0 == id }.keys.sorted()
    }
    for token in tokens {
      // One listener may have taken another away.
      let listener = state.withLock { $0.propertyListeners[token]?.1 }
      listener?(id, scope, element)
    }
  }

  // MARK: Parameters

  /// The description of a parameter of a scope, or `nil` where it has none of that number.
  public func parameterInfo(_ parameter: UInt32, _ scope: Scope) -> ParameterInfo? {
    blueprint.parameter(parameter, scope)
  }

  /// The same by its key (`volume`) or its `k…` name.
  public func parameterInfo(named name: String, _ scope: Scope) -> ParameterInfo? {
    blueprint.parameter(named: name, scope)
  }

  /// The value of a parameter, a meter's included. Where it has been scheduled
  /// (`ParameterEvent.Change.immediate`), that value, from the moment on in which it was.
  ///
  /// - Throws: `kAudioUnitErr_InvalidElement`, `kAudioUnitErr_InvalidParameter`.
  public func parameter(
    _ parameter: UInt32, _ scope: Scope, _ element: Int
  ) throws(Violation) -> Float {
    try state.withLock { state throws(Violation) in
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
      }
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
      UnitRules.parameterUsualRange, .warning, status: .ok,
      .outsideUsual(info, value), at: .init(node: nil, .parameter(parameter, scope, element)))
  }

  private func check(_ value: Float, _ info: ParameterInfo, _ element: Int) throws(Violation) {
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

  private func slot(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, _ state: State
  ) throws(Violation) -> Int {
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
  public func gains(at frequencies: [Double]) -> [Double]? {
    state.withLock {
      unit.gains(at: frequencies, in: settled($0), controls: $0.controls)
    }
  }

  // MARK: The graph's side

  /// Marks what feeds an input or takes from an output, whether there is such a bus (yet) or not.
  /// The graph keeps it.
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

  /// Forgets every mark that `setUse` has made.
  public func clearUses() {
    state.withLock { state in
      state.inputUses = BusUses()
      state.outputUses = BusUses()
    }
  }

  /// Whether a client has set the whole format of an element, and may have.
  public func hasGivenFormat(_ scope: Scope, _ element: Int) -> Bool {
    state.withLock { state in
      guard let elements = state.elements(scope), elements.indices.contains(element) else {
        return false
      }
      return elements[element].origin == .given
    }
  }

  /// The unit as it is configured, formats as they have been set or are at birth.
  public func configuration() -> UnitConfiguration { state.withLock { settled($0) } }

  /// Which configuration this is, of all that any unit has had: a number of the unit's own, and how
  /// often something has been set that `configuration()` is made of.
  package var configurationVersion: (serial: Int, version: Int) {
    (serial, state.withLock { $0.version })
  }

  /// The name of an element, or `nil` where it has none.
  public func elementName(_ scope: Scope, _ element: Int) -> String? {
    state.withLock { state in
      guard let elements = state.elements(scope) else { return state.globalName }
      return elements.indices.contains(element) ? elements[element].name : nil
    }
  }

  /// Takes the formats that initialization has settled and makes the kernels.
  public func initialize(_ configuration: UnitConfiguration) -> UnitKernels {
    let controls = state.withLock { state in
      for (index, element) in configuration.inputs.enumerated() {
        state.inputs[index].format = element.format
        state.inputs[index].origin = element.origin
      }
      for (index, element) in configuration.outputs.enumerated() {
        state.outputs[index].format = element.format
        state.outputs[index].origin = element.origin
      }
      state.isInitialized = true
      return state.controls
    }
    return unit.makeKernels(configuration, controls: controls)
  }

  /// Gives back what initialization took. Formats that were propagated are forgotten.
  package func forgetConfiguration() {
    state.withLock { state in
      state.isInitialized = false
      let device = state.deviceFormats
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

  /// Takes over formats that inputs of an initialized unit have come to have, as things were connected to
  /// them.
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

  /// The parameters that can be scheduled, and the block that their controls are in: until the number
  /// of the unit's elements changes, when the block is retired.
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

  /// Refuses what a schedule refuses, in words.
  ///
  /// - Throws: As `setParameter`; `kAudioUnitErr_InvalidParameter` also for a ramp of a parameter that
  ///   does not ramp.
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

  /// The control that a parameter is, for a ramp to a value.
  ///
  /// It stays the same until the number of the unit's elements changes.
  ///
  /// - Throws: As `setParameter`; `kAudioUnitErr_InvalidParameter` also for a parameter that does not
  ///   ramp.
  public func rampControl(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, to value: Float
  ) throws(Violation) -> (block: ControlBlock, index: Int) {
    try state.withLock { state throws(Violation) in
      let slot = try slot(parameter, scope, element, state)
      if let info = parameterInfo(parameter, scope) {
        try check(value, info, element)
        guard info.canRamp else {
          throw Violation(
            UnitRules.parameterRamps, status: .invalidParameter,
            "'\(info.key)' does not ramp: it is one value or another",
            at: .init(node: nil, .parameter(parameter, scope, element)))
        }
      }
      return (state.controls.block, slot)
    }
  }

  /// From now on what is set on an initialized unit is not in force, but kept: for a graph that puts it
  /// in force at a frame.
  public func holdWrites() { state.withLock { if $0.isInitialized { $0.heldWrites = [] } } }

  /// What has been kept, in order; from now on what is set is in force at once.
  public func takeHeldWrites() -> [ControlWrite] {
    state.withLock { state in
      defer { state.heldWrites = nil }
      return state.heldWrites ?? []
    }
  }

  /// Puts what has been kept in force.
  public func releaseWrites() {
    for write in takeHeldWrites() { write.block[word: write.index] = write.word }
  }

  /// Remembers the status of a render that failed.
  public func noteRenderError(_ status: Status) {
    let isNew = state.withLock { state in
      let isNew = state.lastRenderError != status
      state.lastRenderError = status
      return isNew
    }
    if isNew { notify(.lastRenderError, .global, 0) }
  }

  /// Says that the unit has been started or stopped.
  public func noteRunning(_ isRunning: Bool) {
    guard info(.isRunning) != nil else { return }
    state.withLock {
      $0.values[PropertyPlace(.isRunning, .global, 0)] = .uint32(isRunning ? 1 : 0)
    }
    notify(.isRunning, .global, 0)
  }

  // MARK: Checks

  func checkedInfo(
    _ id: PropertyID, _ scope: Scope, _ element: Int, value: PropertyValue? = nil
  ) throws(Violation) -> PropertyInfo {
    let place = Violation.Place(node: nil, .property(id, scope, element))
    guard let info = info(id) else {
      throw Violation(
        UnitRules.propertyKnown, status: .invalidProperty,
        "\(description.name) has no property \(id.rawValue)", at: place)
    }
    // Core Audio looks at a value's size before anything else.
    if let value, !info.kind.admits(value) {
      throw PropertyCheck.wrongKind(info, place)
    }
    guard info.scopes.contains(scope) else {
      let scopes = info.scopes.sorted { $0.rawValue < $1.rawValue }.map(\.description)
      throw Violation(
        UnitRules.propertyScope, status: .invalidScope,
        "'\(info.key)' belongs to the \(scopes.joined(separator: " and ")) scope of "
          + "\(description.name), not to its \(scope) scope", at: place)
    }
    if id != .parameterInfo && id != .parameterValueStrings {
      try state.withLock { state throws(Violation) in try checkElement(scope, element, state) }
    }
    if let only = info.elements[scope], only != element {
      throw Violation(
        UnitRules.element, status: .invalidElement,
        "'\(info.key)' is on element \(only) of the \(scope) scope of \(description.name), "
          + "not on element \(element)", at: place)
    }
    return info
  }

  func checkElement(
    _ scope: Scope, _ element: Int, _ state: State
  ) throws(Violation) {
    let count = state.count(scope)
    guard element < 0 || element >= count else { return }
    throw Violation(
      UnitRules.element, status: .invalidElement,
      .noSuchElement(description, scope, element, count),
      at: .init(node: nil, .bus(scope, element)),
      help: scope == .input && description.inputs.settable?.contains(element + 1) == true
        ? ["give the unit more inputs: \"inputCount\": \(element + 1)"] : [],
      remedies: scope == .input && description.inputs.settable?.contains(element + 1) == true
        ? [Remedy("give the unit more inputs", [.setInputCount(element + 1)])] : [])
  }

  // MARK: Reading a value

  private func value(
    _ info: PropertyInfo, _ scope: Scope, _ element: Int, _ state: inout State
  ) throws(Violation) -> PropertyValue {
    let elements = scope == .global ? state.outputs : state.elements(scope) ?? []
    switch info.id {
    case .streamFormat: return .streamFormat(elements[element].format)
    case .sampleRate: return .float64(elements[element].format.sampleRate)
    case .elementCount: return .uint32(UInt32(state.count(scope)))
    case .maximumFramesPerSlice: return .uint32(UInt32(state.maximumFramesPerSlice))
    case .parameterList: return .ids(description.parameters(in: scope).map(\.id))
    case .parameterInfo:
      return .parameterInfo(try describedParameter(UInt32(clamping: element), info.id, scope))
    case .parameterValueStrings:
      let names = try describedParameter(UInt32(clamping: element), info.id, scope).valueNames
      guard names.isEmpty else { return .strings(names) }
      throw Violation(
        UnitRules.propertyInUse, status: .propertyNotInUse, "its values are numbers, not names",
        at: .init(node: nil, .property(info.id, scope, element)))
    case .classInfo: return .classInfo(classInfo(state))
    case .lastRenderError:
      let status = state.lastRenderError
      state.lastRenderError = .ok
      return .status(status)
    case .elementName:
      let name = scope == .global ? state.globalName : elements[element].name
      guard let name else {
        throw Violation(
          UnitRules.propertyInUse, status: .propertyNotInUse, "the element has no name",
          at: .init(node: nil, .property(info.id, scope, element)))
      }
      return .string(name)
    case .hasIO:
      return state.values[PropertyPlace(.enableIO, scope, element)] ?? .uint32(0)
    default:
      let place = storedPlace(info.id, scope, element)
      let derived =
        state.values[place] == nil
        ? unit.derivedValue(of: place, in: settled(state), controls: state.controls) : nil
      if let value = state.values[place] ?? derived ?? info.defaultValue { return value }
      throw Violation(
        UnitRules.propertyInUse, status: .propertyNotInUse, "'\(info.key)' has no value now",
        at: .init(node: nil, .property(info.id, scope, element)))
    }
  }

  func describedParameter(
    _ parameter: UInt32, _ id: PropertyID, _ scope: Scope
  ) throws(Violation) -> ParameterInfo {
    if let info = parameterInfo(parameter, scope) { return info }
    throw Violation(
      UnitRules.parameterKnown, status: .invalidParameter,
      .unknownParameter(parameter, scope, description),
      at: .init(node: nil, .property(id, scope, Int(parameter))))
  }

  /// Where a property is kept. Both scopes of an element of an output unit share a channel map.
  private func storedPlace(_ id: PropertyID, _ scope: Scope, _ element: Int) -> PropertyPlace {
    PropertyPlace(id, id == .channelMap && description.isOutput ? .output : scope, element)
  }

  func settled(_ state: State) -> UnitConfiguration {
    UnitConfiguration(
      inputs: state.settled(.input), outputs: state.settled(.output),
      maximumFramesPerSlice: state.maximumFramesPerSlice, properties: state.values,
      controls: state.controls)
  }

  // MARK: Writing a value

  /// Returns whether something has changed that listeners are told of.
  private func set(
    _ info: PropertyInfo, _ scope: Scope, _ element: Int, _ value: PropertyValue,
    _ state: inout State
  ) throws(Violation) -> Bool {
    let place = Violation.Place(node: nil, .property(info.id, scope, element))
    switch (info.id, value) {
    case (.streamFormat, .streamFormat(let format)):
      return try setFormat(format, origin: .given, scope, element, &state)
    case (.sampleRate, .float64(let rate)):
      let elements = state.elements(scope) ?? []
      let origin = elements[element].origin == .given ? FormatOrigin.given : .rateGiven
      return try setFormat(
        elements[element].format.with(sampleRate: rate), origin: origin, scope, element, &state)
    default: break
    }
    if let refusal = writeRefusal(info, scope, element, state) { throw refusal }
    let checked = try PropertyCheck.checked(value, for: info, of: description, at: place)
    let stored = storedPlace(info.id, scope, element)
    if state.isInitialized,
      let refusal = unit.refusal(of: checked, for: stored, in: settled(state))
    {
      throw Violation(
        UnitRules.propertyFits, status: .invalidPropertyValue, refusal, at: place)
    }
    switch (info.id, checked) {
    case (.elementCount, .uint32(let count)):
      try setCount(Int(count), scope, &state)
    case (.maximumFramesPerSlice, .uint32(let frames)):
      state.maximumFramesPerSlice = Int(frames)
    case (.elementName, .string(let text)):
      let name = text.isEmpty ? nil : text
      if scope == .global {
        state.globalName = name
      } else {
        state.update(scope, element) { $0.name = name }
      }
    case (.contextName, .string("")): state.values[stored] = nil
    case (.presentPreset, .preset(let preset)) where preset.number < 0:
      // The name is new, the sound stays.
      state.values[stored] = checked
    case (.presentPreset, .preset(let preset)):
      state.factoryPreset = preset
      store(checked, at: stored, &state)
    default: store(checked, at: stored, &state)
    }
    return true
  }

  private func store(_ value: PropertyValue, at place: PropertyPlace, _ state: inout State) {
    state.values[place] = value
    guard let slot = state.controls.slot(place) else { return }
    guard case .floats(let numbers) = value else {
      state.write(value.liveWord, at: slot)
      return
    }
    for (index, number) in numbers.enumerated() {
      state.write(number.bitPattern, at: slot + 1 + index)
    }
    // Last, and never 0: the sign that there is something new.
    state.generation = max(1, state.generation &+ 1)
    state.write(state.generation, at: slot)
  }

  private func writeRefusal(
    _ info: PropertyInfo, _ scope: Scope, _ element: Int, _ state: State
  ) -> Violation? {
    let place = Violation.Place(node: nil, .property(info.id, scope, element))
    if info.id == .elementCount {
      let settable =
        scope == .input
        ? description.inputs.settable : scope == .output ? description.outputs.settable : nil
      if settable == nil {
        return Violation(
          UnitRules.elementCount, status: .propertyNotWritable,
          "the number of \(scope) elements of \(description.name) is fixed",
          at: .init(node: nil, .elementCount(scope)))
      }
    }
    if info.id == .streamFormat || info.id == .sampleRate {
      return formatWriteRefusal(scope == .global ? .output : scope, element, state)
    }
    if info.access == .readOnly {
      return Violation(
        UnitRules.propertyWritable, status: .propertyNotWritable,
        "'\(info.key)' is read, not set", at: place)
    }
    if info.access == .readWriteUntilInitialized && state.isInitialized {
      return Violation(
        UnitRules.propertyInitialized, status: .initialized,
        "'\(info.key)' is set before the unit is initialized", at: place)
    }
    return nil
  }

  private func formatWriteRefusal(
    _ scope: Scope, _ element: Int, _ state: State
  ) -> Violation? {
    let place = Violation.Place(node: nil, .streamFormat(scope, element))
    if description.property(.enableIO) != nil
      && (scope == .input && element == 1 || scope == .output && element == 0)
    {
      return Violation(
        UnitRules.formatWritable, status: .propertyNotWritable,
        scope == .input
          ? "inputs/1 of an I/O unit is the microphone itself: the device decides its format"
          : "outputs/0 of an I/O unit is the loudspeaker itself: the device decides its format",
        at: place,
        help: [
          "remove the stream format here: "
            + (scope == .input
              ? "what the graph hears is set on outputs/1"
              : "what the graph plays is set on inputs/0")
        ], remedies: [Remedy("remove the stream format", [.removeFormat(scope, element)])])
    }
    if scope == .input && state.use(scope, element) == .connection {
      return Violation(
        UnitRules.formatWritable, status: .propertyNotWritable,
        "input \(element) takes its stream format from its connection", at: place,
        help: ["remove the stream format here, or set it where the connection begins"],
        remedies: [Remedy("remove the stream format", [.removeFormat(scope, element)])])
    }
    if state.isInitialized, !isFree(scope, element, state) {
      return Violation(
        UnitRules.formatWritable, status: .propertyNotWritable,
        "a stream format is set before the unit is initialized", at: place)
    }
    return nil
  }

  /// Whether a format that is set on an input which a connection feeds is the one that arrives there:
  /// then nothing happens, as in Core Audio.
  ///
  /// - Throws: `kAudioUnitErr_PropertyNotWritable` where another arrives. Where it is not known what
  ///   does, it answers `false`: the other checks decide.
  private func agreesWithConnection(
    _ info: PropertyInfo, _ scope: Scope, _ element: Int, _ value: PropertyValue
  ) throws(Violation) -> Bool {
    guard scope == .input, info.id == .streamFormat || info.id == .sampleRate else { return false }
    let isConnected = state.withLock { !$0.isInitialized && $0.use(.input, element) == .connection }
    guard isConnected, let host, let arriving = host.arrivingFormat(at: element, of: self) else {
      return false
    }
    let place = Violation.Place(node: nil, .streamFormat(.input, element))
    switch value {
    case .streamFormat(let format):
      // A format that no bus can have is that, whatever arrives.
      guard format.inconsistencies.isEmpty else { return false }
      if format == arriving { return true }
      throw .otherFormat(arriving, wanted: format.summary, element, at: place)
    case .float64(let rate):
      if rate == arriving.sampleRate { return true }
      throw .otherFormat(arriving, wanted: "\(rateText(rate)) Hz", element, at: place)
    default: return false
    }
  }

  /// Whether nothing feeds an input, so that an initialized unit that can may take another format there.
  private func isFree(_ scope: Scope, _ element: Int, _ state: State) -> Bool {
    unit.takesFormatsLive && scope == .input && state.use(scope, element) == .none
  }

  private func setFormat(
    _ format: StreamFormat, origin: FormatOrigin, _ asked: Scope, _ element: Int,
    _ state: inout State
  ) throws(Violation) -> Bool {
    let scope = asked == .global ? Scope.output : asked
    let place = Violation.Place(node: nil, .streamFormat(scope, element))
    if let refusal = unit.violation(of: format, scope: scope, element: element) {
      throw refusal
    }
    let present = (state.elements(scope) ?? [])[element]
    let writeRefusal = formatWriteRefusal(scope, element, state)
    if present.format == format {
      // Nothing happens, but that the client has said so counts.
      if writeRefusal == nil { state.update(scope, element) { $0.origin = origin } }
      return false
    }
    if let writeRefusal { throw writeRefusal.at(place) }
    state.update(scope, element) {
      $0.format = format
      $0.origin = origin
    }
    return true
  }

  private func setCount(_ count: Int, _ scope: Scope, _ state: inout State) throws(Violation) {
    let settable = scope == .input ? description.inputs.settable : description.outputs.settable
    guard let settable, settable.contains(count) else {
      throw Violation(
        UnitRules.elementCount, status: .invalidPropertyValue,
        .badElementCount(description, scope, count),
        at: .init(node: nil, .elementCount(scope)))
    }
    let fresh = Element(format: unit.initialFormat(scope), origin: .initial)
    let old = state
    let resize = { (elements: [Element]) in
      Array(elements.prefix(count)) + Array(repeating: fresh, count: max(0, count - elements.count))
    }
    if scope == .input {
      state.inputs = resize(state.inputs)
    } else {
      state.outputs = resize(state.outputs)
    }
    state.controls = ControlLayout(
      blueprint.controls, inputCount: state.inputs.count, outputCount: state.outputs.count)
    for (kept, elements) in [
      (Scope.global, 1), (.input, state.inputs.count), (.output, state.outputs.count),
    ] {
      for index in 0..<min(elements, old.count(kept)) {
        for offset in 0..<state.controls.stride(kept) {
          state.controls.block[word: state.controls.base(kept, element: index) + offset] =
            old.controls.block[word: old.controls.base(kept, element: index) + offset]
        }
      }
    }
    old.controls.block.retire()
    state.values = state.values.filter { $0.key.element < state.count($0.key.scope) }
  }
}

extension UnitInstance.Element {
  /// Back to what a client has set, or to what a fresh element has.
  ///
  /// - Parameter isHardware: Whether it is the device's, which has that format.
  fileprivate mutating func forgetSettled(_ initial: StreamFormat, isHardware: Bool) {
    switch origin {
    case .given, .rateGiven: break
    case .initial, .graphDefault, .propagated, .hardware, .followsInput:
      format = initial
      origin = isHardware ? .hardware : .initial
    }
  }
}

extension Violation {
  /// A format that is set on an input is not the one that its connection brings.
  public static func otherFormat(
    _ arriving: StreamFormat, wanted: String, _ element: Int, at place: Place, notes: [Note] = []
  ) -> Violation {
    Violation(
      UnitRules.formatWritable, status: .propertyNotWritable,
      "input \(element) takes its stream format from its connection: \(arriving.summary) arrives, "
        + "not \(wanted)", at: place, notes: notes,
      help: [
        "remove what is set here, or set it where the connection begins",
        "to change the format on the way put a FormatConverter before the input",
      ],
      remedies: [Remedy("remove what is set here", [.removeFormat(.input, element)])])
  }

  fileprivate func at(_ place: Place) -> Violation {
    var copy = self
    copy.place = place
    return copy
  }
}

extension PropertyValue {
  /// What the render side sees of it.
  var liveWord: UInt32 {
    switch self {
    case .uint32(let value): value
    case .preset(let preset): UInt32(bitPattern: preset.number)
    case .float64(let value): Float(value).bitPattern
    default: 0
    }
  }
}

extension AudioUnit {
  /// Why an element does not take a format, its own contradictions first; `nil` where it does.
  public static func violation(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> Violation? {
    let place = Violation.Place(node: nil, .streamFormat(scope, element))
    if let first = format.inconsistencies.first {
      return Violation(
        UnitRules.formatConsistent, status: .formatNotSupported, "\(first)", at: place)
    }
    if format.sampleType == nil {
      return Violation(
        UnitRules.formatSupported, status: .formatNotSupported,
        "a bus carries float32, int16, int24, int32 or fixed8.24 samples, not "
          + "\(format.bitsPerChannel)-bit ones of this kind", at: place)
    }
    if let refusal = refusal(of: format, scope: scope, element: element) {
      return Violation(
        UnitRules.formatSupported, status: .formatNotSupported, refusal.message, at: place,
        help: refusal.help, remedies: refusal.remedies)
    }
    return nil
  }
}

extension String {
  fileprivate static func outsideRange(_ info: ParameterInfo, _ value: Float) -> String {
    guard value.isFinite else { return "'\(info.key)' is a finite number" }
    return "'\(info.key)' is \(plain(info.range.lowerBound)) to \(plain(info.range.upperBound))"
      + (info.unit.symbol.isEmpty ? "" : " \(info.unit.symbol)") + ", not \(plain(value))"
  }

  fileprivate static func outsideUsual(_ info: ParameterInfo, _ value: Float) -> String {
    value < 0
      ? "'\(info.key)' is \(plain(value)): a negative gain turns the signal over"
      : "'\(info.key)' is \(plain(value)): a gain above \(plain(info.range.upperBound)) can clip"
  }

  static func unknownParameter(
    _ parameter: UInt32, _ scope: Scope, _ description: UnitDescription
  ) -> String {
    let there = description.parameters(in: scope)
    return there.isEmpty
      ? "the \(scope) scope of \(description.name) has no parameters"
      : "the \(scope) scope of \(description.name) has no parameter \(parameter)"
  }

  fileprivate static func noSuchElement(
    _ description: UnitDescription, _ scope: Scope, _ element: Int, _ count: Int
  ) -> String {
    guard scope != .global else { return "the global scope has element 0 only" }
    let range = count == 1 ? "only element 0" : "elements 0 to \(count - 1)"
    return "\(description.name) has no \(scope) element \(element): it has \(range)"
  }

  fileprivate static func badElementCount(
    _ description: UnitDescription, _ scope: Scope, _ count: Int
  ) -> String {
    let settable = scope == .input ? description.inputs.settable : description.outputs.settable
    let range = settable.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "a fixed number of"
    return "\(description.name) has \(range) \(scope) elements, not \(count)"
  }
}

/// A number without a fraction that is zero.
func plain(_ value: Float) -> String {
  value == value.rounded() && abs(value) < 1e6 ? String(Int(value)) : "\(value)"
}
