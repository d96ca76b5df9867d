import AudioTypes
import PatchSyntax
import RenderCallbacks
import RenderCore
import RenderTaps

/// A kind of callback or tap, for the schema and the listings.
struct SettingKind {
  var kind: String
  var summary: String
  var settings: [SettingInfo]
  /// Whether it pulls a source, which is written as `from`.
  var input = CallbackInput.none

  init(_ callback: CallbackDescription) {
    kind = callback.kind
    summary = callback.summary
    settings = callback.settings
    input = callback.input
  }

  init(_ tap: TapDescription) {
    kind = tap.kind
    summary = tap.summary
    settings = tap.settings
  }
}

/// The schemas of callbacks and taps: one for each kind, chosen by `kind`.
enum SettingSchema {
  /// The name of the definition of a kind, `callback.tone`.
  static func definitionName(_ role: String, _ kind: SettingKind) -> String {
    "\(role).\(kind.kind)"
  }

  /// The schema of an object whose `kind` decides its other members. `common` are the members that
  /// every kind has.
  static func object(
    _ role: String, kinds: [SettingKind], required: [String], common: JSONText, summary: String
  ) -> JSONText {
    let names = kinds.map(\.kind)
    return [
      "description": .string(summary),
      "type": "object",
      "required": .strings(["kind"] + required),
      "properties": JSONText.object([
        .init(
          "kind",
          [
            "description": "What kind it is: \(names.joined(separator: ", ")).",
            "enum": .strings(names),
            "enumDescriptions": .strings(kinds.map(\.summary)),
          ])
      ]).adding(common).adding([
        "count": Schema.copyCount, "comment": Schema.reference("comment"),
      ]),
      "allOf": .array(
        kinds.map { kind in
          [
            "if": [
              "properties": ["kind": ["const": .string(kind.kind)]],
              "required": ["kind"],
            ],
            "then": Schema.reference(definitionName(role, kind)),
          ]
        }),
    ]
  }

  /// The definitions that `object` refers to, one for each kind.
  static func definitions(
    _ role: String, kinds: [SettingKind], common: JSONText
  ) -> [JSONText.Member] {
    kinds.map { kind in
      let required =
        kind.settings.filter(\.isRequired).map(\.key) + (kind.input == .required ? ["from"] : [])
      let from: [JSONText.Member] =
        kind.input == .none
        ? [] : [.init("from", Schema.described(fromSummary, Schema.reference("address")))]
      let settings = kind.settings.map { JSONText.Member($0.key, value($0)) }
      var members: [JSONText.Member] = [
        .init("description", .string(kind.summary)),
        .init("type", "object"),
      ]
      if !required.isEmpty { members.append(.init("required", .strings(required))) }
      members.append(
        .init(
          "properties",
          JSONText.object([.init("kind", ["const": .string(kind.kind)])])
            .adding(.object(settings))
            .adding(.object(from))
            .adding(.object(common.members.map { .init($0.name, true) }))
            .adding(["count": true, "comment": true])))
      members.append(.init("additionalProperties", false))
      return .init(definitionName(role, kind), .object(members))
    }
  }

  /// The description of `from`.
  static let fromSummary = "What it pulls: an output, \"io:1\" say, or another callback."

  /// The schema of a setting's value.
  static func value(_ info: SettingInfo) -> JSONText {
    var members: [JSONText.Member] = [.init("description", .string(description(info)))]
    func add(_ name: String, _ value: JSONText) { members.append(.init(name, value)) }
    switch info.kind {
    case .number(let range, let excludesLowerBound):
      members += numberTypes(info.unit)
      guard info.isRangeEnforced else { break }
      if range.lowerBound.isFinite {
        add(excludesLowerBound ? "exclusiveMinimum" : "minimum", .number(range.lowerBound))
      }
      if range.upperBound.isFinite { add("maximum", .number(range.upperBound)) }
    case .integer(let range): members += integer(range)
    case .boolean where info.unit == .boolean:
      members += numberTypes(.boolean)
      add("minimum", 0)
      add("maximum", 1)
    case .boolean: add("type", "boolean")
    case .choice(let choices): members += choice(choices)
    case .path:
      add("type", "string")
      add("minLength", 1)
    case .text: add("type", "string")
    case .symbol:
      add("type", "string")
      add("pattern", "^[A-Za-z_][A-Za-z0-9_]*$")
    case .expression:
      add("type", "string")
      add("minLength", 1)
      add("maxLength", .number(Double(ExpressionLanguage.longestText)))
    case .numbers:
      add("type", "object")
      add("propertyNames", ["pattern": "^[A-Za-z_][A-Za-z0-9_]*$"])
      add("properties", ["comment": Schema.reference("comment")])
      add("additionalProperties", ["type": "number"])
    case .list(let most):
      add("type", "array")
      add("items", ["type": "number"])
      if let most { add("maxItems", .number(most)) }
    case .integers(let range):
      add("type", "array")
      add("items", .object(integer(range)))
    case .rows(let most):
      add("type", "array")
      add("minItems", 1)
      add("maxItems", .number(most + 1))
      add(
        "items",
        [
          "type": "array", "items": .object(numberTypes(.linearGain)), "minItems": 1,
          "maxItems": .number(most + 1),
        ])
    case .preset(let presets): add("anyOf", .array(preset(presets)))
    case .structure: break
    }
    if let value = info.defaultValue { add("default", JSONText(value)) }
    return .object(members)
  }

  private static func description(_ info: SettingInfo) -> String {
    var text = info.summary
    // The meanings of choices are told one by one.
    if !info.kind.hasMeanings { text += " " + sentence(info.expectation) }
    if !info.constant.isEmpty {
      // Core Audio's can be set at any time, which is said once for all of them.
      text += " \(info.constant)."
    } else if !info.turns.isEmpty {
      text += " It can be \(info.turns.joined(separator: " and ")) while it plays."
    }
    return text + (info.proposed.isEmpty ? "" : " Ours, not Core Audio's: \(info.proposed).")
  }

  private static func integer(_ range: ClosedRange<Int>) -> [JSONText.Member] {
    [
      .init("type", "integer"), .init("minimum", .number(range.lowerBound)),
      .init("maximum", .number(range.upperBound)),
    ]
  }

  /// The names and, of choices with numbers, the other spellings.
  private static func choice(_ choices: [SettingInfo.Choice]) -> [JSONText.Member] {
    let names = JSONText.strings(choices.map(\.name))
    let others = choices.flatMap { choice in
      [choice.code, choice.constant.isEmpty ? nil : choice.constant].compactMap { text in
        text.map { JSONText.string($0) }
      } + (choice.value.map { [.number($0)] } ?? [])
    }
    let descriptions = choices.map { choice in
      !choice.summary.isEmpty
        ? choice.summary
        : choice.constant.isEmpty ? choice.value.map { "\($0)." } ?? "" : "\(choice.constant)."
    }
    var named = [JSONText.Member("enum", names)]
    if !descriptions.allSatisfy(\.isEmpty) {
      named.append(.init("enumDescriptions", .strings(descriptions)))
    }
    guard !others.isEmpty else { return named }
    return [.init("anyOf", [.object(named), ["enum": .array(others)]])]
  }

  /// The names, the numbers, and presets of the user's own.
  private static func preset(_ presets: [Preset]) -> [JSONText] {
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
    guard !presets.isEmpty else { return [own] }
    return [
      [
        "enum": .strings(presets.map(\.name)),
        "enumDescriptions": .strings(presets.map { "Preset number \($0.number)." }),
      ],
      ["enum": .array(presets.map { .number($0.number) })], own,
    ]
  }
}

/// The JSON type of a number of a unit; for a unit that patches may write, a text too.
func numberTypes(_ unit: ParameterUnit) -> [JSONText.Member] {
  if unit == .boolean { return [.init("type", ["number", "boolean"])] }
  guard let pattern = WrittenQuantity.pattern(for: Quantity.Measure(unit)) else {
    return [.init("type", "number")]
  }
  return [.init("type", ["number", "string"]), .init("pattern", .string(pattern))]
}

/// Makes a sentence of a phrase: `A number.` of `a number`.
func sentence(_ phrase: String) -> String {
  guard let first = phrase.first else { return "" }
  return first.uppercased() + phrase.dropFirst() + "."
}
