public import AudioUnits
import PatchGraph
public import PatchSyntax
import RenderCallbacks
import RenderTaps

/// The JSON Schema (draft-07) of a patch, made from the descriptions of the units, callbacks and
/// taps.
///
/// patchrun refuses all that the schema refuses, and more: unknown names, formats that do not fit,
/// and whatever depends on several places of the patch.
public enum PatchSchema {
  /// The text of `schema/patch.schema.json`: the same each time.
  public static func text(catalog: UnitCatalog = .standard) -> String {
    schema(catalog: catalog).document
  }

  /// The schema of the patches that name units of `catalog`.
  public static func schema(catalog: UnitCatalog = .standard) -> JSONText {
    let units = UnitSchema(catalog: catalog)
    let callbacks = CallbackCatalog.standard.map(SettingKind.init)
    let taps = TapCatalog.ofPatches.kinds.map(SettingKind.init)
    let tapPlace: JSONText = [
      "at": Schema.described("The bus that is watched: an output.", Schema.reference("address"))
    ]
    var definitions: [JSONText.Member] = [
      .init("comment", Schema.comment), .init("address", Schema.address),
      .init("rate", Schema.rate), .init("busRate", Schema.busRate),
      .init("streamFormat", Schema.streamFormat),
      .init("formatObject", Schema.formatObject), .init("shortFormat", Schema.shortFormat),
      .init("formatDescription", Schema.formatDescription),
      .init("session", Schema.object(PatchGrammar.session.form)),
      .init("limits", Schema.object(PatchGrammar.limits.form)),
      .init("device", Schema.object(PatchGrammar.device.form)),
      .init("deviceChoice", Schema.deviceChoice),
      .init("connection", Schema.object(PatchGrammar.connection.form)), .init("step", Schema.step),
      .init("time", Schema.time), .init("operation", Schema.operation),
      .init("pointer", Schema.pointer), .init("knob", Schema.knob),
      .init("knobObject", Schema.knobObject),
      .init("knobPlace", Schema.knobPlace), .init("knobEnd", Schema.knobEnd),
      .init(
        "callback",
        SettingSchema.object(
          "callback", kinds: callbacks, required: [], common: [:],
          summary:
            "A source of samples, or what stands between an output and an input: it feeds an "
            + "input bus in the place of a connection.")),
    ]
    definitions += SettingSchema.definitions("callback", kinds: callbacks, common: [:])
    definitions.append(
      .init(
        "tap",
        SettingSchema.object(
          "tap", kinds: taps, required: ["at"], common: tapPlace, summary: "It watches a bus.")))
    definitions += SettingSchema.definitions("tap", kinds: taps, common: tapPlace)
    definitions += [
      .init("node", units.node), .init("component", units.component),
      .init("componentDescription", units.componentDescription),
    ]
    definitions += units.definitions
    return [
      "$schema": "http://json-schema.org/draft-07/schema#",
      "$id": "urn:patchrun:schema:patch",
      "title": "A patchrun patch",
      "description": .string(PatchGrammar.patch.form.summary),
      "type": "object",
      "required": .strings(PatchGrammar.patch.required),
      "properties": .object(
        Schema.properties(PatchGrammar.patch.form).members.map {
          ["constants", "comment"].contains($0.name)
            ? $0 : .init($0.name, Schema.admittingConstants($0.value))
        }),
      "additionalProperties": false,
      "definitions": .object(
        definitions.map {
          // The spellings of a unit decide which schema a node has: a constant would have that of every unit.
          $0.name.hasPrefix("names.") ? $0 : .init($0.name, Schema.admittingConstants($0.value))
        } + [.init("constantName", Schema.constantName)]),
    ]
  }
}

/// The parts of the schema that depend on no unit.
enum Schema {
  static func reference(_ name: String) -> JSONText { ["$ref": .string("#/definitions/\(name)")] }

  /// A schema with a description. In draft-07 what is beside a `$ref` is ignored, so it is wrapped.
  static func described(_ summary: String, _ schema: JSONText) -> JSONText {
    ["description": .string(summary), "allOf": [schema]]
  }

  /// An object whose keys are names.
  static func map(_ summary: String, of definition: String, names: JSONText?) -> JSONText {
    let any: JSONText = ["description": .string(summary), "type": "object"]
    return any.adding(names.map { ["propertyNames": $0] } ?? [:]).adding([
      "properties": ["comment": reference("comment")],
      "additionalProperties": reference(definition),
    ])
  }

  static let busPattern = "^(0|[1-9][0-9]{0,9})$"
  static let unsigned = ValuePatterns.uint32

  /// Four printable ASCII characters.
  static let fourCharCode: JSONText = ["type": "string", "pattern": "^[ -~]{4}$"]

  static let comment: JSONText = [
    "description": "For the reader of the patch; patchrun passes it over.",
    "type": ["string", "array"],
    "items": ["type": "string"],
  ]

  static let address: JSONText = [
    "description": "A node, a callback, or a bus: \"mixer\", \"mixer:1\" or \"mixer:Voice\".",
    "type": "string",
    "pattern": .string(
      "^[^:]+(:(0|[1-9][0-9]{0,9}|[-+0-9., ]*[^-+0-9., ][\\s\\S]*))?$|" + formulaPattern),
  ]

  static let rate: JSONText = [
    "description": "Frames per second, or \"session\": what the session was granted.",
    "anyOf": [["enum": ["session"]], ["type": "number", "minimum": 1]],
  ]

  static let busRate = described(
    """
    The rate of the bus alone, in frames per second, or "session": what the session was granted. \
    The rest of its stream format stays.
    """, reference("rate"))

  static let streamFormat: JSONText = [
    "description": """
    A stream format: a name from streamFormats, or sample type, channels and rate, or the fields \
    of an AudioStreamBasicDescription.
    """,
    "if": ["type": "string"],
    "then": ["type": "string"],
    "else": reference("formatObject"),
  ]

  static let formatObject: JSONText = [
    "description": """
    A stream format: sample type, channels and rate, or the fields of an \
    AudioStreamBasicDescription.
    """,
    "type": "object",
    // True where at least one key begins with m and a capital letter.
    "if": ["not": ["propertyNames": ["not": ["pattern": "^m[A-Z]"]]]],
    "then": reference("formatDescription"),
    "else": reference("shortFormat"),
  ]

  static let shortFormat = object(PatchGrammar.shortFormat.form)

  static let formatDescription = object(
    PatchGrammar.formatDescription.form,
    with: [
      "mFormatFlags": [
        "description": "The flags: their number, a name, or an array of names.",
        "anyOf": [flag, ["type": "array", "items": flag]],
      ]
    ])

  private static let flag: JSONText = [
    "anyOf": [["enum": .strings(flagNames)], unsigned]
  ]

  /// The names of flags and of combinations of flags, by value.
  private static let flagNames = FormatResolver.flagNames.sorted {
    ($0.value, $0.key) < ($1.value, $1.key)
  }.map(\.key)

  static let time: JSONText = [
    "description":
      "A number of seconds, \"250 ms\", \"1.5 s\", or { \"frames\": 48000 }, or { \"beats\": 4 }.",
    "type": ["number", "string", "object"],
    "pattern": ValuePatterns.time,
    "minimum": 0,
    "exclusiveMaximum": 315_576_000,
    "if": ["type": "object"],
    "then": ["oneOf": [["required": ["frames"]], ["required": ["beats"]]]],
    "properties": properties(PatchGrammar.time.form),
    "additionalProperties": false,
  ]

  static let pointer: JSONText = [
    "description": "A place in the document, a JSON Pointer (RFC 6901).",
    "type": "string",
    "pattern": "^(/([^~/]|~[01])*)*$",
  ]
}
