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

  /// A member that a setting describes: its schema, how it is read, and what is said of a value that
  /// it does not take.
  ///
  /// - Parameter rule: What a number out of range breaks, or a text that is none of the words.
  static func setting<Part: SettingPart>(
    _ info: SettingInfo, rule: Rule = PatchRules.range,
    _ set: @escaping @Sendable (inout Value, Located<Part>) -> Void
  ) -> Self {
    .member(info.key, required: info.isRequired, info.summary, .setting(info)) {
      reader, json, value in
      if let part: Located<Part> = reader.setting(json, info, rule) { set(&value, part) }
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
    _ set: @escaping @Sendable (inout Value, consuming Located<PatchDocument.Address>?) -> Void
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
