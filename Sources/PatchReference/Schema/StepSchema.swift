import PatchSyntax

/// The schema of the timeline.
extension Schema {
  /// An operation of RFC 6902 as patches write it: without members that it does not use.
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
    // Where a constant gives the operation, its required members are unknown.
    let any: JSONText = [
      "properties": [
        "op": true, "path": reference("pointer"), "from": reference("pointer"), "value": true,
        "comment": reference("comment"),
      ],
      "additionalProperties": false,
    ]
    let chain = kinds.reversed().reduce(any) { rest, kind in
      let condition: JSONText = ["properties": ["op": ["const": .string(kind.name)]]]
      return [
        "if": condition, "then": operation(kind.name, kind.needs, kind.summary), "else": rest,
      ]
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
    ]).adding(chain)
  }()

  static let step = object(PatchGrammar.step.form).adding([
    "oneOf": [
      ["required": ["ramp"]], ["required": ["update"]], ["required": ["trigger"]],
      ["required": ["stop"]],
    ],
    "dependencies": ["repeat": ["not": ["required": ["stop"]]]],
  ])
}
