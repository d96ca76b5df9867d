public import Diagnostics

/// A value set in a document from outside, as by `--set /nodes/mixer/inputs/0/parameters/volume=1`.
///
/// The text of the document is changed where the value is, and read again. `SourceText.origin(of:)`
/// gives where a range is written: in the option's text for the new value, otherwise in the
/// document's.
public enum DocumentOverride {
  /// The result of setting a value.
  public enum Result: Sendable {
    /// The text with the value in its place.
    case changed(SourceText)
    /// The document is unchanged. The option's text, and the diagnostic about it.
    case refused(SourceText, Diagnostic)
  }

  /// The name of an option's text in diagnostics.
  public static let sourceName = "--set"

  /// The mistake in the form of an option, whatever the document; `nil` for none.
  public static func usageProblem(of text: String) -> String? {
    let example = "write --set /nodes/mixer/inputs/0/parameters/volume=0.5, for example"
    guard let equals = text.firstIndex(of: "=") else {
      return "'--set \(text)' has no '=': \(example)"
    }
    guard JSONPointer(parsing: String(text[..<equals])) != nil else {
      return "\(quoted(String(text[..<equals]))) is not a JSON Pointer: \(example)"
    }
    return nil
  }

  /// Sets a value in a document.
  ///
  /// It replaces a value, or is added where the object or array that it belongs to exists. In an
  /// array, `-` or the number of elements adds one at the end.
  ///
  /// - Parameters:
  ///   - text: `POINTER=VALUE`. The pointer ends at the first equals sign. The value is JSON; any
  ///     other text is a string, unless it begins with a bracket or a quote.
  ///   - tree: The document, read without errors.
  public static func apply(_ text: String, to tree: JSONTree) -> Result {
    let option = Array(text.utf8)
    let source = SourceText(name: sourceName, bytes: option)

    guard let equals = option.firstIndex(of: UInt8(ascii: "=")) else {
      return .refused(source, .noValue(at: 0..<option.count))
    }
    let pointerText = String(decoding: option[..<equals], as: UTF8.self)
    guard let pointer = JSONPointer(parsing: pointerText) else {
      return .refused(source, .notPointer(pointerText, at: 0..<equals))
    }

    // A word is a string. The text keeps everything in front of the value, so that ranges stay
    // right.
    var value = source
    var part = (equals + 1)..<option.count
    let reading = JSONReader.read(
      SourceText(name: sourceName, bytes: Array(option[part])), dialect: .json)
    if reading.hasErrors || reading.tree == nil {
      let first = option[part].first { $0 != 0x20 && $0 != 0x09 }
      if let first, [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(first),
        let diagnostic = reading.diagnostics.first
      {
        return .refused(source, diagnostic.moved(by: equals + 1))
      }
      let written = option[..<part.lowerBound] + JSONText.quoted(option[part])
      value = SourceText(name: sourceName, bytes: Array(written))
      part = part.lowerBound..<written.count
    }

    switch place(part, of: value, at: pointer, in: tree) {
    case .changed(let text): return .changed(text)
    case .missing(let index, let container, let way):
      let token = pointer.tokens[index]
      let start = pointer.tokens[..<index].reduce(1) {
        $0 + 1 + JSONPointer.escape($1).utf8.count
      }
      let end = start + JSONPointer.escape(token).utf8.count
      return .refused(source, .notFound(token, in: container, way, at: start..<end))
    }
  }

  /// The result of placing a value.
  enum Placing {
    case changed(SourceText)
    /// A token of the pointer leads nowhere from the container that those before it lead to.
    case missing(token: Int, in: JSONValue, at: JSONPointer)
  }

  /// The text of a tree with a part of another text as the value at a pointer. A pointer that leads
  /// into a sub-graph is added to the "settings" of the sub-graph's node.
  ///
  /// - Parameter makesObjects: Whether missing objects on the way are added inside a node that
  ///   exists.
  static func place(
    _ part: SourceRange, of value: SourceText, at pointer: JSONPointer, in tree: JSONTree,
    makesObjects: Bool = false
  ) -> Placing {
    if let inside = subgraphSetting(pointer, in: tree) {
      if tree.root[JSONPointer(inside.node + ["settings"])] != nil {
        return placeDirectly(
          part, of: value, at: JSONPointer(inside.node + ["settings", inside.key]), in: tree)
      }
      guard let node = tree.root[JSONPointer(inside.node)] else {
        return .missing(token: 1, in: tree.root, at: JSONPointer())
      }
      let key = String(decoding: JSONText.quoted(Array(inside.key.utf8)[...]), as: UTF8.self)
      let end = lastEnd(in: node)
      let opening = tree.source.replacing(
        end..<end, prefix: ", \"settings\": { \(key): ", with: part, of: value)
      let close = opening.bytes.count - (tree.source.bytes.count - end)
      return .changed(
        opening.replacing(
          close..<close, with: 0..<2, of: SourceText(name: value.name, text: " }")))
    }
    if let node = nodeWithoutKnobs(pointer, in: tree) {
      return .changed(placeWithMissingObjects(part, of: value, at: pointer.tokens[2...], in: node))
    }
    return placeDirectly(part, of: value, at: pointer, in: tree, makesObjects: makesObjects)
  }

  /// For a pointer that leads into the patch of a sub-graph: the sub-graph's node, and the rest of
  /// the pointer; `nil` for any other pointer.
  private static func subgraphSetting(
    _ pointer: JSONPointer, in tree: JSONTree
  ) -> (node: [String], key: String)? {
    let own = ["component", "subgraph", "settings", "parameters", "comment"]
    guard pointer.tokens.count > 2, pointer.tokens[0] == "nodes", !own.contains(pointer.tokens[2]),
      let node = tree.root[JSONPointer(Array(pointer.tokens[..<2]))], node["subgraph"] != nil
    else { return nil }
    return (
      Array(pointer.tokens[..<2]), JSONPointer(Array(pointer.tokens[2...])).description
    )
  }

  /// For a pointer to a knob of a sub-graph whose node sets no knob yet: that node.
  private static func nodeWithoutKnobs(_ pointer: JSONPointer, in tree: JSONTree) -> JSONValue? {
    guard pointer.tokens.count == 4, pointer.tokens[0] == "nodes",
      pointer.tokens[2] == "parameters",
      let node = tree.root[JSONPointer(Array(pointer.tokens[..<2]))], node["subgraph"] != nil,
      node["parameters"] == nil
    else { return nil }
    return node
  }

  private static func lastEnd(in container: JSONValue) -> Int {
    let last =
      container.kind == .object
      ? container.members.reduce(nil) { _, member in member.value }
      : container.elements.reduce(nil) { (_: JSONValue?, element) in element }
    return last?.localRange.upperBound ?? container.localRange.lowerBound + 1
  }

  /// The text of a container's tree with the missing objects of a path added to the container, and
  /// the value at the end of the path.
  private static func placeWithMissingObjects(
    _ part: SourceRange, of value: SourceText, at way: ArraySlice<String>,
    in container: JSONValue
  ) -> SourceText {
    let source = container.tree.source
    let end = lastEnd(in: container)
    let isFirst = end == container.localRange.lowerBound + 1
    let keys = way.map {
      String(decoding: JSONText.quoted(Array($0.utf8)[...]), as: UTF8.self) + ": "
    }.joined(separator: "{ ")
    let opening = source.replacing(
      end..<end, prefix: (isFirst ? "" : ", ") + keys, with: part, of: value)
    let close = opening.bytes.count - (source.bytes.count - end)
    let braces = String(repeating: " }", count: way.count - 1)
    return opening.replacing(
      close..<close, with: 0..<braces.utf8.count,
      of: SourceText(name: value.name, text: braces))
  }

  /// Places a value at a pointer without regard to sub-graphs.
  private static func placeDirectly(
    _ part: SourceRange, of value: SourceText, at pointer: JSONPointer, in tree: JSONTree,
    makesObjects: Bool = false
  ) -> Placing {
    guard let last = pointer.tokens.last else {
      return .changed(tree.source.replacing(tree.root.localRange, with: part, of: value))
    }
    // The object or array that the value belongs to.
    var container = tree.root
    for (depth, token) in pointer.tokens.dropLast().enumerated() {
      guard let inside = container.child(token) else {
        if makesObjects, depth > 1, pointer.tokens[0] == "nodes", container.kind == .object {
          return .changed(
            placeWithMissingObjects(part, of: value, at: pointer.tokens[depth...], in: container))
        }
        return .missing(
          token: depth, in: container, at: JSONPointer(Array(pointer.tokens.prefix(depth))))
      }
      container = inside
    }
    if let old = container.child(last) {
      return .changed(tree.source.replacing(old.localRange, with: part, of: value))
    }
    let isEnd = last == "-" || JSONPointer.arrayIndex(last) == Array(container.elements).count
    guard container.kind == .object || container.kind == .array && isEnd else {
      return .missing(
        token: pointer.tokens.count - 1, in: container,
        at: JSONPointer(Array(pointer.tokens.dropLast())))
    }
    let key =
      container.kind == .object
      ? String(decoding: JSONText.quoted(Array(last.utf8)[...]), as: UTF8.self) + ": " : ""
    let place = lastEnd(in: container)
    let isFirst = place == container.localRange.lowerBound + 1
    return .changed(
      tree.source.replacing(
        place..<place, prefix: (isFirst ? "" : ", ") + key, with: part, of: value))
  }
}

extension Diagnostic {
  /// The diagnostic with all its ranges moved by a number of bytes.
  func moved(by distance: Int) -> Diagnostic {
    func move(_ range: SourceRange) -> SourceRange {
      (range.lowerBound + distance)..<(range.upperBound + distance)
    }
    var moved = self
    moved.range = move(range)
    for index in notes.indices { moved.notes[index].range = move(notes[index].range) }
    for fix in fixes.indices {
      for edit in fixes[fix].edits.indices {
        moved.fixes[fix].edits[edit].range = move(fixes[fix].edits[edit].range)
      }
    }
    return moved
  }

  fileprivate static func noValue(at range: SourceRange) -> Diagnostic {
    PatchRules.override.diagnostic(
      "'--set' needs a pointer and a value", at: range, label: "no '=' in it",
      help: ["write --set /nodes/mixer/inputs/0/parameters/volume=0.5, for example"])
  }

  fileprivate static func notPointer(_ text: String, at range: SourceRange) -> Diagnostic {
    PatchRules.override.diagnostic(
      "\(Message(quoted(text))) is not a JSON Pointer", at: range,
      label: text.hasPrefix("/") ? "'~' stands only in ~0 and ~1" : "it begins with '/'",
      help: ["write --set /nodes/mixer/inputs/0/parameters/volume=0.5, for example"])
  }

  fileprivate static func notFound(
    _ token: String, in container: JSONValue, _ way: JSONPointer, at range: SourceRange
  ) -> Diagnostic {
    let (message, label, contents) = absenceTexts(of: token, in: container, way, "the patch")
    return PatchRules.override.diagnostic(
      .init(message), at: range, pointer: way.description, label: .init(label), help: [contents])
  }

  /// The texts for a pointer that leads nowhere: a sentence, a label, and the names that exist
  /// instead.
  static func absenceTexts(
    of token: String, in container: JSONValue, _ way: JSONPointer, _ patch: String
  ) -> (message: String, label: String, contents: String) {
    let place = way.tokens.isEmpty ? patch : quoted(way.description)
    let keys = container.members.compactMap { $0.key.string }
    let count = Array(container.elements).count
    let contents =
      switch container.kind {
      case .object:
        keys.isEmpty
          ? "\(place) is empty"
          : "\(place) has \(keys.prefix(12).map(quoted).joined(separator: ", "))"
            + (keys.count > 12 ? " and \(keys.count - 12) more" : "")
      case .array:
        count == 1 ? "\(place) has 1 element, 0" : "\(place) has \(count) elements, from 0"
      default: "\(place) is a value with nothing inside"
      }
    return (
      "\(place) has no \(quoted(token))",
      didYouMean(token, among: keys) ?? (patch == "the patch" ? "not in the patch" : "not there"),
      contents
    )
  }
}
