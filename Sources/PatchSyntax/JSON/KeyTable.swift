import Diagnostics

/// Keys of an object, which are found by the bytes of their texts.
struct KeyTable: Sendable {
  private struct Entry: Sendable {
    /// The first bytes, up to eight.
    var start: UInt64
    var count: Int
  }

  let keys: [String]
  private let entries: [Entry]

  init(_ keys: [String]) {
    self.keys = keys
    entries = keys.map { key in
      Entry(start: Self.start(of: key.utf8.span, 0..<key.utf8.count), count: key.utf8.count)
    }
  }

  private static func start(of bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    var start: UInt64 = 0
    for index in range.lowerBound..<min(range.upperBound, range.lowerBound + 8) {
      start = start << 8 | UInt64(bytes[index])
    }
    return start
  }

  /// The index of the key that a row of a tree is a string with; `nil` for none.
  func index(of row: Int, in tree: JSONTree) -> Int? {
    let content = tree.nodes[row].content
    guard tree.nodes[row].isPlain else {
      return JSONValue(tree: tree, index: row).string.flatMap { keys.firstIndex(of: $0) }
    }
    let bytes = tree.source.bytes
    let start = Self.start(of: bytes.span, content)
    return entries.indices.first { index in
      entries[index].start == start && entries[index].count == content.count
        && (content.count <= 8 || tree.isText(row, keys[index]))
    }
  }
}
