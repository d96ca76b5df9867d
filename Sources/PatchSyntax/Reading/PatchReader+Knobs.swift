import Diagnostics

// MARK: Knobs

extension PatchReader {
  /// A knob: a pointer, an array of pointers, or an object that has them under `turns` and narrows
  /// the range.
  mutating func knob(_ json: JSONValue) -> PatchDocument.Knob? {
    var knob = PatchDocument.Knob(json: json, turns: [])
    guard json.kind == .object else {
      knob.turns = pointers(
        json, "a knob", "a JSON Pointer, an array of at least one, or an object")
      return knob
    }
    read(json, as: PatchGrammar.knob, into: &knob)
    return knob
  }

  /// An end of a knob's range: a number, or a text with a number and a unit. It is interpreted
  /// later, by the parameter that the knob turns.
  mutating func bound(_ json: JSONValue, _ name: String) -> JSONValue? {
    if json.kind == .string { return json }
    return check(json, name, .number) ? json : nil
  }

  mutating func pointers(
    _ json: JSONValue, _ name: String, _ expected: String
  ) -> [Located<JSONPointer>] {
    let elements = Array(json.elements)
    guard json.kind == .string || json.kind == .array && !elements.isEmpty else {
      reportType(json, name, expected, help: "name what it turns: \"/nodes/eq/parameters/gain\"")
      return []
    }
    return (json.kind == .array ? elements : [json]).compactMap { element in
      guard let text = string(element, "what a knob turns") else { return nil }
      guard let pointer = JSONPointer(parsing: text.value), !pointer.tokens.isEmpty else {
        diagnostics.append(.notAPointer(element, text.value))
        return nil
      }
      return Located(pointer, at: element)
    }
  }
}
