import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax
import RenderCore
import RenderTaps

extension GraphBuilder {
  // MARK: Settings

  /// Applies the settings of the node at an index of the document to its unit.
  mutating func configure(_ index: Int, _ id: NodeID, _ unit: UnitInstance) {
    // What is written as before has the same settings, if no mistake and no connection changed them.
    if document.isNodeAsBefore(index), let before = lastConfigured, before.index == index - 1,
      unit.takeSettings(of: before.unit)
    {
      lastConfigured = (index, unit)
      return
    }
    let count = findings.count + expectedFormats.count
    defer {
      lastConfigured = findings.count + expectedFormats.count == count ? (index, unit) : nil
    }
    let properties = document.nodes[index].value.properties
    setMaximumFrames(unit, id, besides: properties)
    setProperties(properties, unit, id, .global, 0)
    setParameters(document.nodes[index].value.parameters, unit, id, .global, 0)
    if let bands = document.nodes[index].value.bands {
      setBands(bands, besides: properties, unit, id)
    }
    configure(document.nodes[index].value.inputs, unit, id, .input, of: index)
    configure(document.nodes[index].value.outputs, unit, id, .output, of: index)
  }

  /// Applies the patch's `maximumFramesPerSlice` to a unit whose node does not set its own.
  private mutating func setMaximumFrames(
    _ unit: UnitInstance, _ id: NodeID, besides written: [PatchDocument.Field]
  ) {
    guard let most = document.maximumFramesPerSlice,
      unit.description.component.type != .outputType,
      let info = unit.properties.first(where: { $0.id == .maximumFramesPerSlice }),
      !written.contains(where: { $0.name == info.key || $0.name == info.constant }),
      let frames = UInt32(exactly: most.value)
    else { return }
    set(.maximumFramesPerSlice, .uint32(frames), unit, id, .global, 0, at: most.json)
  }

  mutating func configure(
    _ elements: [PatchDocument.Element], _ unit: UnitInstance, _ id: NodeID, _ scope: Scope,
    of index: Int
  ) {
    guard !elements.isEmpty else { return }
    let count = unit.elementCount(scope)
    // By index, so that elements are not copied.
    for place in elements.indices {
      let bus = elements[place].bus.value
      guard bus < count else {
        reportMissing(elements[place], unit, .init(node: id, scope: scope))
        continue
      }
      if elements[place].streamFormat != nil || elements[place].sampleRate != nil {
        setFormat(elements[place], unit, id, scope, bus, of: document.nodes[index].name)
      }
      setProperties(elements[place].properties, unit, id, scope, bus)
      setParameters(elements[place].parameters, unit, id, scope, bus)
    }
  }

  private mutating func reportMissing(
    _ element: PatchDocument.Element, _ unit: UnitInstance, _ side: MissingBuses.Side
  ) {
    guard !missingBuses.reported.contains(side) else { return }
    do throws(Violation) {
      _ = try unit.property(.streamFormat, side.scope, element.bus.value)
    } catch {
      reportMissing(side, error.at(node: side.node), at: element.bus.json)
    }
  }

  mutating func setFormat(
    _ element: PatchDocument.Element, _ unit: UnitInstance, _ id: NodeID, _ scope: Scope,
    _ bus: Int, of name: String
  ) {
    let isConnected: Bool
    if scope == .input, case .output? = layout[feedOf: .init(node: name, bus: bus)] {
      isConnected = true
    } else {
      isConnected = false
    }
    if let written = element.streamFormat {
      guard let format = formats.resolve(written) else {
        doubts.raise(.format, about: id)
        return
      }
      if isConnected {
        expectedFormats.append(
          .init(node: id, input: bus, rate: format.sampleRate, format: format, json: written.json))
        return
      }
      set(.streamFormat, .streamFormat(format), unit, id, scope, bus, at: written.json)
    } else if let rate = element.sampleRate {
      if isConnected {
        expectedFormats.append(
          .init(
            node: id, input: bus, rate: formats.rate(rate.value), format: nil, json: rate.json))
        return
      }
      set(
        .sampleRate, .float64(formats.rate(rate.value)), unit, id, scope, bus, at: rate.json)
    }
  }

  mutating func set(
    _ property: PropertyID, _ value: PropertyValue, _ unit: UnitInstance, _ id: NodeID,
    _ scope: Scope, _ bus: Int, at json: JSONValue
  ) {
    do throws(Violation) {
      try unit.setProperty(property, scope, bus, to: value)
    } catch {
      if property == .streamFormat || property == .sampleRate { doubts.raise(.format, about: id) }
      report(error.at(node: id), at: json)
    }
  }

  mutating func setProperties(
    _ fields: [PatchDocument.Field], _ unit: UnitInstance, _ id: NodeID, _ scope: Scope, _ bus: Int
  ) {
    for field in fields {
      let kind = field.value.kind
      guard kind != .invalid else { continue }
      // An element of the value could not be read, which has been reported.
      if kind == .array, field.value.elements.contains(where: { $0.kind == .invalid }) {
        if let info = unit.info(named: field.name) {
          doubts.raise(at: .init(node: id, .property(info.id, scope, bus)))
        }
        continue
      }
      guard let info = property(named: field.name, of: unit), info.isPatchProperty else {
        reportUnknownProperty(field, unit, scope)
        // The property that was probably meant is not set, so rules about it must stay silent.
        for info in unit.properties
        where !nearMisses(to: field.name, among: [info.key, info.constant]).isEmpty {
          doubts.raise(at: .init(node: id, .property(info.id, scope, bus)))
        }
        continue
      }
      let written = field.value.value(for: info.setting)
      if case .preset(let presets) = info.kind, case .text(let name)? = written,
        !presets.contains(where: { $0.name == name })
      {
        doubts.raise(at: .init(node: id, .property(info.id, scope, bus)))
        reportUnknownPreset(name, among: presets, unit, at: field.value)
        continue
      }
      guard let value = info.kind.stored(written) else {
        doubts.raise(at: .init(node: id, .property(info.id, scope, bus)))
        report(
          SettingReader.wrongType(
            field.value, of: field.name, info.setting, UnitRules.propertyValue,
            status: .invalidPropertyValue))
        continue
      }
      do throws(Violation) {
        try unit.setProperty(info.id, scope, bus, to: value)
      } catch {
        doubts.raise(at: .init(node: id, .property(info.id, scope, bus)))
        let isPlace = [UnitRules.propertyScope, UnitRules.element].contains(error.rule)
        report(error.at(node: id), at: isPlace ? field.key.json : field.value)
      }
    }
  }

  /// The description of a property of a unit; `nil` where it has none with this name.
  private mutating func property(named name: String, of unit: UnitInstance) -> PropertyInfo? {
    if let last = lastProperty, last.unit == unit.unit, last.name == name { return last.info }
    guard let info = unit.info(named: name) else { return nil }
    lastProperty = (unit.unit, name, info)
    return info
  }

  mutating func reportUnknownPreset(
    _ name: String, among presets: [Preset], _ unit: UnitInstance, at json: JSONValue
  ) {
    let names = presets.map(\.name)
    report(
      UnitRules.propertyValue.diagnostic(
        names.isEmpty
          ? "\(unit.description.name) has no presets but your own"
          : "\(unit.description.name) has no preset \(quoted(name))",
        status: .invalidPropertyValue,
        at: json.markRange,
        pointer: json.pointer.description,
        help: names.isEmpty
          ? ["write { \"number\": -1, \"name\": \"\(name)\" }"]
          : [didYouMean(name, among: names)].compactMap(\.self)
            + ["the presets are: " + names.joined(separator: ", ")],
        fixes: json.string == name ? json.correction(of: name, among: names) : []))
  }

  mutating func reportUnknownProperty(
    _ field: PatchDocument.Field, _ unit: UnitInstance, _ scope: Scope
  ) {
    findings.append(UnitRules.propertyKnown, at: field.key.range) {
      Self.unknownProperty(field, unit, scope)
    }
  }

  private static func unknownProperty(
    _ field: PatchDocument.Field, _ unit: UnitInstance, _ scope: Scope
  ) -> Diagnostic {
    let here = unit.properties.filter { $0.isPatchProperty && $0.scopes.contains(scope) }
    let guess = didYouMean(field.name, among: here.map(\.key))
    var help = [guess].compactMap(\.self)
    var message = "\(unit.description.name) has no property \(quoted(field.name))"
    var status = Status.invalidProperty
    if let info = unit.info(named: field.name) {
      message = "\(quoted(info.key)) is not set under \"properties\""
      help = [place(of: info)]
      // The property exists: the status depends on whether it has this scope.
      if info.scopes.contains(scope) {
        status = .propertyNotWritable
      } else {
        status = .invalidScope
      }
    } else if unit.parameterInfo(named: field.name, scope) != nil {
      help.insert("\(quoted(field.name)) is a parameter: write it under \"parameters\"", at: 0)
    }
    if !here.isEmpty {
      help.append("its properties here are: " + here.map(\.key).joined(separator: ", "))
    }
    return UnitRules.propertyKnown.diagnostic(
      .init(message),
      status: status,
      at: field.key.range,
      pointer: field.key.pointer,
      help: help,
      fixes: guess != nil && help.first == guess
        ? field.key.json.correction(of: field.name, among: here.map(\.key)) : [])
  }

  /// Help that says where a patch sets a property that is not set under "properties".
  private static func place(of info: PropertyInfo) -> String {
    switch info.id {
    case .streamFormat, .sampleRate: "write it beside \"properties\", on the bus itself"
    case .elementCount: "write \"inputCount\" or \"outputCount\" on the node"
    case .makeConnection, .setRenderCallback: "write it under \"connections\" of the patch"
    case .classInfo, .classInfoFromDocument: "the node itself is the state: write its settings"
    default: info.isWritable ? "a program sets it, and no patch" : "it is read, not set"
    }
  }

  mutating func setParameters(
    _ fields: [PatchDocument.Field], _ unit: UnitInstance, _ id: NodeID, _ scope: Scope, _ bus: Int
  ) {
    for field in fields where field.value.kind != .invalid {
      guard let info = unit.parameterInfo(named: field.name, scope) else {
        reportUnknownParameter(field, unit, scope)
        continue
      }
      setParameter(info, field, unit, id, scope, bus)
    }
  }

  mutating func setParameter(
    _ info: ParameterInfo, _ field: PatchDocument.Field, _ unit: UnitInstance, _ id: NodeID,
    _ scope: Scope, _ bus: Int
  ) {
    guard let value = SettingReader.parameter(field.value, info) else {
      report(
        SettingReader.wrongType(
          field.value, of: field.name, info.setting, UnitRules.parameterRange,
          status: .invalidParameter))
      return
    }
    do throws(Violation) {
      reportReplaced(info, field, unit, id, scope, bus)
      try unit.setParameter(info.id, scope, bus, to: value)
      if let warning = unit.warning(info.id, scope, bus, value) {
        report(withDecibels(warning.at(node: id), info, at: field.value))
      }
    } catch {
      report(withDecibels(error.at(node: id), info, at: field.value))
    }
  }

  /// The diagnostic of a violation. For a number that is most likely meant in another unit it has
  /// help and a fix.
  func withDecibels(
    _ violation: Violation, _ info: ParameterInfo, at json: JSONValue
  ) -> Diagnostic {
    var diagnostic = violation.diagnostic(in: places, at: json)
    if json.kind == .number, let meant = json.plainForm(for: info.setting) {
      diagnostic.help.append(meant.help)
      diagnostic.fixes.append(meant.fix)
    }
    return diagnostic
  }

  /// Warns of a parameter that overrides a property which is also set.
  mutating func reportReplaced(
    _ parameter: ParameterInfo, _ field: PatchDocument.Field, _ unit: UnitInstance, _ id: NodeID,
    _ scope: Scope, _ bus: Int
  ) {
    guard
      let info = unit.replaceableProperties.first(where: {
        $0.replacedBy == parameter.id && $0.scopes.contains(scope)
      }), unit.hasSet(info.id, scope, bus)
    else { return }
    let place = Violation.Place(node: id, .property(info.id, scope, bus))
    report(
      Violation(
        UnitRules.parameterReplaces, status: .ok,
        "'\(parameter.key)' takes the place of '\(info.key)', which is then not heard",
        at: .init(node: id, .parameter(parameter.id, scope, bus)),
        notes: [.init("set here, to no effect", at: place)],
        help: ["leave one of the two out"]
      ).diagnostic(in: places, at: field.value))
  }

  mutating func reportUnknownParameter(
    _ field: PatchDocument.Field, _ unit: UnitInstance, _ scope: Scope
  ) {
    findings.append(UnitRules.parameterKnown, at: field.key.range) {
      Self.unknownParameter(field, unit, scope)
    }
  }

  private static func unknownParameter(
    _ field: PatchDocument.Field, _ unit: UnitInstance, _ scope: Scope
  ) -> Diagnostic {
    let here = unit.description.parameters(in: scope).filter { !$0.isReadOnly && !$0.isOfBand }
    var help = [
      Synonyms.didYouMean(
        field.name, among: here.map(\.key), knownAs: Synonyms.parameters)
    ].compactMap(\.self)
    for other in Scope.allCases where other != scope {
      if unit.parameterInfo(named: field.name, other) != nil {
        let place =
          other == .global
          ? "under \"parameters\" of the node" : "on a bus: \"\(other)s\": { \"0\": … }"
        help.insert("it belongs to the \(other) scope: write it \(place)", at: 0)
      }
    }
    if scope == .global, let inBand = nameInBand(field.name, unit) {
      help.insert(
        "\(quoted(inBand)) is a band's: write it in an object of \"bands\", one for each band",
        at: 0)
    }
    if unit.info(named: field.name) != nil {
      help.insert("\(quoted(field.name)) is a property: write it under \"properties\"", at: 0)
    }
    if !here.isEmpty {
      help.append("its parameters here are: " + here.map(\.key).joined(separator: ", "))
    } else if help.isEmpty {
      let others = UnitCatalog.standard.components.filter { component in
        component.description.type == unit.description.component.type
          && component.unit.description.parameters.contains { $0.key == field.name }
      }.map(\.name)
      if !others.isEmpty {
        help.append(
          "units with this parameter are: " + others.prefix(5).joined(separator: ", "))
      }
    }
    return UnitRules.parameterKnown.diagnostic(
      "the \(scope) scope of \(unit.description.name) has no parameter \(quoted(field.name))",
      status: .invalidParameter,
      at: field.key.range,
      pointer: field.key.pointer,
      help: help,
      fixes: help.first == didYouMean(field.name, among: here.map(\.key))
        ? field.key.json.correction(of: field.name, among: here.map(\.key)) : [])
  }
}
