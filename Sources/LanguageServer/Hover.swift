import AudioTypes
import AudioUnits
import Diagnostics
import GraphDrawings
import PatchSyntax

/// The text about the place under the pointer.
struct Hover {
  var patch: OpenPatch
  var vocabulary: Vocabulary
  /// Whether the editor shows Markdown.
  var isMarkdown = false

  /// A part of the text, by its form.
  private enum Paragraph {
    case text(String)
    /// A name, and its description.
    case named(String, String)
    /// A name, its description, and its constant in Core Audio.
    case unit(String, String, String)
    /// A label, and a value of the patch.
    case value(String, String)
    /// Lines in a fixed layout: formats of buses, fields of a format.
    case lines([String])
  }

  /// The protocol's `Hover`, or null where nothing is known.
  func answer(at offset: Int) -> JSONText {
    guard let cursor = patch.cursor(at: offset), cursor.role != nil,
      !cursor.token.isEmpty
    else { return .null }
    let paragraphs = text(cursor, offset)
    guard !paragraphs.isEmpty else { return .null }
    return [
      "contents": [
        "kind": isMarkdown ? "markdown" : "plaintext",
        "value": .string(
          paragraphs.map(isMarkdown ? Self.markdown : Self.plain).joined(separator: "\n\n")),
      ],
      "range": patch.places.range(cursor.token),
    ]
  }

  private static func plain(_ paragraph: Paragraph) -> String {
    switch paragraph {
    case .text(let text): text
    case .named(let name, let text), .value(let name, let text): "\(name): \(text)"
    case .unit(let name, let text, let constant): "\(name): \(text)\n\(constant)"
    case .lines(let lines): lines.joined(separator: "\n")
    }
  }

  private static func markdown(_ paragraph: Paragraph) -> String {
    switch paragraph {
    case .text(let text): escaped(text)
    case .named(let name, let text): "**\(escaped(name))**: \(escaped(text))"
    case .unit(let name, let text, let constant):
      "**\(escaped(name))**: \(escaped(text))\n\n\(code(constant))"
    case .value(let name, let value): "\(escaped(name)): \(code(value))"
    case .lines(let lines): lines.map { "- \(code($0))" }.joined(separator: "\n")
    }
  }

  /// A text with Markdown's special characters escaped.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if "\\`*_[]<>#|".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }

  /// A text in a code span, fenced by one backtick more than its longest run of them.
  private static func code(_ text: String) -> String {
    let text = text.replacing("\n", with: " ")
    var (longest, run) = (0, 0)
    for character in text {
      run = character == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    let space = longest > 0 ? " " : ""
    return fence + space + text + space + fence
  }

  private func text(_ cursor: Cursor, _ offset: Int) -> [Paragraph] {
    let path = cursor.path
    if let mention = patch.mention(at: offset), !mention.isDefinition, mention.kind == .source,
      !mention.isInPointer
    {
      return source(mention)
    }
    if cursor.role == .value, let name = patch.value(path)?.constantName {
      return constant(name)
        + (vocabulary.summary(path, in: patch).map { [.text($0.text)] } ?? [])
    }
    if cursor.role == .value, cursor.isInString, cursor.step == "streamFormat" {
      return format(named: patch.value(path)?.string) + formatParagraphs(path)
    }
    if path[0] == "nodes", path.count == 4 || path.count > 4 && path[2] == "nodes",
      let knob = patch.knob(at: cursor)?.knob
    {
      return [.text(OpenPatch.summary(of: knob))]
    }
    if path.count == 2, path[0] == "nodes" { return node(path[1]) }
    if patch.isPreset, path.count == 3, path[2] == "name" { return [.text(Vocabulary.presetName)] }
    if path.count == 3, path[0] == "nodes", path[2] == "component", cursor.role == .value,
      let unit = Vocabulary.unit(patch.value(path))
    {
      return [Self.about(unit)]
    }
    if path.count == 2, path[0] == "callbacks" || path[0] == "taps" {
      return [kind(path)].compactMap(\.self)
    }
    if path.count == 2, path[0] == "streamFormats" { return format(named: path[1]) }
    var paragraphs: [Paragraph] = []
    if cursor.role == .value, let text = choice(path) { paragraphs.append(text) }
    if let summary = vocabulary.summary(path, in: patch) {
      paragraphs.append(.text(summary.text))
      if let value = summary.defaultValue { paragraphs.append(.value("Default", value.inline)) }
    }
    return paragraphs + formatParagraphs(path)
  }

  // MARK: Names

  private static func about(_ unit: UnitCatalog.Component) -> Paragraph {
    .unit(unit.name, unit.unit.description.summary, unit.constant)
  }

  private func node(_ name: String) -> [Paragraph] {
    let unit = Vocabulary.unit(patch.value(["nodes", name, "component"]))
    var lines: [String] = []
    if let node = drawn(name) {
      lines += node.inputs.compactMap { line($0, .input) }
      lines += node.outputs.compactMap { line($0, .output) }
    }
    return [unit.map(Self.about), lines.isEmpty ? nil : .lines(lines)].compactMap(\.self)
  }

  private func source(_ mention: Mention) -> [Paragraph] {
    if patch.names("callbacks").contains(mention.name) {
      return [kind(["callbacks", mention.name])].compactMap(\.self)
    }
    guard patch.names("nodes").contains(mention.name) else { return [] }
    let unit = Vocabulary.unit(patch.value(["nodes", mention.name, "component"]))
    return [unit.map(Self.about)].compactMap(\.self)
      + formatParagraphs([
        "nodes", mention.name, mention.isInput ? "inputs" : "outputs", "\(mention.bus ?? 0)",
      ])
  }

  /// The kind of a callback or tap, and its description.
  private func kind(_ path: [String]) -> Paragraph? {
    guard let kind = patch.value(path + ["kind"])?.string,
      let schema = vocabulary.schemas(path, in: patch).first,
      let summary = vocabulary.description(schema)
    else { return nil }
    return .named(kind, summary)
  }

  /// The value of a constant, as it is written in the patch.
  private func constant(_ name: String) -> [Paragraph] {
    guard let value = patch.root?[JSONPointer(["constants", name])] else { return [] }
    return [.value(name, patch.source[value.range])]
  }

  private func format(named name: String?) -> [Paragraph] {
    guard let name, let value = patch.value(["streamFormats", name]) else { return [] }
    let fields = value.members.filter { $0.key.string != "comment" }.map {
      "\($0.key.string ?? ""): \(patch.source[$0.value.range])"
    }
    // A value from the last intact text has ranges that do not fit the present text.
    let isPresent = patch.root?[JSONPointer(["streamFormats", name])] != nil
    return isPresent && !fields.isEmpty ? [.lines([name] + fields)] : []
  }

  /// The description of a value that is one of a few choices.
  private func choice(_ path: [String]) -> Paragraph? {
    guard let written = patch.value(path)?.string else { return nil }
    for schema in vocabulary.schemas(path, in: patch).flatMap(vocabulary.alternatives) {
      let texts = schema["enumDescriptions"]?.elements ?? []
      let values = schema["enum"]?.elements ?? []
      for (index, value) in values.enumerated() where index < texts.count {
        if value.text == written { return .named(written, texts[index].text ?? "") }
      }
    }
    return nil
  }

  // MARK: Formats

  /// The stream format that a bus has once the patch is initialized, and where it comes from.
  private func formatParagraphs(_ path: [String]) -> [Paragraph] {
    guard path.count >= 4, path[0] == "nodes", path.count == 4 || Self.ofFormat.contains(path[4]),
      let number = Int(path[3]), let node = drawn(path[1])
    else { return [] }
    let buses = path[2] == "inputs" ? node.inputs : path[2] == "outputs" ? node.outputs : []
    let scope: Scope = path[2] == "inputs" ? .input : .output
    return buses.first { $0.number == number }.flatMap { line($0, scope) }.map { [.lines([$0])] }
      ?? []
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
