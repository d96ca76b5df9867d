import AudioTypes
import RenderCore
import Synchronization

extension UnitInstance {
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
    // Core Audio checks a value's size before anything else.
    if let value, !info.admits(value) {
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
    let settable =
      scope == .input
      ? description.inputs.settable : scope == .output ? description.outputs.settable : nil
    let mayHaveMore = settable?.contains(element + 1) == true
    throw Violation(
      UnitRules.element, status: .invalidElement,
      .noSuchElement(description, scope, element, count),
      at: .init(node: nil, .bus(scope, element)),
      help: mayHaveMore
        ? ["give the unit more \(scope)s: \"\(scope)Count\": \(element + 1)"] : [],
      remedies: mayHaveMore
        ? [
          Remedy(
            "give the unit more \(scope)s",
            [scope == .input ? .setInputCount(element + 1) : .setOutputCount(element + 1)])
        ] : [])
  }

  // MARK: Reading a value

  func value(
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
      let name = scope == .global ? state.rare.globalName : elements[element].name
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
        ? unit.derivedValue(of: place, in: { settled(state) }, controls: state.controls) : nil
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

  /// The place at which a property is stored: both scopes of an element of an output unit share a
  /// channel map.
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

  /// Returns whether a change has to be reported to listeners.
  func set(
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
        state.rare.globalName = name
      } else {
        state.update(scope, element) { $0.name = name }
      }
    case (.contextName, .string("")): state.values[stored] = nil
    case (.presentPreset, .preset(let preset)) where preset.number < 0:
      // Only the name changes, not the sound.
      state.values[stored] = checked
    case (.presentPreset, .preset(let preset)):
      state.rare.factoryPreset = preset
      store(checked, at: stored, &state)
      for (parameter, value) in unit.parameters(ofPreset: preset.number) {
        guard let slot = state.controls.slot(parameter, .global, 0) else { continue }
        state.write(value.bitPattern, at: slot)
      }
    default: store(checked, at: stored, &state)
    }
    return true
  }

  private func store(_ value: PropertyValue, at place: PropertyPlace, _ state: inout State) {
    state.values[place] = value
    guard let slot = state.controls.slot(place) else { return }
    switch value {
    case .floats(let numbers):
      for (index, number) in numbers.enumerated() {
        state.write(number.bitPattern, at: slot + 1 + index)
      }
    case .matrix:
      guard state.isInitialized,
        let words = unit.liveWords(of: value, for: place, in: settled(state))
      else { return }
      for (index, word) in words.enumerated()
      where state.heldWrites != nil || state.controls.block[word: slot + 1 + index] != word {
        state.write(word, at: slot + 1 + index)
      }
    default:
      state.write(value.liveWord, at: slot)
      return
    }
    // Written last, and never 0: a different number tells the kernel that the list has changed.
    state.generation = max(1, state.generation &+ 1)
    state.write(state.generation, at: slot)
  }

  func writeRefusal(
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

  /// Whether a format to be set on a connected input equals the one that its connection brings; the
  /// call then has no effect, as in Core Audio. `false` where the arriving format is not known.
  ///
  /// - Throws: `kAudioUnitErr_PropertyNotWritable` where another format arrives.
  func agreesWithConnection(
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
      // An inconsistent format is refused as such.
      guard format.inconsistencies.isEmpty else { return false }
      if format == arriving { return true }
      throw .otherFormat(arriving, wanted: format.summary, element, at: place)
    case .float64(let rate):
      if rate == arriving.sampleRate { return true }
      throw .otherFormat(arriving, wanted: "\(rateText(rate)) Hz", element, at: place)
    default: return false
    }
  }

  /// Whether an initialized unit may take another format at an input: nothing feeds the input, and
  /// the unit takes formats live.
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
      // The format stays, but its origin changes: now the client has set it.
      if writeRefusal == nil { state.update(scope, element) { $0.origin = origin } }
      return false
    }
    if let writeRefusal { throw writeRefusal.at(place) }
    // "Not known yet" has come to an end: a graph that plays has to be one that can be initialized.
    if state.isInitialized, format.sampleRate == 0 {
      throw Violation(
        UnitRules.formatSupported, status: .formatNotSupported,
        "the buses of an initialized unit have a sample rate, and 0 is none", at: place)
    }
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
