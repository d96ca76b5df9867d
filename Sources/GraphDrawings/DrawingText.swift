/// Text that a drawing takes from a patch. Names may contain any character.
enum DrawingText {
  /// The text on one line, without characters that a document may not have: control characters
  /// become spaces, and marks that change the direction of the text are removed.
  static func line(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: line.append(" ")
      case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: break
      case 0xFFFE, 0xFFFF: line.append("\u{FFFD}")
      default: line.append(scalar)
      }
    }
    return String(line)
  }

  /// The beginning of a line, with an ellipsis where it is cut.
  static func short(_ text: String, _ count: Int) -> String {
    let line = line(text)
    return line.count > count ? line.prefix(count - 1) + "…" : line
  }

  /// The first lines, then a line with the number of those left out.
  static func short(_ lines: [String], _ count: Int) -> [String] {
    guard lines.count > count else { return lines }
    return lines.prefix(count - 1) + ["and \(lines.count - count + 1) more"]
  }

  /// The text for XML, and for the labels of Graphviz that resemble it.
  static func markup(_ text: String) -> String {
    var result = ""
    for character in line(text).unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
