import PatchSyntax

extension ControlSettings {
  /// What `GET /controls` answers.
  var json: JSONText {
    ["tag": .string(tag), "controls": .array(settings.map(\.json))]
  }
}

extension ControlSetting {
  var json: JSONText {
    [
      "pointer": .string(pointer),
      "node": .string(node),
      "component": .string(component),
      "scope": .string(scope),
      "element": .number(element),
      "elementName": .text(elementName),
      "isUsed": .boolean(isUsed),
      "name": .string(name),
      "title": .string(title),
      "summary": .string(summary),
      "kind": .string(kind.rawValue),
      "unit": .string(unit),
      "symbol": .string(symbol),
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
