import AudioTypes
import AudioUnits
import Diagnostics
import GraphDrawings
import PatchGraph
import PatchSyntax

/// What is said of the place under the pointer.
struct Hover {
  var patch: OpenPatch
  var vocabulary: Vocabulary

  /// A `Hover`, or null.
  func answer(at offset: Int) -> JSONText {
    guard let cursor = patch.cursor(at: offset), cursor.role != nil,
      !cursor.token.isEmpty
    else { return .null }
    let paragraphs = text(cursor, offset)
    guard !paragraphs.isEmpty else { return .null }
    return [
      "contents": ["kind": "plaintext", "value": .string(paragraphs.joined(separator: "\n\n"))],
      "range": patch.places.range(cursor.token),
    ]
  }

  private func text(_ cursor: Cursor, _ offset: Int) -> [String] {
    let path = cursor.path
    if let mention = patch.mention(at: offset), !mention.isDefinition, mention.kind == .source,
      !mention.isInPointer
    {
      return source(mention)
    }
    if cursor.role == .value, let name = patch.value(path)?.constantName {
      return constant(name) + (vocabulary.summary(path, in: patch).map { [$0.text] } ?? [])
    }
    if cursor.role == .value, cursor.isInString, cursor.step == "streamFormat" {
      return format(named: patch.value(path)?.string) + settled(path)
    }
    if path[0] == "nodes", path.count == 4 || path.count > 4 && path[2] == "nodes",
      let knob = patch.knob(at: cursor)?.knob
    {
      return [OpenPatch.summary(of: knob)]
    }
    if path.count == 2, path[0] == "nodes" { return node(path[1]) }
    if patch.isPreset, path.count == 3, path[2] == "name" { return [Vocabulary.presetName] }
    if path.count == 3, path[0] == "nodes", path[2] == "component", cursor.role == .value,
      let unit = Vocabulary.unit(patch.value(path))
    {
      return [Self.about(unit)]
    }
    if path.count == 2, path[0] == "callbacks" || path[0] == "taps" {
      return [kind(path)].compactMap(\.self)
    }
    if path.count == 2, path[0] == "streamFormats" { return format(named: path[1]) }
    var paragraphs: [String] = []
    if cursor.role == .value, let text = choice(path) { paragraphs.append(text) }
    if let summary = vocabulary.summary(path, in: patch) {
      paragraphs.append(summary.text)
      if let value = summary.defaultValue { paragraphs.append("Default: \(value.inline)") }
    }
    return paragraphs + settled(path)
  }

  // MARK: What is named

  private static func about(_ unit: UnitCatalog.Component) -> String {
    "\(unit.name): \(unit.unit.description.summary)\n\(unit.constant)"
  }

  private func node(_ name: String) -> [String] {
    let unit = Vocabulary.unit(patch.value(["nodes", name, "component"]))
    var lines: [String] = []
    if let node = drawn(name) {
      lines += node.inputs.compactMap { line($0, .input) }
      lines += node.outputs.compactMap { line($0, .output) }
    }
    return [unit.map(Self.about), lines.isEmpty ? nil : lines.joined(separator: "\n")]
      .compactMap(\.self)
  }

  private func source(_ mention: Mention) -> [String] {
    if patch.names("callbacks").contains(mention.name) {
      return [kind(["callbacks", mention.name])].compactMap(\.self)
    }
    guard patch.names("nodes").contains(mention.name) else { return [] }
    let unit = Vocabulary.unit(patch.value(["nodes", mention.name, "component"]))
    return [unit.map(Self.about)].compactMap(\.self)
      + settled([
        "nodes", mention.name, mention.isInput ? "inputs" : "outputs", "\(mention.bus ?? 0)",
      ])
  }

  /// The kind of a callback or tap, and what it does.
  private func kind(_ path: [String]) -> String? {
    guard let kind = patch.value(path + ["kind"])?.string,
      let schema = vocabulary.schemas(path, in: patch).first,
      let summary = vocabulary.description(schema)
    else { return nil }
    return "\(kind): \(summary)"
  }

  /// What a constant is, as it is written.
  private func constant(_ name: String) -> [String] {
    guard let value = patch.root?[JSONPointer(["constants", name])] else { return [] }
    return ["\(name): \(patch.source[value.range])"]
  }

  private func format(named name: String?) -> [String] {
    guard let name, let value = patch.value(["streamFormats", name]) else { return [] }
    let fields = value.members.filter { $0.key.string != "comment" }.map {
      "\($0.key.string ?? ""): \(patch.source[$0.value.range])"
    }
    // A value from an older text would have places of that one.
    let isNow = patch.root?[JSONPointer(["streamFormats", name])] != nil
    return isNow && !fields.isEmpty ? ["\(name)\n" + fields.joined(separator: "\n")] : []
  }

  /// What a value that is one of a few means.
  private func choice(_ path: [String]) -> String? {
    guard let written = patch.value(path)?.string else { return nil }
    for schema in vocabulary.schemas(path, in: patch).flatMap(vocabulary.alternatives) {
      let texts = schema["enumDescriptions"]?.elements ?? []
      let values = schema["enum"]?.elements ?? []
      for (index, value) in values.enumerated() where index < texts.count {
        if value.text == written { return "\(written): \(texts[index].text ?? "")" }
      }
    }
    return nil
  }

  // MARK: Formats

  /// The stream format that a bus has once the patch is initialized, and where it came from.
  private func settled(_ path: [String]) -> [String] {
    guard path.count >= 4, path[0] == "nodes", path.count == 4 || Self.ofFormat.contains(path[4]),
      let number = Int(path[3]), let node = drawn(path[1])
    else { return [] }
    let buses = path[2] == "inputs" ? node.inputs : path[2] == "outputs" ? node.outputs : []
    let scope: Scope = path[2] == "inputs" ? .input : .output
    return buses.first { $0.number == number }.flatMap { line($0, scope) }.map { [$0] } ?? []
  }

  private static let ofFormat = ["streamFormat", "sampleRate"]

  private func drawn(_ name: String) -> GraphDrawing.Node? {
    patch.drawing?.nodes.first { $0.kind == .unit && $0.name == name }
  }

  private func line(_ bus: GraphDrawing.Element, _ scope: Scope) -> String? {
    guard let format = bus.format else { return nil }
    let origin = bus.origin.map { ", \($0.text)" } ?? ""
    return "\(scope) \(bus.number): \(format.summary)\(origin)"
  }
}
