import AudioGraphs
import PatchSyntax

/// The timeline's part of the schema.
extension Schema {
  /// An operation of RFC 6902, as a patch has them: without members that mean nothing.
  static let operation: JSONText = {
    func operation(_ name: String, _ needs: String?, _ summary: String) -> JSONText {
      var properties: [JSONText.Member] = [
        .init("op", ["const": .string(name), "description": .string(summary)]),
        .init("path", reference("pointer")),
      ]
      if needs == "from" { properties.append(.init("from", reference("pointer"))) }
      if needs == "value" { properties.append(.init("value", .object([]))) }
      properties.append(.init("comment", reference("comment")))
      return [
        "required": .strings(["op", "path"] + [needs].compactMap(\.self)),
        "properties": .object(properties),
        "additionalProperties": false,
      ]
    }
    let kinds: [(name: String, needs: String?, summary: String)] = [
      ("add", "value", "Puts a value in: a member, or an element before the one that is there."),
      ("remove", nil, "Takes a value away."),
      ("replace", "value", "Puts a value in the place of the one that is there."),
      ("move", "from", "Takes a value away and puts it in elsewhere."),
      ("copy", "from", "Puts a value in once more."),
      ("test", "value", "Demands that a value is there; otherwise no operation is made."),
    ]
    let chain = kinds.reversed().reduce(JSONText?.none) { rest, kind in
      let condition: JSONText = ["properties": ["op": ["const": .string(kind.name)]]]
      let schema = operation(kind.name, kind.needs, kind.summary)
      guard let rest else { return schema }
      return ["if": condition, "then": schema, "else": rest]
    }
    return JSONText.object([
      .init("description", "A change of this patch, as in RFC 6902 (JSON Patch)."),
      .init("type", "object"),
      .init("required", ["op", "path"]),
      .init(
        "properties",
        [
          "op": [
            "enum": .strings(kinds.map(\.name)),
            "enumDescriptions": .strings(kinds.map(\.summary)),
          ]
        ]),
    ]).adding(chain ?? .object([]))
  }()

  static let step: JSONText = [
    "description": "A moment of the timeline, and the one thing that happens then.",
    "type": "object",
    "required": ["at"],
    "oneOf": [
      ["required": ["ramp"]], ["required": ["update"]], ["required": ["trigger"]],
      ["required": ["stop"]],
    ],
    "dependencies": ["repeat": ["not": ["required": ["stop"]]]],
    "properties": [
      "at": described("When, from the start.", reference("time")),
      "repeat": [
        "description": """
        How often the step happens, for ramps, updates and triggers: at "at", and again each time that "every" has passed.
        """,
        "type": "object",
        "required": ["every", "count"],
        "properties": [
          "every": described(
            "From the beginning of one to that of the next: more than 0.", reference("time")),
          "count": [
            "description": "How often in all.",
            "type": "integer", "minimum": 1,
            "maximum": .number(PatchDocument.Repetition.mostTimes),
          ],
          "comment": reference("comment"),
        ],
        "additionalProperties": false,
      ],
      "ramp": [
        "description": """
        Moves a parameter, or a setting of a callback, to a value, from wherever it is then.
        """,
        "type": "object",
        "required": ["path", "to"],
        "properties": [
          "path": [
            "description": """
            Its place in this patch, a JSON Pointer: /nodes/mixer/inputs/0/parameters/volume, \
            /nodes/matrix/properties/matrixLevels/0/1, /callbacks/song/gain.
            """,
            "type": "string",
            "pattern": .string(
              "^(/nodes/[^/]+)*(/nodes/[^/]+((/(inputs|outputs)/(0|[1-9][0-9]{0,9}))?/parameters/[^/]+"
                + "|/bands/(0|[1-9][0-9]?)/[^/]+|/properties/[^/]+(/(0|[1-9][0-9]?)){2})"
                + "|/callbacks/[^/]+/(constants/)?[^/]+)$|" + formulaPattern),
          ],
          "to": [
            "description":
              "The value that it is to reach, with a unit or none, as where it is set.",
            "type": ["number", "string"],
            "pattern": "^[+-]?[0-9]+(\\.[0-9]+)? ?(dB|ms|s)$",
          ],
          "duration": described(
            "How long it takes; left out, it happens at once, without a click.",
            reference("time")
          ).adding(["default": 0]),
          "curve": [
            "description": "The course it takes.",
            "enum": .strings(ParameterRamp.Curve.allCases.map(\.rawValue)),
            "enumDescriptions": [
              "A straight line.",
              """
              By the same factor in each frame, as loudness and pitch are heard: both ends are above \
              0, or both below.
              """,
            ],
            "default": "linear",
          ],
          "comment": reference("comment"),
        ],
        "additionalProperties": false,
      ],
      "update": [
        "description": """
        Changes of this patch, as in RFC 6902: made one after the other, all of them or none. What \
        comes of them is a patch again.
        """,
        "type": "array",
        "items": reference("operation"),
      ],
      "trigger": [
        "description": """
        A callback whose sound begins again, by its name, or several: a file, a sweep, an impulse, an \
        expression that pulls nothing. In a sub-graph it is called strip/song.
        """,
        "type": ["string", "array"],
        "minLength": 1,
        "items": ["type": "string", "minLength": 1],
        "minItems": 1,
      ],
      "stop": [
        "description": "Whether the patch ends here, be its sources at their end or not.",
        "type": "boolean",
      ],
      "count": copyCount,
      "comment": reference("comment"),
    ],
    "additionalProperties": false,
  ]
}
