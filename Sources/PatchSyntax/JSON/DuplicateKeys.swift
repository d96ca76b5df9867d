import Diagnostics

extension JSONTree {
  /// Reports each repeated key of an object.
  ///
  /// RFC 8259 allows repeated keys and leaves their meaning open, so the reader accepts them. A
  /// patch must not have them.
  ///
  /// - Returns: The rows of the repeated keys in the table.
  func reportDuplicateKeys(to findings: inout Findings) -> Set<Int> {
    var keys: Set<Int> = []
    func report(_ key: JSONValue, _ name: String, after earlier: JSONValue) {
      keys.insert(key.index)
      findings.append(SyntaxRules.duplicateKey, at: key.range) {
        .duplicate(key, name, after: earlier)
      }
    }
    /// The rows of an object's keys.
    var rows: [Int] = []
    var next = 0
    while next < nodes.count {
      let index = next
      let node = nodes[index]
      if node.isRepeated, keys.isEmpty {
        // The one that is written alike before it has no repeated keys either.
        next = Int(node.next)
        continue
      }
      next += 1
      guard node.kind == .object, !node.hasDistinctKeys else { continue }
      rows.removeAll(keepingCapacity: true)
      var row = index + 1
      let end = Int(node.next)
      // An object with one member repeats none.
      let first = row < end ? Int(nodes[row].next) : end
      if first >= end || Int(nodes[first].next) >= end { continue }
      while row < end {
        // An empty range stands for a missing key, which has been reported.
        if nodes[row].kind == .string, nodes[row].end > nodes[row].start { rows.append(row) }
        let value = Int(nodes[row].next)
        guard value < end else { break }
        row = Int(nodes[value].next)
      }
      if rows.count <= 8 {
        // Most objects are so small that comparing all pairs is the quickest.
        for place in rows.indices {
          let node = nodes[rows[place]]
          for earlier in 0..<place {
            let other = nodes[rows[earlier]]
            let isSameLength = node.end - node.start == other.end - other.start
            guard isSameLength || !node.isPlain || !other.isPlain,
              haveSameText(rows[earlier], rows[place])
            else { continue }
            let key = JSONValue(tree: self, index: rows[place])
            report(key, key.string ?? "", after: JSONValue(tree: self, index: rows[earlier]))
            break
          }
        }
      } else {
        var firstRows: [String: Int] = [:]
        firstRows.reserveCapacity(rows.count)
        for row in rows {
          let key = JSONValue(tree: self, index: row)
          let name = key.string ?? ""
          guard let earlier = firstRows.updateValue(row, forKey: name) else { continue }
          firstRows[name] = earlier
          report(key, name, after: JSONValue(tree: self, index: earlier))
        }
      }
    }
    return keys
  }

  /// Whether two strings have the same text.
  private func haveSameText(_ first: Int, _ second: Int) -> Bool {
    let (one, other) = (nodes[first], nodes[second])
    guard one.isPlain, other.isPlain else {
      return JSONValue(tree: self, index: first).string
        == JSONValue(tree: self, index: second).string
    }
    // A plain string has a quote at each end.
    guard one.end - one.start == other.end - other.start else { return false }
    let all = source.bytes
    let bytes = all.span
    let distance = Int(other.start) - Int(one.start)
    for index in Int(one.start)..<Int(one.end) where bytes[index] != bytes[index + distance] {
      return false
    }
    return true
  }
}

extension Diagnostic {
  fileprivate static func duplicate(
    _ key: JSONValue, _ name: String, after earlier: JSONValue
  ) -> Diagnostic {
    SyntaxRules.duplicateKey.diagnostic(
      "the key \(Message(quoted(name))) stands twice in one object", at: key.range,
      pointer: key.pointer.description, label: "again here",
      notes: [Note("first here", at: earlier.range)],
      help: ["remove one of the two, or rename it"])
  }
}
