import TerminalScreen

/// The last check of a text before it goes to a terminal.
///
/// Names, titles, keys, paths and the answers of other programs may contain anything. `printable`
/// and `quoted` make them safe where they are put into a line. This check catches the places where
/// that was forgotten.
public enum TerminalText {
  /// How to show a character that must not reach a terminal.
  public enum Escape: Sendable {
    /// As messages do: `\u{9B}`.
    case message
    /// As a string of JSON may have it: `\u009b`.
    case json
  }

  /// A text of several lines, made safe for a terminal. Line feeds, tabs and the colours that this
  /// program writes stay. Every other control character is escaped, and so are those that hide text
  /// or change its direction.
  public static func safe(_ text: String, escape: Escape = .message) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A || $0 == 0x09 }) { return text }
    var result = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      if scalar == "\u{1B}", let end = endOfColors(rest) {
        result.unicodeScalars += rest[..<end]
        rest = rest[end...]
        continue
      }
      rest = rest.dropFirst()
      if scalar == "\n" || scalar == "\t" || terminalWidth(of: scalar) != nil {
        result.unicodeScalars.append(scalar)
      } else if scalar == "\r", rest.first == "\n" {
        // The line end of some systems.
        result.unicodeScalars.append(scalar)
      } else {
        result += escaped(scalar, escape)
      }
    }
    return result
  }

  /// The end of a sequence that sets a look: bold, dim, reversed, or a colour of the terminal;
  /// `nil` for any other.
  private static func endOfColors(
    _ text: Substring.UnicodeScalarView
  ) -> Substring.UnicodeScalarView.Index? {
    var rest = text.dropFirst()
    guard rest.popFirst() == "[" else { return nil }
    guard let end = rest.prefix(20).firstIndex(of: "m") else { return nil }
    let codes = String(rest[..<end]).split(separator: ";", omittingEmptySubsequences: false)
    let areLooks = codes.allSatisfy { code in
      switch code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) ? Int(code) ?? -1 : -1 {
      case 0, 1, 2, 7, 30...37, 40...47, 90...97, 100...107: true
      default: false
      }
    }
    return areLooks ? rest.index(after: end) : nil
  }

  private static func escaped(_ scalar: Unicode.Scalar, _ escape: Escape) -> String {
    guard escape == .json else { return scalar.escaped(asASCII: true) }
    return String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}
