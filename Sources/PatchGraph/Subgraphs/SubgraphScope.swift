package import PatchSyntax

/// The names that parts have in the patch or sub-graph that they are written in.
extension PatchDocument {
  /// The sub-graph that a value is written in; `nil` for the patch itself.
  package func subgraph(around json: JSONValue) -> Subgraph? {
    subgraphNumber(around: json).map { subgraphs[$0] }
  }

  /// The prefix of all names in the patch that a value is written in.
  func prefix(around json: JSONValue) -> String { subgraph(around: json)?.prefix ?? "" }

  /// A name of the whole patch, as the patch or sub-graph that a value is written in writes it.
  func local(_ name: String, around json: JSONValue) -> String {
    let prefix = prefix(around: json)
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }

  /// The names, among those of the whole patch, that belong to the patch or sub-graph that a value
  /// is written in, as it writes them.
  func locals(_ names: some Sequence<String>, around json: JSONValue) -> [String] {
    guard !subgraphs.isEmpty else { return Array(names) }
    let prefix = prefix(around: json)
    // Prefixes are looked up by length: there are few lengths, and there may be many sub-graphs.
    let inner = Set(subgraphs.map(\.prefix).filter { $0.hasPrefix(prefix) && $0 != prefix })
    let lengths = Set(inner.map(\.utf8.count))
    func isInner(_ name: String) -> Bool {
      lengths.contains { length in
        name.utf8.count >= length
          && inner.contains(String(decoding: name.utf8.prefix(length), as: UTF8.self))
      }
    }
    return names.filter { $0.hasPrefix(prefix) && !isInner($0) }
      .map { String($0.dropFirst(prefix.count)) }
  }

  /// The names of sub-graphs in the patch that a value is written in.
  func localSubgraphs(around json: JSONValue) -> [String] {
    locals(subgraphs.map(\.name), around: json)
  }
}
