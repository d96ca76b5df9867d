package import PatchSyntax

/// A value that is to stand at a place of a document.
package struct SettingEdit: Hashable, Sendable {
  var pointer: JSONPointer
  /// JSON.
  var value: String

  /// The operation that puts several values into a document, a JSON Patch (RFC 6902). Objects that
  /// are missing on the way are made; what cannot be done is left to the reader of the patch to
  /// refuse.
  package static func patch(_ edits: [SettingEdit], in root: JSONValue) -> String {
    /// The ways to objects that operations before this one have made.
    var made: Set<[String]> = []
    let operations = edits.map { $0.operation(in: root, &made) }
    return "[" + operations.joined(separator: ",") + "]"
  }

  private func operation(in root: JSONValue, _ made: inout Set<[String]>) -> String {
    guard let last = pointer.tokens.last else { return Self.written("replace", pointer, value) }
    /// `nil` in an object that has been made.
    var container: JSONValue? = root
    for depth in 1..<pointer.tokens.count {
      let way = Array(pointer.tokens[..<depth])
      if made.contains(way) {
        container = nil
        continue
      }
      if let inside = container?[JSONPointer([pointer.tokens[depth - 1]])] {
        container = inside
        continue
      }
      guard container == nil || container?.kind == .object else { break }
      // The rest of the way, from its end.
      let nested = pointer.tokens[depth...].reversed().reduce(value) { inner, token in
        "{\(JSONText.string(token).compact):\(inner)}"
      }
      for length in depth..<pointer.tokens.count { made.insert(Array(pointer.tokens[..<length])) }
      return Self.written("add", JSONPointer(way), nested)
    }
    // In an array to add is to push the others back.
    let replaces = container?.kind == .array && container?[JSONPointer([last])] != nil
    return Self.written(replaces ? "replace" : "add", pointer, value)
  }

  private static func written(_ operation: String, _ path: JSONPointer, _ value: String) -> String {
    let path = JSONText.string(path.description).compact
    return "{\"op\":\"\(operation)\",\"path\":\(path),\"value\":\(value)}"
  }
}
