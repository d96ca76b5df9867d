import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCallbacks

/// A place where a patch names one of its parts.
struct Mention {
  enum Kind: Hashable { case source, format, constant }

  /// Nodes and callbacks share one set of names; formats and constants have one each.
  var kind: Kind
  var name: String
  /// The name alone, without quotes and bus.
  var range: SourceRange
  var isDefinition = false
  /// Whether the name is part of a JSON Pointer.
  var isInPointer = false
  /// The number of the bus after the name; `nil` without one.
  var bus: Int?
  /// Whether the bus is an input.
  var isInput = false
}

extension OpenPatch {
  /// All names in the present text.
  func mentions() -> [Mention] { root.map(Self.mentions) ?? [] }

  /// The name at an offset, the end of the name included.
  func mention(at offset: Int) -> Mention? {
    mentions().first { $0.range.lowerBound <= offset && offset <= $0.range.upperBound }
  }

  /// Every place that names the same part.
  func mentions(of mention: Mention) -> [Mention] {
    mentions().filter { $0.kind == mention.kind && $0.name == mention.name }
  }

  /// The names that a section defines, in the present text and in the last intact one.
  func names(_ key: String) -> [String] {
    var seen: Set<String> = []
    return [root, intactRoot].flatMap { root -> [String] in
      guard let members = root?[key]?.members else { return [] }
      return members.compactMap { $0.key.string }
    }.filter { $0 != "comment" && !$0.isEmpty && seen.insert($0).inserted }
  }

  private static func mentions(_ root: JSONValue) -> [Mention] {
    var found: [Mention] = []
    for (section, kind) in [
      ("nodes", Mention.Kind.source), ("callbacks", .source), ("streamFormats", .format),
      ("constants", .constant),
    ] {
      for (key, _) in members(root[section]) {
        guard let name = key.string else { continue }
        found.append(
          Mention(
            kind: kind, name: name, range: key.range(ofText: 0..<name.utf8.count),
            isDefinition: true))
      }
    }
    func address(_ value: JSONValue?, isInput: Bool = false) {
      guard let value, let text = value.string else { return }
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts.first.map(String.init) ?? ""
      found.append(
        Mention(
          kind: .source, name: name, range: value.range(ofText: 0..<name.utf8.count),
          bus: parts.count > 1
            ? PatchReader.bus(String(parts[1]))
              ?? elementNumber(String(parts[1]), of: root["nodes"]?[name], isInput: isInput) : nil,
          isInput: isInput))
    }
    func format(_ value: JSONValue?) {
      guard let value, let name = value.string else { return }
      found.append(
        Mention(kind: .format, name: name, range: value.range(ofText: 0..<name.utf8.count)))
    }
    format(root["streamFormat"])
    for (_, node) in members(root["nodes"]) {
      for scope in ["inputs", "outputs"] {
        for (_, bus) in members(node[scope]) { format(bus["streamFormat"]) }
      }
    }
    for (_, callback) in members(root["callbacks"]) where pulls(callback["kind"]?.string) {
      address(callback["from"])
    }
    for connection in root["connections"].map({ Array($0.elements) }) ?? [] {
      address(connection["from"])
      address(connection["to"], isInput: true)
    }
    for (_, tap) in members(root["taps"]) { address(tap["at"]) }
    func pointer(_ path: JSONValue?) {
      guard let path, let text = path.string, let pointer = JSONPointer(parsing: text),
        pointer.tokens.count > 1, ["nodes", "callbacks"].contains(pointer.tokens[0])
      else { return }
      let name = pointer.tokens[1]
      let start = pointer.tokens[0].utf8.count + 2
      let length = JSONPointer.escape(name).utf8.count
      found.append(
        Mention(
          kind: .source, name: name, range: path.range(ofText: start..<(start + length)),
          isInPointer: true))
    }
    for (_, knob) in members(root["knobs"]) {
      let turned = knob.kind == .object ? knob["turns"] : knob
      pointer(turned)
      for element in turned.map({ Array($0.elements) }) ?? [] { pointer(element) }
    }
    for step in root["timeline"].map({ Array($0.elements) }) ?? [] {
      pointer(step["ramp"]?["path"])
      address(step["trigger"])
      for name in step["trigger"].map({ Array($0.elements) }) ?? [] { address(name) }
      for operation in step["update"].map({ Array($0.elements) }) ?? [] {
        pointer(operation["path"])
        pointer(operation["from"])
        guard let path = operation["path"]?.string, path.hasPrefix("/connections") else { continue }
        address(operation["value"]?["from"])
        address(operation["value"]?["to"], isInput: true)
      }
    }
    for (key, value) in members(root)
    where !["constants", "title", "$schema"].contains(key.string ?? "") {
      constants(in: value, to: &found)
    }
    return found.filter { !$0.name.isEmpty }
  }

  /// The elements of a node that have a name, in the order of the text.
  static func namedElements(
    of node: JSONValue?, isInput: Bool
  ) -> [(name: String, number: Int)] {
    members(node?[isInput ? "inputs" : "outputs"]).compactMap { key, bus in
      guard let number = key.string.flatMap(PatchReader.bus),
        let name = bus["properties"]?["elementName"]?.string, !name.isEmpty
      else { return nil }
      return (name, number)
    }
  }

  /// The number of the element with a name; `nil` where none or more than one has it.
  static func elementNumber(_ name: String, of node: JSONValue?, isInput: Bool) -> Int? {
    let found = namedElements(of: node, isInput: isInput).filter { $0.name == name }
    return found.count == 1 ? found[0].number : nil
  }

  /// Adds the constants that a value names.
  private static func constants(in value: JSONValue, to found: inout [Mention]) {
    if let name = value.constantName {
      let range = value.range(ofText: 1..<(1 + name.utf8.count))
      found.append(Mention(kind: .constant, name: name, range: range))
    }
    switch value.kind {
    case .array: for element in value.elements { constants(in: element, to: &found) }
    case .object: for (_, member) in members(value) { constants(in: member, to: &found) }
    default: break
    }
  }

  /// Whether the key `from` of a kind of callback names what the callback pulls.
  static func pulls(_ kind: String?) -> Bool {
    guard let kind, let description = CallbackCatalog.description(of: kind) else { return true }
    return !description.settings.contains { $0.key == "from" }
  }
}

// MARK: Renaming

extension OpenPatch {
  /// Why a part cannot be renamed to a name; `nil` where it can.
  func refusal(of name: String, for mention: Mention) -> String? {
    if name.isEmpty { return "the new name is empty" }
    if name == "comment" { return "'comment' is no name: it is passed over" }
    if mention.kind == .source, name.contains(":") {
      return "a node's or callback's name has no colon"
    }
    if mention.kind == .constant, !JSONValue.isConstantName(name) {
      return "a constant's name has letters, digits, '_' and '-', and begins with no digit or '-'"
    }
    if name == mention.name { return nil }
    let taken =
      switch mention.kind {
      case .format: names("streamFormats")
      case .constant: names("constants")
      case .source: names("nodes") + names("callbacks")
      }
    return taken.contains(name) ? "'\(name)' is taken" : nil
  }

  /// The edits that rename a part everywhere.
  func edits(renaming mention: Mention, to name: String) -> [JSONText] {
    mentions(of: mention).map { place in
      let text = place.isInPointer ? JSONPointer.escape(name) : name
      return [
        "range": places.range(place.range),
        "newText": .string(String(JSONText.string(text).inline.dropFirst().dropLast())),
      ]
    }
  }
}
