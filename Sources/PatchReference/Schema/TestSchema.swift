import AudioTypes
public import PatchSyntax
import RenderCallbacks
import SoundExpectations

/// The JSON Schema (draft-07) of a test file, made from the descriptions of the kinds of
/// expectation.
///
/// `patchrun test` refuses all that the schema refuses, and more: places that the patch does not
/// have, and settings that do not fit it.
public enum TestSchema {
  /// The text of `schema/test.schema.json`: the same each time.
  public static func text() -> String { schema().document }

  /// The schema of test files, which includes all kinds of expectation and callback.
  public static func schema() -> JSONText {
    let callbacks = CallbackCatalog.standard.map(SettingKind.init)
    var definitions: [JSONText.Member] = [
      .init("comment", Schema.comment), .init("address", Schema.address),
      .init("test", Schema.object(TestGrammar.test.form)), .init("expectation", expectation),
      .init(
        "callback",
        SettingSchema.object(
          "callback", kinds: callbacks, required: [], common: [:],
          summary: "A source of samples, in the place of what plays there.")),
    ]
    definitions += SettingSchema.definitions("callback", kinds: callbacks, common: [:])
    definitions += ExpectationCatalog.kinds.map { .init("expect.\($0.name)", value(of: $0)) }
    return [
      "$schema": "http://json-schema.org/draft-07/schema#",
      "$id": "urn:patchrun:schema:test",
      "title": "A patchrun test file",
      "description": .string(TestGrammar.file.form.summary),
      "type": "object",
      "required": .strings(TestGrammar.file.required),
      "properties": Schema.properties(TestGrammar.file.form),
      "additionalProperties": false,
      "definitions": .object(definitions),
    ]
  }

  private static var expectation: JSONText {
    let kinds = ExpectationCatalog.kinds
    return [
      "description": "One thing that is expected, under the name of its kind.",
      "type": "object",
      "properties": JSONText.object([
        .init("comment", Schema.reference("comment")),
        .init(
          "at",
          Schema.described(
            "The bus whose sound is looked at: an output. Not given, what the output unit plays.",
            Schema.reference("address"))),
        .init(
          "during",
          [
            "description": "From when to when, in seconds. Not given, all of it.",
            "type": "array", "minItems": 2, "maxItems": 2,
            "items": .object(numberTypes(.seconds)),
          ]),
        .init("channel", SettingSchema.value(TestGrammar.channel)),
      ]).adding(
        .object(
          kinds.map { kind in
            .init(
              kind.name, Schema.described(kind.summary, Schema.reference("expect.\(kind.name)")))
          })),
      "additionalProperties": false,
      "oneOf": .array(kinds.map { ["required": [.string($0.name)]] }),
    ]
  }

  // MARK: Kinds

  private static func value(of kind: ExpectationKind) -> JSONText {
    var forms: [JSONText] = []
    switch kind.shorthand {
    case .atMost?: forms.append(bound(kind, "The most there may be."))
    case .yes?: forms.append(["const": true])
    case .setting(let key)?:
      forms += kind.settings.filter { $0.key == key }.map(SettingSchema.value)
    case .list(let key)?: forms += kind.lists.filter { $0.key == key }.map(list)
    case nil: break
    }
    if !kind.keys.isEmpty { forms.append(object(kind)) }
    return forms.count == 1 ? forms[0] : ["anyOf": .array(forms)]
  }

  private static func object(_ kind: ExpectationKind) -> JSONText {
    var members: [JSONText.Member] = [.init("comment", Schema.reference("comment"))]
    if let info = kind.bound {
      let least = bound(kind, "The least that the number may be.")
      let most = bound(kind, "The most that the number may be.")
      switch info.alias {
      case .atMost(let key)?: members.append(.init(key, most))
      case .atLeast(let key)?: members.append(.init(key, least))
      case nil: break
      }
      members += [
        .init("atMost", most), .init("atLeast", least),
        .init(
          "between",
          [
            "description": "The least and the most that the number may be.", "type": "array",
            "minItems": 2, "maxItems": 2, "items": bound(kind, nil),
          ]),
        .init("near", bound(kind, "What the number is to be, as far as 'within' says.")),
        .init("within", number(kind, "How far it may be from 'near'.") + ["minimum": 0]),
      ]
    }
    members += kind.settings.map { .init($0.key, SettingSchema.value($0)) }
    members += kind.lists.map { .init($0.key, list($0)) }
    let required =
      kind.settings.filter(\.isRequired).map(\.key) + kind.lists.filter(\.isRequired).map(\.key)
    var object: [JSONText.Member] = [
      .init("description", .string(kind.summary)), .init("type", "object"),
    ]
    if !required.isEmpty { object.append(.init("required", .strings(required))) }
    object += [
      .init("properties", .object(members)), .init("additionalProperties", false),
      .init("dependencies", kind.bound == nil ? [:] : ["near": ["within"], "within": ["near"]]),
    ]
    return .object(object)
  }

  private static func bound(_ kind: ExpectationKind, _ description: String?) -> JSONText {
    guard let info = kind.bound else { return true }
    return number(kind, description) + [
      "minimum": .number(info.range.lowerBound), "maximum": .number(info.range.upperBound),
    ]
  }

  private static func number(_ kind: ExpectationKind, _ description: String?) -> JSONText {
    guard let unit = kind.bound?.unit else { return true }
    let types =
      switch unit.measure {
      case .decibels: numberTypes(.decibels)
      case .seconds: numberTypes(.seconds)
      case .number: numberTypes(.generic)
      }
    let symbol = unit.symbol.isEmpty ? "" : " In \(unit.symbol)."
    return .object((description.map { [.init("description", .string($0 + symbol))] } ?? []) + types)
  }

  private static func list(_ info: ExpectationKind.ListInfo) -> JSONText {
    let description = JSONText.Member("description", .string(info.summary))
    switch info.form {
    case .numbers:
      return .object([description, .init("type", "array"), .init("items", ["type": "number"])])
    case .texts:
      return .object([description, .init("type", "array"), .init("items", ["type": "string"])])
    case .rows(let count):
      return .object([
        description, .init("type", "array"), .init("minItems", 1),
        .init(
          "items",
          [
            "type": "array", "minItems": .number(count), "maxItems": .number(count),
            "items": .object(numberTypes(.decibels)),
          ]),
      ])
    case .changes:
      return .object([
        description, .init("type", "object"), .init("propertyNames", ["pattern": "^/"]),
      ])
    }
  }
}

extension JSONText {
  fileprivate static func + (object: JSONText, more: JSONText) -> JSONText { object.adding(more) }
}
