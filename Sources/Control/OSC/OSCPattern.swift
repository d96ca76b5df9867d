/// An address pattern of OSC 1.0: `?`, `*`, `[a-z]`, `[!0-9]` and `{left,right}`. None of them
/// matches a slash.
struct OSCPattern: Hashable, Sendable {
  fileprivate enum Element: Hashable {
    case scalar(Unicode.Scalar)
    case one
    case any
    case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)
    case words([[Unicode.Scalar]])
  }

  private let parts: [[Element]]

  /// Whether an address contains a pattern character.
  static func isPattern(_ address: String) -> Bool {
    address.unicodeScalars.contains { "*?[{".unicodeScalars.contains($0) }
  }

  /// `nil` for unbalanced brackets or braces.
  init?(_ text: String) {
    guard text.hasPrefix("/") else { return nil }
    var parts: [[Element]] = []
    for part in text.unicodeScalars.dropFirst().split(
      separator: "/", omittingEmptySubsequences: false)
    {
      guard let elements = Self.elements(Array(part)) else { return nil }
      parts.append(elements)
    }
    self.parts = parts
  }

  /// Whether an address matches, given as its parts between slashes.
  func matches(_ address: [String]) -> Bool {
    guard parts.count == address.count else { return false }
    return zip(parts, address).allSatisfy { Self.matches($0, Array($1.unicodeScalars)) }
  }

  private static func elements(_ text: [Unicode.Scalar]) -> [Element]? {
    var elements: [Element] = []
    var rest = text[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "?": elements.append(.one)
      case "*": if elements.last != .any { elements.append(.any) }
      case "[":
        guard let end = rest.firstIndex(of: "]") else { return nil }
        elements.append(set(Array(rest[..<end])))
        rest = rest[(end + 1)...]
      case "{":
        guard let end = rest.firstIndex(of: "}") else { return nil }
        elements.append(
          .words(
            rest[..<end].split(separator: ",", omittingEmptySubsequences: false).map(Array.init)))
        rest = rest[(end + 1)...]
      default: elements.append(.scalar(scalar))
      }
    }
    return elements
  }

  /// A hyphen is a range only between two characters, and an exclamation mark negates only at the
  /// beginning. Elsewhere they stand for themselves.
  private static func set(_ text: [Unicode.Scalar]) -> Element {
    let isNegated = text.first == "!"
    let members = isNegated ? Array(text.dropFirst()) : text
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    var index = 0
    while index < members.count {
      if index + 2 < members.count, members[index + 1] == "-" {
        let (low, high) = (members[index], members[index + 2])
        ranges.append(min(low, high)...max(low, high))
        index += 3
      } else {
        ranges.append(members[index]...members[index])
        index += 1
      }
    }
    return .set(ranges, isNegated: isNegated)
  }

  /// Matches in one pass over the text with the set of reachable pattern positions, so that many
  /// stars take at most the product of both lengths.
  private static func matches(_ pattern: [Element], _ text: [Unicode.Scalar]) -> Bool {
    var reachable = [[Bool]](
      repeating: [Bool](repeating: false, count: text.count + 1), count: pattern.count + 1)
    reachable[0][0] = true
    for (index, element) in pattern.enumerated() {
      for position in 0...text.count where reachable[index][position] {
        switch element {
        case .any:
          for end in position...text.count { reachable[index + 1][end] = true }
        case .words(let words):
          for word in words where text[position...].starts(with: word) {
            reachable[index + 1][position + word.count] = true
          }
        case .one, .scalar, .set:
          if position < text.count, element.takes(text[position]) {
            reachable[index + 1][position + 1] = true
          }
        }
        // A star's further matches are reachable from its first.
        if element == .any { break }
      }
    }
    return reachable[pattern.count][text.count]
  }
}

extension OSCPattern.Element {
  fileprivate func takes(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .one: true
    case .scalar(let own): own == scalar
    case .set(let ranges, let isNegated):
      ranges.contains { $0.contains(scalar) } != isNegated
    case .any, .words: false
    }
  }
}
