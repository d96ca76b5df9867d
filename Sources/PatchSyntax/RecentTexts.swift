import Diagnostics

/// The longer texts that were read last, so that equal texts are made once: the nodes of a patch
/// repeat the same few keys and names.
struct RecentTexts: Sendable {
  private static let capacity = 64

  /// The last text of each slot; the slot follows from the bytes.
  private var texts = [String](repeating: "", count: capacity)

  /// The text of a string, with escapes resolved; `nil` for other values.
  mutating func text(of json: JSONValue) -> String? {
    let tree = json.tree
    let node = tree.nodes[json.index]
    guard node.isPlain, tree.constantRows.isEmpty else { return json.string }
    let content = node.content
    let all = tree.source.bytes
    // Swift keeps so few bytes without memory of their own.
    if content.count < 16 { return String(decoding: all[content], as: UTF8.self) }
    let bytes = all.span.extracting(content)
    let last = bytes.count - 1
    let slot =
      (Int(bytes[0]) &* 7 &+ Int(bytes[last / 2]) &* 3 &+ Int(bytes[last]) &+ bytes.count &* 5)
      & (Self.capacity - 1)
    if tree.isText(json.index, texts[slot]) { return texts[slot] }
    let text = String(decoding: all[content], as: UTF8.self)
    texts[slot] = text
    return text
  }
}
