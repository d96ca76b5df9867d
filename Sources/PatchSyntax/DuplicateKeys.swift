import Diagnostics

extension JSONTree {
  /// A diagnostic for each key that an object has had before.
  ///
  /// RFC 8259 lets such objects pass and leaves open what they mean, so reading accepts them; a
  /// patch does not.
  func duplicateKeys() -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    var first: [String: JSONValue] = [:]
    for index in nodes.indices where nodes[index].kind == .object {
      first.removeAll(keepingCapacity: true)
      for (key, _) in JSONValue(tree: self, index: index).members {
        guard let name = key.string else { continue }
        // The key of a member without one has been reported.
        if key.range.isEmpty { continue }
        if let earlier = first.updateValue(key, forKey: name) {
          first[name] = earlier
          diagnostics.append(.duplicate(key, name, after: earlier))
        }
      }
    }
    return diagnostics
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
