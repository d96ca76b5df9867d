import PatchSyntax

/// The schema's descriptions of keys, as entries of a manual page.
struct SchemaManual {
  let schema: JSONText

  /// The schema of a definition.
  func definition(_ name: String) -> JSONText { schema["definitions"]?[name] ?? .null }

  /// An entry for each key of an object, without `comment`, which every object may have.
  func entries(of object: JSONText, except others: Set<String> = []) -> [ManualPage.Entry] {
    let required = Set((object["required"]?.elements ?? []).compactMap(\.text))
    return (object["properties"]?.members ?? []).compactMap { member in
      guard member.name != "comment", !others.contains(member.name) else { return nil }
      return entry(member.name, member.value, isRequired: required.contains(member.name))
    }
  }

  private func entry(_ name: String, _ schema: JSONText, isRequired: Bool) -> ManualPage.Entry {
    let value = resolved(schema)
    var text = schema["description"]?.text ?? value["description"]?.text ?? ""
    let names = (value["enum"]?.elements ?? []).compactMap(\.text)
    let summaries = (value["enumDescriptions"]?.elements ?? []).compactMap(\.text)
    var entries: [ManualPage.Entry] = []
    if summaries.count == names.count {
      entries = zip(names, summaries).map { ManualPage.Entry("\"\($0)\"", $1) }
    } else if !names.isEmpty, names.count <= 12 {
      text += " One of \(names.map { "`\"\($0)\"`" }.joined(separator: ", "))."
    }
    if isRequired { text += " Required." }
    if let standard = schema["default"] ?? value["default"] {
      text += " Default: `\(standard.compact)`."
    }
    return ManualPage.Entry(name, text, entries: entries)
  }

  /// The schema that a reference leads to.
  private func resolved(_ schema: JSONText) -> JSONText {
    if let name = schema["$ref"]?.text?.split(separator: "/").last {
      return resolved(definition(String(name)))
    }
    if let inner = schema["allOf"]?.elements.first, schema["type"] == nil { return resolved(inner) }
    // A choice of words that also admits the name of a constant.
    if let words = schema["anyOf"]?.elements.first(where: {
      $0["enum"] != nil || $0["const"] != nil
    }),
      schema["anyOf"]?.elements.last?["$ref"]?.text == "#/definitions/constantName"
    {
      return .object(schema.members.filter { $0.name != "anyOf" } + words.members)
    }
    return schema
  }
}

extension JSONText {
  fileprivate subscript(_ name: String) -> JSONText? { members.first { $0.name == name }?.value }

  fileprivate var elements: [JSONText] {
    if case .array(let elements) = self { elements } else { [] }
  }

  fileprivate var text: String? {
    if case .string(let text) = self { text } else { nil }
  }
}

extension SchemaManual {
  /// The object inside a member of another.
  func member(_ name: String, of object: JSONText) -> JSONText {
    object["properties"]?[name] ?? .null
  }

  /// The names of a choice, with their meanings.
  func choices(_ name: String, of object: JSONText) -> [ManualPage.Entry] {
    entry(name, member(name, of: object), isRequired: false).entries
  }
}
