extension JSONTree {
  /// A row of the table. The members of an object follow it as key, value, key, value, each value
  /// with all that is inside it.
  struct Node: Sendable {
    enum Kind: UInt8 { case null, no, yes, number, string, array, object, invalid }

    var start: UInt32
    var end: UInt32
    /// The row after the last one inside this value.
    var next: UInt32
    var kind: Kind
    /// The lengths of the opening and the closing quote in bytes, two bits each: 1, except in text
    /// that was reported. Above them are `plain`, `distinct` and `repeated`.
    var flags: UInt8 = 0
    var isEscaped = false
    var isKey = false

    static func quotes(_ low: UInt8, _ high: UInt8) -> UInt8 { low | high << 2 }

    /// Set in `flags` for a string of ASCII without escapes: its bytes are its text, so that two
    /// such strings are equal if their bytes are.
    static let plain: UInt8 = 1 << 4

    var isPlain: Bool { flags & Self.plain != 0 }

    /// Set in `flags` for an object whose keys certainly differ.
    static let distinct: UInt8 = 1 << 5

    var hasDistinctKeys: Bool { flags & Self.distinct != 0 }

    /// Set in `flags` for an object or an array that is written with the same bytes as the one before
    /// it in the same container.
    static let repeated: UInt8 = 1 << 6

    var isRepeated: Bool { flags & Self.repeated != 0 }

    /// The text of a string without its quotes.
    var content: Range<Int> {
      let low = Int(start) + Int(flags & 3)
      return low..<max(low, Int(end) - Int(flags >> 2 & 3))
    }
  }

  /// Whether any row fulfils a condition that depends on its bytes only. Containers that are written
  /// as the one before are passed over.
  func containsRow(where isWanted: (Node) -> Bool) -> Bool {
    var row = 0
    while row < nodes.count {
      let node = nodes[row]
      if node.isRepeated {
        row = Int(node.next)
      } else if isWanted(node) {
        return true
      } else {
        row += 1
      }
    }
    return false
  }
}
