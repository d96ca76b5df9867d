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

  /// The schema of a setting.
  static func value(_ setting: SettingInfo) -> JSONText {
    var members: [JSONText.Member] = [
      .init(
        "description",
        .string(
          "\(setting.summary) \(sentence(setting.expectation))\(whilePlaying(setting.change))"))
    ]
    switch setting.kind {
    case .number(let range, let excludesLowerBound):
      members += numberTypes(setting.unit)
      members.append(
        .init(excludesLowerBound ? "exclusiveMinimum" : "minimum", .number(range.lowerBound)))
      if range.upperBound.isFinite { members.append(.init("maximum", .number(range.upperBound))) }
    case .integer(let range):
      members.append(.init("type", "integer"))
      members.append(.init("minimum", .number(range.lowerBound)))
      members.append(.init("maximum", .number(range.upperBound)))
    case .boolean: members.append(.init("type", "boolean"))
    case .choice(let names): members.append(.init("enum", .strings(names)))
    case .path:
      members.append(.init("type", "string"))
      members.append(.init("minLength", 1))
    case .text: members.append(.init("type", "string"))
    case .symbol:
      members.append(.init("type", "string"))
      members.append(.init("pattern", "^[A-Za-z_][A-Za-z0-9_]*$"))
    case .expression:
      members.append(.init("type", "string"))
      members.append(.init("minLength", 1))
      members.append(.init("maxLength", .number(Double(ExpressionLanguage.longestText))))
    case .numbers:
      members.append(.init("type", "object"))
      members.append(.init("propertyNames", ["pattern": "^[A-Za-z_][A-Za-z0-9_]*$"]))
      members.append(.init("properties", ["comment": Schema.reference("comment")]))
      members.append(.init("additionalProperties", ["type": "number"]))
    }
    if let value = setting.defaultValue { members.append(.init("default", json(value))) }
    return .object(members)
  }

  private static func whilePlaying(_ change: SettingInfo.Change) -> String {
    switch change {
    case .fixed: ""
    case .live: " It can be turned while it plays."
    case .ramp: " It can be turned and ramped while it plays."
    }
  }

  static func json(_ value: SettingValue) -> JSONText {
    switch value {
    case .number(let number): .number(number)
    case .text(let text): .string(text)
    case .boolean(let boolean): .boolean(boolean)
    case .numbers(let numbers):
      .object(
        numbers.sorted { $0.key < $1.key }.map { JSONText.Member($0.key, .number($0.value)) })
    }
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
