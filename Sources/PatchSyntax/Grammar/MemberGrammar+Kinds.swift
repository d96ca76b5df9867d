import AudioTypes

/// The kinds of members that several objects have.
extension MemberGrammar {
  /// A member that `read` reads.
  static func member(
    _ key: String, required: Bool = false, _ summary: String, _ value: ValueForm,
    _ read: @escaping @Sendable (inout PatchReader, JSONValue, inout Value) -> Void
  ) -> Self {
    Self(
      form: MemberForm(key: key, summary: summary, isRequired: required, value: value), read: read)
  }

  /// A member whose summary is in its definition.
  static func member(
    _ key: String, required: Bool = false, _ value: ValueForm,
    _ read: @escaping @Sendable (inout PatchReader, JSONValue, inout Value) -> Void
  ) -> Self {
    member(key, required: required, "", value, read)
  }

  static func text(
    _ key: String, required: Bool = false, _ summary: String, minimumLength: Int = 0,
    _ set: @escaping @Sendable (inout Value, Located<String>?) -> Void
  ) -> Self {
    let name = "'\(key)'"
    let length: JSONText = minimumLength == 0 ? [:] : ["minLength": .number(minimumLength)]
    return .member(
      key, required: required, summary,
      .schema(JSONText.object([.init("type", "string")]).adding(length))
    ) { reader, json, value in
      set(&value, reader.string(json, name))
    }
  }

  /// A word of a list. The reader accepts any text; the module that defines the list checks it.
  static func words(
    _ key: String, required: Bool = false, _ summary: String, _ words: WordList,
    default word: String? = nil, _ set: @escaping @Sendable (inout Value, Located<String>?) -> Void
  ) -> Self {
    let name = "'\(key)'"
    return .member(key, required: required, summary, .words(words, default: word)) {
      reader, json, value in
      set(&value, reader.string(json, name))
    }
  }

  static func boolean(
    _ key: String, _ summary: String, default fallback: Bool? = nil,
    _ set: @escaping @Sendable (inout Value, Located<Bool>?) -> Void
  ) -> Self {
    let name = "'\(key)'"
    let fallback: JSONText = fallback.map { ["default": .boolean($0)] } ?? [:]
    return .member(
      key, summary, .schema(JSONText.object([.init("type", "boolean")]).adding(fallback))
    ) {
      reader, json, value in
      set(&value, reader.bool(json, name))
    }
  }

  /// A whole number in a range.
  static func count(
    _ key: String, required: Bool = false, _ summary: String, in range: ClosedRange<Int>,
    _ set: @escaping @Sendable (inout Value, Located<Int>?) -> Void
  ) -> Self {
    let name = "'\(key)'"
    return .member(
      key, required: required, summary,
      .schema([
        "type": "integer", "minimum": .number(range.lowerBound),
        "maximum": .number(range.upperBound),
      ])
    ) { reader, json, value in
      set(&value, reader.count(json, name, in: range))
    }
  }

  /// A whole number from 0 to 4294967295.
  static func uint32(
    _ key: String, _ summary: String,
    _ set: @escaping @Sendable (inout Value, Located<Int>?) -> Void
  ) -> Self {
    let name = "'\(key)'"
    return .member(key, summary, .schema(ValuePatterns.uint32)) { reader, json, value in
      set(&value, reader.count(json, name))
    }
  }

  /// A number greater than 0. Messages name its unit.
  static func positive(
    _ key: String, _ summary: String, unit: String,
    _ set: @escaping @Sendable (inout Value, Located<Double>?) -> Void
  ) -> Self {
    let name = "'\(key)'"
    return .member(key, summary, .schema(["type": "number", "exclusiveMinimum": 0])) {
      reader, json, value in
      set(&value, reader.positive(json, name, unit))
    }
  }

  /// A number of seconds greater than 0, or a text such as "250 ms".
  static func seconds(
    _ key: String, _ summary: String,
    _ set: @escaping @Sendable (inout Value, Located<Double>?) -> Void
  ) -> Self {
    let name = "'\(key)'"
    return .member(
      key, summary,
      .schema([
        "type": ["number", "string"], "exclusiveMinimum": 0, "pattern": ValuePatterns.time,
      ])
    ) { reader, json, value in
      set(&value, reader.positive(json, name, "seconds"))
    }
  }

  /// A moment or a length of time, in seconds, frames or beats.
  static func time(
    _ key: String, required: Bool = false, _ summary: String,
    _ set: @escaping @Sendable (inout Value, Located<PatchDocument.Time>?) -> Void
  ) -> Self {
    let name = "'\(key)'"
    return .member(key, required: required, summary, .definition("time")) { reader, json, value in
      set(&value, reader.time(json, name))
    }
  }

  static func address(
    _ key: String, required: Bool = false, _ summary: String,
    _ set: @escaping @Sendable (inout Value, Located<PatchDocument.Address>?) -> Void
  ) -> Self {
    let name = "'\(key)'"
    return .member(key, required: required, summary, .definition("address")) {
      reader, json, value in
      set(&value, reader.address(json, name))
    }
  }

  /// Properties or parameters. The unit checks their names.
  static func settings(
    _ key: String, _ summary: String, _ form: ValueForm = .schema(["type": "object"]),
    _ set: @escaping @Sendable (inout Value, [PatchDocument.Field]) -> Void
  ) -> Self {
    let name = "'\(key)'"
    return .member(key, summary, form) { reader, json, value in
      set(&value, reader.settings(json, name))
    }
  }

  /// `$schema`, which editors read; patchrun ignores it.
  static var schemaPlace: Self {
    .text("$schema", "Where this schema is, for editors.") { _, _ in }
  }
}

/// The patterns of texts and numbers for the JSON Schema.
package enum ValuePatterns {
  /// A formula in braces, as in a repetition.
  package static let formula = "\\{[^{}]+\\}"
  /// A number of seconds or milliseconds, with its unit.
  package static let time = JSONText.string(WrittenQuantity.pattern(for: .seconds) ?? "")
  /// A whole number from 0 to 4294967295.
  package static let uint32: JSONText = ["type": "integer", "minimum": 0, "maximum": 4_294_967_295]
  /// A number with its unit: decibels, milliseconds or seconds.
  package static let amount = "^[+-]?[0-9]+(\\.[0-9]+)? ?(dB|ms|s)$"
}

extension PatchReader {
  /// Reads an object by its grammar. Reports members that are unknown or missing.
  mutating func read<Value>(
    _ json: JSONValue, as grammar: ObjectGrammar<Value>, into value: inout Value
  ) {
    readObject(json, grammar.name, keys: grammar.keys, required: grammar.required) {
      reader, index, member in
      grammar.members[index].read(&reader, member, &value)
    }
  }
}
