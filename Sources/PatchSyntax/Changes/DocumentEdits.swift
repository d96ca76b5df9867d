public import Diagnostics

/// Makes edits of a document's text from changes, for diagnostics to offer.
public enum DocumentEdits {
  /// One change.
  public enum Change: Hashable, Sendable {
    /// Sets the value, given as JSON, at a place. In a node, missing objects on the way are added.
    case set(JSONPointer, String)
    /// Removes a member or an element.
    case remove(JSONPointer)
  }

  /// The one edit that makes all changes, one after the other; `nil` where one of them cannot be
  /// made.
  public static func edit(_ changes: [Change], in tree: JSONTree) -> Diagnostic.Edit? {
    // The ranges of a text that follows others do not begin at 0.
    guard tree.base == 0 else { return nil }
    let dialect = JSONReader.Dialect(fileName: tree.source.name)
    var changed = tree
    for change in changes {
      guard let text = text(change, in: changed) else { return nil }
      let reading = JSONReader.readAsWritten(text, dialect: dialect)
      guard reading.errorCount == 0, !reading.nodes.isEmpty else { return nil }
      changed = JSONTree(source: text, nodes: reading.nodes)
    }
    return difference(tree.source.bytes, changed.source.bytes)
  }

  private static func text(_ change: Change, in tree: JSONTree) -> SourceText? {
    switch change {
    case .set(let pointer, let json):
      let value = SourceText(name: tree.source.name, text: json)
      let placing = DocumentOverride.place(
        0..<value.bytes.count, of: value, at: pointer, in: tree, makesObjects: true)
      guard case .changed(let text) = placing else { return nil }
      return SourceText(name: tree.source.name, bytes: text.bytes)
    case .remove(let pointer):
      let editor = DocumentEditor(tree)
      guard (try? editor.remove(pointer)) != nil else { return nil }
      return SourceText(name: tree.source.name, bytes: editor.text(base: nil).bytes)
    }
  }

  /// The edit between the common beginning and the common end of two texts.
  private static func difference(_ old: [UInt8], _ new: [UInt8]) -> Diagnostic.Edit? {
    var low = 0
    let shorter = min(old.count, new.count)
    while low < shorter, old[low] == new[low] { low += 1 }
    var behind = 0
    while behind < shorter - low, old[old.count - 1 - behind] == new[new.count - 1 - behind] {
      behind += 1
    }
    // Characters of UTF-8 stay whole.
    while low > 0, new.indices.contains(low), new[low] & 0xC0 == 0x80 { low -= 1 }
    while behind > 0, new[new.count - behind] & 0xC0 == 0x80 { behind -= 1 }
    let replacement = new[low..<(new.count - behind)]
    guard low < old.count - behind || !replacement.isEmpty else { return nil }
    return Diagnostic.Edit(low..<(old.count - behind), String(decoding: replacement, as: UTF8.self))
  }
}
