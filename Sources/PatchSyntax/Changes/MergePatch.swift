public import Diagnostics

/// A JSON Merge Patch (RFC 7386): an object with the structure of the document that it changes. A
/// member that is `null` is removed; an object is merged into the present one; any other value
/// replaces the present one.
public enum MergePatch {
  /// Changes a document. A merge patch fits every document, so the result is never `.refused`.
  ///
  /// - Parameters:
  ///   - patch: The merge patch, read without errors and without repeated keys.
  ///   - tree: The document, read without errors.
  ///   - base: See `SourceText.init(name:parts:base:)`.
  public static func apply(
    _ patch: JSONValue, to tree: JSONTree, base: SourceText? = nil
  ) -> DocumentChange {
    let editor = DocumentEditor(tree)
    merge(patch, into: &editor.root)
    return .changed(editor.text(base: base))
  }

  private static func merge(_ patch: JSONValue, into target: inout ChangedValue) {
    guard patch.kind == .object else {
      target = ChangedValue(patch)
      return
    }
    guard let object = target.open(), object.isObject else {
      target = stripped(patch)
      return
    }
    for (key, value) in patch.members {
      let name = Array((key.string ?? "").utf8)
      if value.kind == .null {
        _ = object.remove(name)
      } else if var inside = object[name] {
        merge(value, into: &inside)
        object.set(ChangedContainer.Key(key), to: inside)
      } else {
        object.set(ChangedContainer.Key(key), to: stripped(value))
      }
    }
  }

  /// A value of a merge patch without the members that are `null`, at any depth of objects.
  private static func stripped(_ patch: JSONValue) -> ChangedValue {
    let value = ChangedValue(patch)
    guard patch.kind == .object, hasNull(patch), let object = value.open() else { return value }
    for (key, inside) in patch.members {
      if inside.kind == .null {
        _ = object.remove(Array((key.string ?? "").utf8))
      } else {
        object.set(ChangedContainer.Key(key), to: stripped(inside))
      }
    }
    return value
  }

  /// Whether a member of the object, or of the objects in it, is `null`.
  private static func hasNull(_ object: JSONValue) -> Bool {
    object.members.contains { _, value in
      value.kind == .null || value.kind == .object && hasNull(value)
    }
  }
}

extension ChangedContainer.Key {
  /// A key as it is written.
  init(_ key: JSONValue) {
    self.init(
      name: Array((key.string ?? "").utf8), range: key.range, source: key.tree.source,
      isWritten: true)
  }
}
