import Diagnostics

/// A value of a document in JSON, YAML or PipeWire's relaxed JSON, with its range in the text.
struct ConfigValue: Sendable {
  struct Member: Sendable {
    var key: String
    /// The range of the key.
    var range: SourceRange
    var value: ConfigValue
  }

  enum Content: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([ConfigValue])
    case map([Member])
  }

  var content: Content
  /// Its range in the text; for lists and maps only that of their beginning.
  var range: SourceRange
  /// Its JSON Pointer.
  var pointer = ""

  var isNull: Bool { if case .null = content { true } else { false } }

  var bool: Bool? { if case .bool(let value) = content { value } else { nil } }

  /// The finite number; `nil` for other values.
  var number: Double? {
    if case .number(let value) = content, value.isFinite { value } else { nil }
  }

  /// The whole number; `nil` for other values.
  var integer: Int? { number.flatMap { Int(exactly: $0) } }

  var text: String? { if case .text(let value) = content { value } else { nil } }

  var list: [ConfigValue]? { if case .list(let values) = content { values } else { nil } }

  var members: [Member]? { if case .map(let members) = content { members } else { nil } }

  /// The value of the last member with that name, which counts in all three dialects; `nil` where
  /// there is none or it is null.
  subscript(key: String) -> ConfigValue? {
    members?.last { $0.key == key }.flatMap { $0.value.isNull ? nil : $0.value }
  }

  /// The kind of value with an article, for messages.
  var kind: String {
    switch content {
    case .null: "nothing"
    case .bool: "true or false"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .map: "a group of keys"
    }
  }

  /// The same value with the JSON Pointers of it and of all values inside set.
  ///
  /// - Parameter pointer: The JSON Pointer of this value.
  func withPointers(_ pointer: String = "") -> ConfigValue {
    var value = self
    value.pointer = pointer
    switch content {
    case .list(let values):
      value.content = .list(
        values.enumerated().map { $0.element.withPointers("\(pointer)/\($0.offset)") })
    case .map(let members):
      value.content = .map(
        members.map { member in
          var member = member
          let key = member.key.replacing("~", with: "~0").replacing("/", with: "~1")
          member.value = member.value.withPointers("\(pointer)/\(key)")
          return member
        })
    default: break
    }
    return value
  }
}
