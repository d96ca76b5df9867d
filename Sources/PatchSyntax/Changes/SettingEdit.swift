public import Diagnostics

/// A value to set in a document, or to remove from it.
public struct SettingEdit: Hashable, Sendable {
  /// The place. Missing objects on the way to it are added.
  public var pointer: JSONPointer
  /// The value as JSON; `nil` removes what is there.
  public var value: String?

  /// - Parameter value: The value as JSON; `nil` removes what is there.
  public init(pointer: JSONPointer, value: String?) {
    self.pointer = pointer
    self.value = value
  }

  /// Makes edits of a document, one after the other: all of them, or none where one has no place.
  ///
  /// - Parameter tree: The document, read without errors.
  /// - Returns: The changed document; or why it is unchanged, with the text that the diagnostics
  ///   refer to: a JSON Patch (RFC 6902) with an operation that would do the same.
  public static func apply(
    _ edits: [SettingEdit], to tree: JSONTree
  ) -> (change: DocumentChange, source: SourceText) {
    let editor = DocumentEditor(tree)
    for edit in edits {
      guard let text = edit.value else {
        guard (try? editor.remove(edit.pointer)) != nil else {
          return edit.refusal(in: editor.text(base: nil))
        }
        continue
      }
      let reading = JSONReader.read(
        SourceText(name: "request.json", text: text), dialect: .json)
      guard !reading.hasErrors, let value = reading.tree?.root else {
        return (.refused(reading.diagnostics), SourceText(name: "request.json", text: text))
      }
      do throws(DocumentEditor.Failure) { try editor.set(edit.pointer, to: value) } catch {
        return edit.refusal(in: editor.text(base: nil))
      }
    }
    return (.changed(editor.text(base: nil)), tree.source)
  }

  /// Why the edit has no place. Diagnostics need a text to refer to, so the edit is written as an
  /// operation, which is refused.
  private func refusal(in document: SourceText) -> (change: DocumentChange, source: SourceText) {
    let path = JSONText.string(pointer.description).compact
    let operation =
      value.map { "{\"op\":\"add\",\"path\":\(path),\"value\":\($0)}" }
      ?? "{\"op\":\"remove\",\"path\":\(path)}"
    let source = SourceText(name: "request.json", text: "[\(operation)]")
    let (json, diagnostics) = JSONReader.readStrictly(source)
    let dialect = JSONReader.Dialect(fileName: document.name)
    guard let json, let tree = JSONReader.read(document, dialect: dialect).tree else {
      return (.refused(diagnostics), source)
    }
    return (JSONPatch.apply(json.root, to: tree), source)
  }
}

extension DocumentEditor {
  /// Sets a value at a place, and adds missing objects on the way.
  fileprivate func set(_ pointer: JSONPointer, to value: JSONValue) throws(Failure) {
    guard let last = pointer.tokens.last else {
      return try replace(pointer, with: ChangedValue(value))
    }
    let way = pointer.tokens.dropLast()
    for depth in way.indices {
      let container = try self.value(at: JSONPointer(Array(way[..<depth])))
      guard let object = container.open(), object.isObject,
        object[Array(way[depth].utf8)] == nil
      else { continue }
      // Everything from here on is missing: the rest of the path is built from its end.
      let text = pointer.tokens[(depth + 1)...].reversed().reduce(value.written) { inner, token in
        "{ \(JSONText.string(token).compact): \(inner) }"
      }
      guard
        let made = JSONReader.read(SourceText(name: "request.json", text: text), dialect: .json)
          .tree
      else { throw .noContainer(token: depth) }
      let place = JSONPointer(Array(pointer.tokens[...depth]))
      return try add(
        ChangedValue(made.root), at: place, key: .init(naming: place, in: made.source))
    }
    // In an array, "add" would insert an element.
    let container = try self.value(at: JSONPointer(Array(way)))
    if let array = container.open(), !array.isObject, let index = JSONPointer.arrayIndex(last),
      index < array.count
    {
      try replace(pointer, with: ChangedValue(value))
    } else {
      try add(
        ChangedValue(value), at: pointer, key: .init(naming: pointer, in: value.tree.source))
    }
  }
}

extension JSONValue {
  /// The text of the value.
  fileprivate var written: String { String(decoding: tree.source.bytes[range], as: UTF8.self) }
}
