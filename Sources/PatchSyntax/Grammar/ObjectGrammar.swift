package import AudioTypes

/// The grammar of an object in the document: the members that it may have, each described once.
///
/// `PatchReader` reads by it. The JSON Schema is printed from its `form`; completion, hovers and
/// the manual are made from the schema.
package final class ObjectGrammar<Value>: Sendable {
  /// The name of the object in messages: "the session".
  package let name: String
  package let members: [MemberGrammar<Value>]
  /// The keys, in the order of the members.
  package let keys: [String]
  /// The same, to be looked up.
  let keyTable: KeyTable
  /// The keys that are required.
  package let required: [String]
  /// The indices of these, each a bit.
  let requiredBits: UInt64
  private let summary: String
  private let isRepeatable: Bool

  /// - Parameters:
  ///   - name: The name of the object in messages.
  ///   - summary: Its description in the schema.
  ///   - isRepeatable: Whether it may have a `count`, by which it is repeated.
  init(
    _ name: String, _ summary: String, isRepeatable: Bool = false,
    _ members: [MemberGrammar<Value>]
  ) {
    self.name = name
    self.summary = summary
    self.isRepeatable = isRepeatable
    self.members = members
    keys = members.map(\.form.key)
    keyTable = KeyTable(keys)
    required = members.filter(\.form.isRequired).map(\.form.key)
    precondition(members.count <= 64, "there is a bit for each member")
    requiredBits = members.indices.reduce(0) {
      members[$1].form.isRequired ? $0 | 1 << UInt64($1) : $0
    }
  }

  /// The grammar of an object that the schema describes where it is used.
  convenience init(_ name: String, isRepeatable: Bool = false, _ members: [MemberGrammar<Value>]) {
    self.init(name, "", isRepeatable: isRepeatable, members)
  }

  /// The setting that is a member; `nil` for a member of another form, and for none.
  package func setting(_ key: String) -> SettingInfo? {
    guard case .setting(let info)? = members.first(where: { $0.form.key == key })?.form.value else {
      return nil
    }
    return info
  }

  /// Its description for the schema.
  package var form: ObjectForm {
    ObjectForm(summary: summary, members: members.map(\.form), isRepeatable: isRepeatable)
  }
}

/// A member of an object: its description, and how it is read.
package struct MemberGrammar<Value>: Sendable {
  /// Its description for the schema.
  package let form: MemberForm
  /// Reads the member's value into the object's.
  let read: @Sendable (inout PatchReader, JSONValue, inout Value) -> Void
}

/// The description of an object for the schema.
package struct ObjectForm: Sendable {
  package var summary: String
  package var members: [MemberForm]
  /// Whether it may have a `count`.
  package var isRepeatable: Bool
}

/// The description of a member for the schema.
package struct MemberForm: Sendable {
  package var key: String
  /// What it means, in sentences; empty where its definition says so.
  package var summary: String
  package var isRequired: Bool
  package var value: ValueForm
}

/// The form of a value in JSON.
package indirect enum ValueForm: Sendable {
  /// A JSON Schema without a description.
  case schema(JSONText)
  /// A definition of the schema by its name, and the default value.
  case definition(String, default: JSONText? = nil)
  /// The value of a setting.
  case setting(SettingInfo)
  /// An array of a definition.
  case list(of: String)
  /// An object whose values all have one definition. `names` is the schema of its keys, `nil` for
  /// any; `besides` has further members for the schema of the object.
  case map(of: String, names: JSONText? = nil, besides: JSONText = [:])
  /// A level of at most so many decibels: a text such as "-6 dB", or a number of which 1 is full
  /// scale.
  case level(upTo: Double)
  /// An object with members of its own.
  case object(ObjectForm)
}
