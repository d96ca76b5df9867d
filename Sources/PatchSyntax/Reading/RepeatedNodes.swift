import Diagnostics

/// Large patches have many nodes in a row that are written with the same bytes. Such a node is not
/// read again.
extension PatchReader {
  /// Reads the nodes of a patch.
  mutating func nodes(_ json: JSONValue) -> [PatchDocument.Member<PatchDocument.Node>] {
    // The value of a key that is ignored, or of a constant, is not in the bytes alone.
    let isPlain = repeatedKeys.isEmpty && json.tree.constantRows.isEmpty
    var isClear = false
    return map(json, "'nodes'", .source) { reader, value, members in
      if isPlain, isClear, let last = members.indices.last,
        value.repeats(members[last].value.json), let node = members[last].value.again(at: value)
      {
        return node
      }
      let count = reader.diagnostics.count
      defer { isClear = reader.diagnostics.count == count }
      return reader.node(value)
    }
  }
}

extension JSONValue {
  /// Whether another value of the tree is right before it, in the same object, and is written with
  /// the same bytes.
  fileprivate func repeats(_ other: JSONValue) -> Bool {
    // A key is in between.
    tree === other.tree && tree.nodes[index].isRepeated
      && Int(tree.nodes[other.index].next) + 1 == index
  }
}
