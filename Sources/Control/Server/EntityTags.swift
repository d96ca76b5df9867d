import NIOHTTP1

/// The value of `If-Match` or `If-None-Match` (RFC 9110).
enum EntityTags: Hashable, Sendable {
  case any
  /// Without quotes; weak ones begin with `W/`.
  case some([String])

  /// `nil` if the field is missing.
  init?(_ name: String, in headers: HTTPHeaders) {
    let values = headers[name]
    guard !values.isEmpty else { return nil }
    let list = values.flatMap { $0.split(separator: ",") }.map(Self.trimmed)
    if list.contains("*") {
      self = .any
      return
    }
    self = .some(list.map { $0.filter { $0 != "\"" } })
  }

  /// The strong comparison of `If-Match`.
  func matches(_ tag: String) -> Bool {
    switch self {
    case .any: true
    case .some(let tags): tags.contains(tag)
    }
  }

  /// The weak comparison of `If-None-Match`.
  func matchesWeakly(_ tag: String) -> Bool {
    switch self {
    case .any: true
    case .some(let tags): tags.contains { $0 == tag || $0 == "W/" + tag }
    }
  }

  static func quoted(_ tag: String) -> String { "\"\(tag)\"" }

  private static func trimmed(_ text: Substring) -> String {
    let blanks: Set<Character> = [" ", "\t"]
    var text = text[...]
    while let first = text.first, blanks.contains(first) { text.removeFirst() }
    while let last = text.last, blanks.contains(last) { text.removeLast() }
    return String(text)
  }
}
