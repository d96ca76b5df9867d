import AudioGraphs
import AudioTypes
public import AudioUnits
import Glibc
import PatchGraph
public import PatchSyntax
import RenderCallbacks
import RenderTaps

/// The JSON Schema (draft-07) of a patch, made from the descriptions of the units, callbacks and
/// taps.
///
/// What it refuses patchrun refuses too. patchrun refuses more: names that nothing has, formats
/// that do not fit, whatever takes more than one place of the patch to see.
public enum PatchSchema {
  /// The schema as it is kept in `schema/patch.schema.json`: the same text each time.
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
      .init("formatDescription", Schema.formatDescription), .init("session", Schema.session),
      .init("limits", Schema.limits), .init("device", Schema.device),
      .init("deviceChoice", Schema.deviceChoice),
      .init("connection", Schema.connection), .init("step", Schema.step),
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
      "description": """
      An audio graph that is written down: units, the connections between them, their stream \
      formats, properties and parameters, and the callbacks that feed them.
      """,
      "type": "object",
      "required": ["nodes"],
      "properties": .object(
        properties.members.map {
          ["constants", "comment"].contains($0.name)
            ? $0 : .init($0.name, Schema.admittingConstants($0.value))
        }),
      "additionalProperties": false,
      "definitions": .object(
        definitions.map { .init($0.name, Schema.admittingConstants($0.value)) }),
    ]
  }

  private static var properties: JSONText {
    [
      "$schema": [
        "description": "Where this schema is, for editors.",
        "type": "string",
      ],
      "schemaVersion": [
        "description": "The version of the patch format: 1.",
        "const": 1,
        "default": 1,
      ],
      "title": ["description": "What the patch is, for its reader.", "type": "string"],
      "comment": Schema.reference("comment"),
      "constants": [
        "description": """
        Values by name: "level" is meant by "$level", wherever a number, a text, true or false may stand.
        """,
        "type": "object",
        "propertyNames": ["pattern": "^[A-Za-z_][A-Za-z0-9_-]*$"],
        "properties": ["comment": Schema.reference("comment")],
        "additionalProperties": ["type": ["number", "string", "boolean"]],
      ],
      "session": Schema.reference("session"),
      "limits": Schema.reference("limits"),
      "streamFormats": Schema.map(
        "Stream formats by name, for buses to name.", of: "formatObject",
        names: ["minLength": 1]),
      "streamFormat": Schema.described(
        """
        The stream format of every bus that must be given one and is given none: most patches use \
        a single format throughout.
        """, Schema.reference("streamFormat")),
      "maximumFramesPerSlice": [
        "description": """
        The most frames of a slice, for every unit that does not set it. 4096 is what a device without \
        input may ask for.
        """,
        "type": "integer", "minimum": 1, "maximum": 1_048_576,
      ],
      "callbacks": Schema.map(
        "Sources of samples, and what processes them, by name. A connection takes them to a bus.",
        of: "callback",
        names: Schema.sourceName),
      "nodes": Schema.map(
        "The audio units, and sub-graphs, by name. Exactly one is an I/O unit or a GenericOutput.",
        of: "node",
        names: Schema.sourceName
      ).adding([
        "minProperties": 1,
        "not": ["required": ["comment"], "maxProperties": 1],
      ]),
      "connections": [
        "description": "What feeds what: one output feeds one input.",
        "type": "array",
        "items": Schema.reference("connection"),
      ],
      "compensateLatency": [
        "description": """
        Whether paths that meet in one unit are made equally late: inputs that are earlier are delayed \
        by whole frames. Of a sub-graph, the patch around it decides.
        """,
        "type": "boolean", "default": false,
      ],
      "taps": Schema.map("What watches buses, by name.", of: "tap", names: ["minLength": 1]),
      "tempo": [
        "description": "Beats per minute, for the times of the timeline that are in beats.",
        "type": "number", "exclusiveMinimum": 0,
      ],
      "timeline": [
        "description": "What happens at which time, in any order.",
        "type": "array",
        "items": Schema.reference("step"),
      ],
      "knobs": Schema.map(
        """
        What a patch that has this one as a sub-graph may turn, by names of their own: it sets and ramps \
        them as parameters of the sub-graph.
        """, of: "knob", names: ["minLength": 1]),
    ]
  }
}

/// The parts of the schema that no unit has a say in.
enum Schema {
  static func reference(_ name: String) -> JSONText { ["$ref": .string("#/definitions/\(name)")] }

  /// In draft-07 nothing beside a `$ref` counts, so that a description needs a wrapping.
  static func described(_ summary: String, _ schema: JSONText) -> JSONText {
    ["description": .string(summary), "allOf": [schema]]
  }

  /// An object whose keys are names.
  static func map(_ summary: String, of definition: String, names: JSONText) -> JSONText {
    [
      "description": .string(summary),
      "type": "object",
      "propertyNames": names,
      "properties": ["comment": reference("comment")],
      "additionalProperties": reference(definition),
    ]
  }

  static let busPattern = "^(0|[1-9][0-9]{0,9})$"
  static let sourceName: JSONText = ["pattern": "^[^:]+$"]
  static let unsigned: JSONText = ["type": "integer", "minimum": 0, "maximum": 4_294_967_295]

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
    // Some name begins with m: not all names do not.
    "if": ["not": ["propertyNames": ["not": ["pattern": "^m[A-Z]"]]]],
    "then": reference("formatDescription"),
    "else": reference("shortFormat"),
  ]

  static let shortFormat: JSONText = [
    "description": "A stream format by sample type, channels and rate.",
    "type": "object",
    "required": ["sample", "channels", "sampleRate"],
    "properties": [
      "sample": [
        "description": "What one sample is.",
        "enum": .strings(SampleType.allCases.map(\.rawValue)),
        "enumDescriptions": .strings(SampleType.allCases.map(\.schemaSummary)),
      ],
      "channels": [
        "description": "How many channels: 1 is mono, 2 is stereo.",
        "type": "integer", "minimum": 1, "maximum": 1024,
      ],
      "sampleRate": reference("rate"),
      "interleaved": [
        "description": "Whether the channels share one buffer, frame by frame.",
        "type": "boolean", "default": false,
      ],
      "comment": reference("comment"),
    ],
    "additionalProperties": false,
  ]

  static let formatDescription: JSONText = [
    "description": "An AudioStreamBasicDescription, field by field.",
    "type": "object",
    "properties": [
      "mSampleRate": reference("rate"),
      "mFormatID": [
        "description": "\"lpcm\" for linear PCM: a four-character code, its name, or its number.",
        "anyOf": [["enum": ["lpcm", "kAudioFormatLinearPCM"]], fourCharCode, unsigned],
      ],
      "mFormatFlags": [
        "description": "The flags: their number, a name, or an array of names.",
        "anyOf": [
          flag,
          [
            "type": "array",
            "items": flag,
          ],
        ],
      ],
      "mBytesPerPacket": field("Bytes in a packet: for linear PCM, those of a frame."),
      "mFramesPerPacket": field("Frames in a packet: 1 for linear PCM."),
      "mBytesPerFrame": field(
        "Bytes of a frame in one buffer: of one channel where each has its own."),
      "mChannelsPerFrame": field("How many channels."),
      "mBitsPerChannel": field("Bits of one sample."),
      "mReserved": ["description": "0: it pads the structure.", "const": 0],
      "comment": reference("comment"),
    ],
    "additionalProperties": false,
  ]

  private static let flag: JSONText = [
    "anyOf": [["enum": .strings(flagNames)], unsigned]
  ]

  /// By value, those that stand for several bits among them.
  private static let flagNames = FormatResolver.flagNames.sorted {
    ($0.value, $0.key) < ($1.value, $1.key)
  }.map(\.key)

  private static func field(_ summary: String) -> JSONText {
    JSONText.object([.init("description", .string(summary))]).adding(unsigned)
  }

  static let timePattern = JSONText.string(WrittenQuantity.pattern(for: .seconds) ?? "")

  static let time: JSONText = [
    "description":
      "A number of seconds, \"250 ms\", \"1.5 s\", or { \"frames\": 48000 }, or { \"beats\": 4 }.",
    "type": ["number", "string", "object"],
    "pattern": timePattern,
    "minimum": 0,
    "exclusiveMaximum": 315_576_000,
    "if": ["type": "object"],
    "then": ["oneOf": [["required": ["frames"]], ["required": ["beats"]]]],
    "properties": [
      "frames": [
        "description": "Frames at the rate of the session.",
        "type": "number", "minimum": 0, "exclusiveMaximum": 9_007_199_254_740_992,
      ],
      "beats": [
        "description": "Beats of the patch's \"tempo\".",
        "type": "number", "minimum": 0, "exclusiveMaximum": 9_007_199_254_740_992,
      ],
      "comment": reference("comment"),
    ],
    "additionalProperties": false,
  ]

  static let pointer: JSONText = [
    "description": "A place in the document, a JSON Pointer (RFC 6901).",
    "type": "string",
    "pattern": "^(/([^~/]|~[01])*)*$",
  ]

  static let limits: JSONText = [
    "description": "How loud the patch lets itself become, and lets others make it.",
    "type": "object",
    "properties": [
      "outputPeak": level(
        """
        The level that nothing which is put out is ever above, whatever the patch does and whoever changes \
        it: "-1 dB", or a number of which 1 is full scale. What would be louder is turned down. Taps are in \
        front of it.
        """, OutputLimits.peakRange),
      "requestedGain": level(
        """
        The greatest gain that requests and OSC messages may set; 40 dB where nothing is said.
        """, OutputLimits.gainRange),
      "comment": reference("comment"),
    ],
    "additionalProperties": false,
  ]

  private static func level(_ summary: String, _ range: ClosedRange<Double>) -> JSONText {
    [
      "description": .string(summary),
      "if": ["type": "string"],
      "then": [
        "type": "string", "pattern": "^[-+]?[0-9]+([.][0-9]+)? ?dB(FS)?$",
      ],
      "else": [
        "type": "number", "exclusiveMinimum": 0,
        "maximum": .number(pow(10, range.upperBound / 20)),
      ],
    ]
  }

  static let connection: JSONText = [
    "description": "One output bus, or a callback, joined to one input bus.",
    "type": "object",
    "required": ["from", "to"],
    "properties": [
      "from": described(
        "The output bus of a node, or a callback. \"io:1\" is what the microphone hears.",
        reference("address")),
      "to": described(
        "The input bus of a node. \"io:0\" is what the loudspeaker plays.", reference("address")),
      "count": copyCount,
      "comment": reference("comment"),
    ],
    "additionalProperties": false,
  ]
}
