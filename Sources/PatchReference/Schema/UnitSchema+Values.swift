import AudioTypes
import AudioUnits
import PatchSyntax

extension UnitSchema {
  func bands(_ unit: UnitDescription) -> JSONText {
    guard let bands = unit.bands else { return false }
    return [
      "description": .string(
        "The bands of the \(unit.name) in order, as many as it has unless its properties say more. One "
          + "that is written here is on unless it has \"bypass\": true."),
      "type": "array",
      "minItems": 1,
      "maxItems": .number(bands.maximumCount),
      "items": settings(
        "A band of the \(unit.name).",
        bands.parameters.map { info in
          var info = info
          if info.id == bands.bypass { info.defaultValue = 0 }
          return parameter(info)
        } + [Setting(key: "count", constant: "count", value: Schema.copyCount)],
        at: "node.\(unit.name)/properties/bands/items"),
    ]
  }

  func presets(of unit: UnitDescription) -> JSONText {
    let own: JSONText = [
      "description": "A preset of your own: the sound stays, and has this name.",
      "type": "object",
      "required": ["number", "name"],
      "properties": [
        "number": [
          "description": "Below 0.", "type": "integer", "minimum": -2_147_483_648, "maximum": -1,
        ],
        "name": ["type": "string", "minLength": 1],
        "comment": Schema.reference("comment"),
      ],
      "additionalProperties": false,
    ]
    guard case .presets(let presets)? = unit.property(.factoryPresets)?.defaultValue else {
      return [own]
    }
    return [
      [
        "enum": .strings(presets.map(\.name)),
        "enumDescriptions": .strings(presets.map { "Preset number \($0.number)." }),
      ],
      ["enum": .array(presets.map { .number($0.number) })], own,
    ]
  }

  /// The names, and the other spellings of the choices.
  func choices(_ choices: [PropertyInfo.Choice]) -> JSONText {
    [
      [
        "enum": .strings(choices.map(\.name)),
        "enumDescriptions": .strings(
          choices.map { $0.constant.isEmpty ? "\($0.value)." : "\($0.constant)." }),
      ],
      [
        "enum": .array(
          choices.flatMap { choice in
            [choice.code, choice.constant.isEmpty ? nil : choice.constant].compactMap { text in
              text.map { .string($0) }
            } + [.number(choice.value)]
          })
      ],
    ]
  }

  func defaultValue(of info: PropertyInfo, of unit: UnitDescription) -> JSONText? {
    if info.id == .maximumFramesPerSlice { return .number(unit.defaultMaximumFramesPerSlice) }
    if case .choice(let choices) = info.kind, case .uint32(let word)? = info.defaultValue {
      return choices.first { $0.value == word }.map { .string($0.name) }
    }
    return switch info.defaultValue {
    case .uint32(let word): info.kind == .boolean ? .boolean(word != 0) : .number(word)
    case .float64(let number): .number(number)
    case .string(let text): .string(text)
    case .preset(let preset) where preset.number >= 0: .string(preset.name)
    case .preset(let preset): ["number": .number(preset.number), "name": .string(preset.name)]
    default: nil
    }
  }
}
