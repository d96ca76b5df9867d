/// A JSON Pointer (RFC 6901): the path from a document's root to a value, such as
/// `/nodes/mixer/inputs/0/parameters/volume`.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  /// The keys and indices of the path, unescaped; none for the root.
  public var tokens: [String]

  /// The root, or the place that the tokens lead to.
  public init(_ tokens: [String] = []) { self.tokens = tokens }

  /// Reads the text of a pointer. The empty text is the root. `nil` for any other text that does
  /// not begin with a slash, and for one with a tilde outside of `~0` and `~1`.
  public init?(parsing text: String) {
    tokens = []
    if text.isEmpty { return }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let first = parts.first, first.isEmpty else { return nil }
    for part in parts.dropFirst() {
      var token: [UInt8] = []
      var rest = part[...]
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "~") else {
          token.append(byte)
          continue
        }
        switch rest.popFirst() {
        case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
        case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
        default: return nil
        }
      }
      tokens.append(String(decoding: token, as: UTF8.self))
    }
  }

  /// Appends a key or an index.
  public mutating func append(_ token: String) { tokens.append(token) }

  /// The pointer with one more key or index.
  public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens + [token]) }

  /// The pointer's text: each token behind a slash, with `~` as `~0` and `/` as `~1`.
  public var description: String {
    tokens.map { "/" + Self.escape($0) }.joined()
  }

  /// A token as it is written in a pointer.
  public static func escape(_ token: String) -> String {
    guard token.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return token }
    var result: [UInt8] = []
    for byte in token.utf8 {
      switch byte {
      case 0x7E: result += [0x7E, 0x30]
      case 0x2F: result += [0x7E, 0x31]
      default: result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The array index that a token stands for; `nil` unless it is digits without leading zeros.
  static func arrayIndex(_ token: String) -> Int? {
    guard token == "0" || token.utf8.first != 0x30, token.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
    else { return nil }
    return Int(token)
  }
}
