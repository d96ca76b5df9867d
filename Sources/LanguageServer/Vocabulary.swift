import AudioTypes
import AudioUnits
import PatchReference
import PatchSyntax

/// The keys and values that a place of a patch may have, with their descriptions: those of the JSON
/// Schema, narrowed to the units and kinds that the patch names.
struct Vocabulary {
  private let schema: JSONText
  private let definitions: [String: JSONText]

  /// - Parameter schema: The schema of the files; by default that of patches.
  init(_ schema: JSONText = PatchSchema.schema()) {
    self.schema = schema
    definitions = Dictionary(
      (schema["definitions"]?.members ?? []).map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The description of a preset's name.
  static let presetName = "What the preset is called"

  /// The unit of a node, from the value of its `component`.
  static func unit(_ component: JSONValue?) -> UnitCatalog.Component? {
    guard let component else { return nil }
    if let name = component.string { return UnitCatalog.standard.component(named: name) }
    let subtype = component["subtype"]?.string ?? ""
    let type = component["type"]?.string ?? ""
    let components = UnitCatalog.standard.components
    if !subtype.isEmpty {
      return components.first {
        $0.description.subtype.text == subtype || $0.constant == subtype
      }
    }
    let some = components.filter { $0.description.type.text == type }
    return some.count == 1 ? some[0] : nil
  }

  /// The schemas for the value at a path, the most specific first.
  func schemas(_ path: [String], in patch: OpenPatch) -> [JSONText] {
    var schemas = [schema]
    for (index, step) in path.enumerated() {
      let container = Array(path[..<index])
      schemas = specificSchemas(container, step, in: patch) + schemas.flatMap { children($0, step) }
      if schemas.isEmpty { return [] }
    }
    return schemas
  }

  /// The schemas of the unit or kind at a place.
  private func specificSchemas(_ container: [String], _ step: String, in patch: OpenPatch)
    -> [JSONText]
  {
    guard step != "comment" else { return [] }
    if patch.isTests {
      guard container.count == 3, container[0] == "tests", container[2] == "feed",
        let kind = patch.value(container + [step, "kind"])?.string
      else { return [] }
      return definitions["callback.\(kind)"].map { [$0] } ?? []
    }
    switch (container.first, container.count) {
    case ("nodes", 1):
      return unit(step, patch).flatMap { definitions["node.\($0.name)"] }.map { [$0] } ?? []
    case ("nodes", 3) where container[2] == "inputs" || container[2] == "outputs":
      guard let unit = unit(container[1], patch) else { return [] }
      let name = (container[2] == "inputs" ? "input." : "output.") + unit.name
      return (definitions[name] ?? definitions["\(name).\(step)"]).map { [$0] } ?? []
    case ("callbacks", 1), ("taps", 1):
      let role = container[0] == "taps" ? "tap" : "callback"
      guard let kind = patch.value(container + [step, "kind"])?.string else { return [] }
      return definitions["\(role).\(kind)"].map { [$0] } ?? []
    default: return []
    }
  }

  private func unit(_ node: String, _ patch: OpenPatch) -> UnitCatalog.Component? {
    Self.unit(patch.value(["nodes", node, "component"]))
  }

  private func children(_ schema: JSONText, _ step: String) -> [JSONText] {
    alternatives(schema).flatMap { schema -> [JSONText] in
      if let child = schema["properties"]?[step] { return [child] }
      if let child = schema["additionalProperties"], !child.members.isEmpty { return [child] }
      if let child = schema["items"], Int(step) != nil { return [child] }
      return []
    }
  }

  /// A schema and all schemas that it refers to.
  func alternatives(_ schema: JSONText) -> [JSONText] {
    if case .string(let reference)? = schema["$ref"] {
      let name = reference.split(separator: "/").last.map(String.init) ?? ""
      return definitions[name].map(alternatives) ?? []
    }
    var result = [schema]
    for name in ["allOf", "anyOf"] {
      guard case .array(let parts)? = schema[name] else { continue }
      // Conditions are not followed: ``specificSchemas(_:_:in:)`` finds their schemas by name.
      for part in parts where part["if"] == nil { result += alternatives(part) }
    }
    if let otherwise = schema["else"], otherwise["$ref"] != nil {
      // Of a name or an object, only the object has members.
      result += alternatives(otherwise)
    }
    if let then = schema["then"], schema["if"] != nil, then["$ref"] != nil {
      result += alternatives(then)
    }
    return result
  }

  /// The description and the default of the value at a path.
  func summary(_ path: [String], in patch: OpenPatch) -> (text: String, defaultValue: JSONText?)? {
    let schemas = schemas(path, in: patch)
    guard let text = schemas.lazy.compactMap(description).first else { return nil }
    let all = schemas.flatMap(alternatives)
    return (text, all.lazy.compactMap { $0["default"] }.first)
  }

  func description(_ schema: JSONText) -> String? {
    for schema in alternatives(schema) {
      if case .string(let text)? = schema["description"] { return text }
    }
    return nil
  }
}

extension JSONText {
  /// The value of an object's member.
  subscript(name: String) -> JSONText? { members.first { $0.name == name }?.value }

  var elements: [JSONText] { if case .array(let values) = self { values } else { [] } }
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The value on one line, with spaces as in a patch.
  var inline: String {
    switch self {
    case .array(let values): "[" + values.map(\.inline).joined(separator: ", ") + "]"
    case .object(let members):
      "{ "
        + members.map { JSONText.string($0.name).inline + ": " + $0.value.inline }
        .joined(separator: ", ") + " }"
    default: String(document.dropLast())
    }
  }
}
