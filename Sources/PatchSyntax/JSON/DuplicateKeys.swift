import Diagnostics

extension JSONTree {
  /// Reports each key that an object has had before.
  ///
  /// RFC 8259 lets such objects pass and leaves open what they mean, so reading accepts them; a
  /// patch does not.
  ///
  /// - Returns: where in the table the repeated keys are.
  func reportDuplicateKeys(to findings: inout Findings) -> Set<Int> {
    var keys: Set<Int> = []
    func report(_ key: JSONValue, _ name: String, after earlier: JSONValue) {
      keys.insert(key.index)
      findings.append(SyntaxRules.duplicateKey, at: key.range) {
        .duplicate(key, name, after: earlier)
      }
    }
    var members: [(key: JSONValue, name: String)] = []
    for index in nodes.indices where nodes[index].kind == .object {
      members.removeAll(keepingCapacity: true)
      for (key, _) in JSONValue(tree: self, index: index).members {
        // The key of a member without one has been reported.
        guard !key.range.isEmpty, let name = key.string else { continue }
        members.append((key, name))
      }
      if members.count <= 8 {
        // Most objects are so small that comparing all pairs is the quickest.
        for (place, member) in members.enumerated().dropFirst() {
          if let earlier = members[..<place].first(where: { $0.name == member.name }) {
            report(member.key, member.name, after: earlier.key)
          }
        }
      } else {
        var first: [String: JSONValue] = [:]
        first.reserveCapacity(members.count)
        for member in members {
          if let earlier = first[member.name] {
            report(member.key, member.name, after: earlier)
          } else {
            first[member.name] = member.key
          }
        }
      }
    }
    return keys
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
