package import PatchSyntax

/// Finds the settings that an OSC message changes.
///
/// An OSC sender could be any program on the machine. So messages may set numbers, switches and
/// named choices, but not the files that a patch reads or writes.
package enum OSCSettings {
  /// The most parts of an address. No setting is nested as deep.
  private static let mostParts = 32

  /// The settings of a document that a message addresses, with their new values; empty if there are
  /// none.
  package static func edits(of message: OSCMessage, in root: JSONValue) -> [SettingEdit] {
    guard message.arguments.count == 1, let value = json(message.arguments[0]),
      let pointer = JSONPointer(parsing: escapedTildes(message.address)),
      pointer.tokens.count <= mostParts
    else { return [] }
    var pointers = [pointer]
    // A name may contain a star, so the literal address comes first.
    if OSCPattern.isPattern(message.address), root[pointer] == nil {
      guard let pattern = OSCPattern(message.address) else { return [] }
      pointers = []
      collect(root, JSONPointer(), depth: pointer.tokens.count) { candidate in
        let parts = candidate.tokens.map { JSONPointer.escape($0) }
        if pattern.matches(parts) { pointers.append(candidate) }
      }
    }
    return pointers.filter { isSettable($0, in: root, isText: message.arguments[0].isText) }
      .map { SettingEdit(pointer: $0, value: value) }
  }

  /// Escapes a tilde that is not part of an escape sequence.
  private static func escapedTildes(_ address: String) -> String {
    var result = ""
    var rest = Substring(address)
    while let character = rest.popFirst() {
      result.append(character)
      if character == "~", rest.first != "0", rest.first != "1" { result.append("0") }
    }
    return result
  }

  /// The argument as JSON; `nil` if no setting can have it.
  private static func json(_ argument: OSCArgument) -> String? {
    switch argument {
    case .int32(let value): "\(value)"
    case .int64(let value): "\(value)"
    case .float32(let value): value.isFinite ? JSONText.number(value).compact : nil
    case .float64(let value): value.isFinite ? JSONText.number(value).compact : nil
    case .boolean(let value): "\(value)"
    case .string(let text), .symbol(let text): JSONText.string(text).compact
    default: nil
    }
  }

  private static func isSettable(
    _ pointer: JSONPointer, in root: JSONValue, isText: Bool
  ) -> Bool {
    // A setting is a single value, not an object or array.
    if let old = root[pointer], old.kind == .object || old.kind == .array { return false }
    let tokens = pointer.tokens
    let group = tokens.dropLast().last
    if tokens.first == "nodes", group == "parameters" || group == "properties" { return true }
    if tokens.first == "nodes", tokens.count > 4, tokens[tokens.count - 3] == "bands" {
      return true
    }
    return tokens.first == "callbacks" && tokens.count == 3 && !isText
  }

  /// Collects the pointers to all values at a depth.
  private static func collect(
    _ value: JSONValue, _ pointer: JSONPointer, depth: Int, _ take: (JSONPointer) -> Void
  ) {
    guard depth > 0 else { return take(pointer) }
    for member in value.members {
      guard let key = member.key.string else { continue }
      collect(member.value, pointer.appending(key), depth: depth - 1, take)
    }
  }
}

extension OSCArgument {
  fileprivate var isText: Bool {
    switch self {
    case .string, .symbol: true
    default: false
    }
  }
}
