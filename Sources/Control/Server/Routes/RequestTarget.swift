/// The parsed target of a request: `/patch?pointer=/nodes/mixer`.
struct RequestTarget: Hashable, Sendable {
  struct Item: Hashable, Sendable {
    var name: String
    var value: String
  }

  var path: String
  /// The items of the query, in order. A plus sign is not decoded.
  var query: [Item]

  /// `nil` if the text is no path or has an invalid percent code.
  init?(_ text: String) {
    guard text.hasPrefix("/") else { return nil }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = Self.decoded(parts[0]) else { return nil }
    self.path = path
    query = []
    for item in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(sides[0]),
        let value = Self.decoded(sides.count > 1 ? sides[1] : "")
      else { return nil }
      query.append(Item(name: name, value: value))
    }
  }

  subscript(name: String) -> String? { query.first { $0.name == name }?.value }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
