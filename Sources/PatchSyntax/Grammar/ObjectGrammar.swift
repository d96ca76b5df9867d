/// The grammar of an object in the document: the members that it may have, each said once.
///
/// `PatchReader` reads by it. The JSON Schema is printed from its `form`, and from the schema come completion,
/// hovers and the manual.
package struct ObjectGrammar<Value>: Sendable {
  /// What messages call the object: "the session".
  package let name: String
  package let members: [MemberGrammar<Value>]
  /// The keys, in the order of the members.
  package let keys: [String]
  /// Those that may not be missing.
  package let required: [String]
  private let summary: String
  private let isRepeatable: Bool

  /// - Parameters:
  ///   - name: as messages call it.
  ///   - summary: for the schema.
  ///   - isRepeatable: whether it may have a `count`, and stand there that often.
  init(
    _ name: String, _ summary: String, isRepeatable: Bool = false,
    _ members: [MemberGrammar<Value>]
  ) {
    self.name = name
    self.summary = summary
    self.isRepeatable = isRepeatable
    self.members = members
    keys = members.map(\.form.key)
    required = members.filter(\.form.isRequired).map(\.form.key)
  }

  /// The grammar of an object that the schema describes where it stands.
  init(_ name: String, isRepeatable: Bool = false, _ members: [MemberGrammar<Value>]) {
    self.init(name, "", isRepeatable: isRepeatable, members)
  }

  /// What the schema says of it.
  package var form: ObjectForm {
    ObjectForm(summary: summary, members: members.map(\.form), isRepeatable: isRepeatable)
  }
}

/// A member of an object, and how it gets into what is read.
package struct MemberGrammar<Value>: Sendable {
  /// What the schema says of it.
  package let form: MemberForm
  /// Reads the member's value into the object's.
  let read: @Sendable (inout PatchReader, JSONValue, inout Value) -> Void
}

/// What the schema says of an object.
package struct ObjectForm: Sendable {
  package var summary: String
  package var members: [MemberForm]
  /// Whether it may have a `count`.
  package var isRepeatable: Bool
}

/// What the schema says of a member.
package struct MemberForm: Sendable {
  package var key: String
  /// What it means, in sentences; empty where the definition that it leads to says so.
  package var summary: String
  package var isRequired: Bool
  package var value: ValueForm
}

/// What a value is in JSON.
package indirect enum ValueForm: Sendable {
  /// In the words of JSON Schema, without a description.
  case schema(JSONText)
  /// A definition of the schema, by its name, and the value that holds where none is written.
  case definition(String, default: JSONText? = nil)
  /// One of the words of a list, and the one that holds where none is written.
  case words(WordList, default: String?)
  /// An array of a definition.
  case list(of: String)
  /// An object of a definition, under names that are as a schema says, or any; and what else there is to say of it.
  case map(of: String, names: JSONText? = nil, besides: JSONText = [:])
  /// A level: a text such as "-6 dB", or a number of which 1 is full scale, up to so many decibels.
  case level(upTo: Double)
  /// An object of its own.
  case object(ObjectForm)
}

/// A list of words that a room above this one has, with what each means.
package enum WordList: Sendable {
  case sessionCategories
  case interruptions
  case routeChanges
  case deviceLosses
  case timesWithoutDevice
  case sampleTypes
  case rampCurves
}
