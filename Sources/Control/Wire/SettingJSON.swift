import AudioTypes
import Diagnostics
import PatchSyntax

extension ControlSettings {
  /// The answer of `GET /controls`.
  var json: JSONText {
    ["tag": .string(tag), "controls": .array(settings.map(\.json))]
  }
}

extension PatchControl {
  var json: JSONText {
    [
      "pointer": .string(pointer.description),
      "node": .string(node),
      "component": .string(component),
      "scope": .string(scope.description),
      "element": .number(element),
      "elementName": .text(elementName),
      "isUsed": .boolean(isUsed),
      "name": .string(key),
      "title": .string(title),
      "summary": .string(summary),
      "kind": .string(kind.rawValue),
      "unit": .string(unit.name),
      "symbol": .string(unit.symbol),
      "minimum": .number(orNull: range?.lowerBound),
      "maximum": .number(orNull: range?.upperBound),
      "isRangeEnforced": .boolean(isRangeEnforced),
      "default": defaultValue,
      "value": value,
      "choices": .array(choices.map { ["value": $0.value, "title": .string($0.title)] }),
      "isWritable": .boolean(isWritable),
      "isInDocument": .boolean(isInDocument),
      "isProperty": .boolean(isProperty),
      "isScheduled": .boolean(isScheduled),
    ]
  }
}

// MARK: Many controls

extension ControlSettings {
  /// The answer of `GET /controls?form=kinds`: the members that several controls share are written
  /// once. For example, an equalizer of 16 bands has a hundred controls of eight kinds.
  var byKinds: JSONText {
    var places: [PatchControl: Int] = [:]
    var kinds: [JSONText] = []
    let controls = settings.map { setting -> JSONText in
      // Kinds are compared as values, because writing a kind as JSON takes far longer.
      let kind = setting.withoutPlace
      let place = places[kind] ?? kinds.count
      if place == kinds.count {
        places[kind] = place
        kinds.append(kind.kindJSON)
      }
      return JSONText.object([.init("of", .number(place))]).adding(setting.ownJSON)
    }
    return [
      "tag": .string(tag), "list": .string(listHash), "kinds": .array(kinds),
      "controls": .array(controls),
    ]
  }

  /// The answer of `GET /controls?form=values`: the controls that differ from their defaults, that
  /// the document sets, or that the timeline changes. The member `list` changes when the set of
  /// controls changes.
  var values: JSONText {
    let shown = settings.filter { $0.isInDocument || $0.isScheduled || $0.value != $0.defaultValue }
    return [
      "tag": .string(tag), "list": .string(listHash),
      "values": .array(
        shown.map { setting in
          [
            "pointer": .string(setting.pointer.description), "value": setting.value,
            "isInDocument": .boolean(setting.isInDocument),
            "isScheduled": .boolean(setting.isScheduled),
          ]
        }),
    ]
  }

  /// A hash of the set of controls, independent of their values.
  private var listHash: String {
    var bytes: [UInt8] = []
    for setting in settings {
      for part in [setting.pointer.description, setting.component, setting.elementName ?? "\u{1}"] {
        bytes += part.utf8
        bytes.append(0)
      }
      bytes.append((setting.isUsed ? 1 : 2) + (setting.isWritable ? 4 : 8))
    }
    return ContentHash.digits(bytes)
  }
}

extension PatchControl {
  /// The control without the members of `ownJSON`. It is equal for all controls of a kind.
  fileprivate var withoutPlace: PatchControl {
    var kind = self
    kind.pointer = JSONPointer()
    kind.node = ""
    kind.element = 0
    kind.elementName = nil
    kind.value = defaultValue
    kind.isInDocument = false
    kind.isScheduled = false
    return kind
  }

  /// The members that controls of one kind share.
  fileprivate var kindJSON: JSONText {
    [
      "component": .string(component), "scope": .string(scope.description), "name": .string(key),
      "title": .string(title), "summary": .string(summary), "kind": .string(kind.rawValue),
      "unit": .string(unit.name), "symbol": .string(unit.symbol),
      "minimum": .number(orNull: range?.lowerBound), "maximum": .number(orNull: range?.upperBound),
      "isRangeEnforced": .boolean(isRangeEnforced), "default": defaultValue,
      "choices": .array(choices.map { ["value": $0.value, "title": .string($0.title)] }),
      "isProperty": .boolean(isProperty), "isWritable": .boolean(isWritable),
      "isUsed": .boolean(isUsed),
    ]
  }

  /// The members of one control. Default values, zeros and `false` are left out.
  fileprivate var ownJSON: JSONText {
    var members: [JSONText.Member] = [
      .init("pointer", .string(pointer.description)), .init("node", .string(node)),
    ]
    if element != 0 { members.append(.init("element", .number(element))) }
    if let elementName { members.append(.init("elementName", .string(elementName))) }
    if value != defaultValue { members.append(.init("value", value)) }
    if isInDocument { members.append(.init("isInDocument", true)) }
    if isScheduled { members.append(.init("isScheduled", true)) }
    return .object(members)
  }
}
