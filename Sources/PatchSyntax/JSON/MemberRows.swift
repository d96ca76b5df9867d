extension JSONTree {
  /// The rows of an object's members, in order; none for other values.
  ///
  /// For loops over large documents: a `JSONValue` counts its references to the tree.
  struct MemberRows {
    private var row: Int
    private let end: Int

    init(of container: Int, in tree: JSONTree) {
      let node = tree.nodes[container]
      row = container + 1
      end = node.kind == .object ? Int(node.next) : row
    }

    /// The next key and its value.
    mutating func next(in tree: JSONTree) -> (key: Int, value: Int)? {
      guard row < end else { return nil }
      let key = row
      let value = Int(tree.nodes[key].next)
      row = value
      guard value < end else { return nil }
      row = Int(tree.nodes[value].next)
      return (key, value)
    }
  }
}
