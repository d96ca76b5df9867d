/// How many columns a terminal gives a scalar; `nil` for one that must not reach a terminal:
/// controls, and the invisible ones that reorder or hide text.
public func terminalWidth(of scalar: Unicode.Scalar) -> Int? {
  if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F ? 1 : nil }
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
    return nil
  case .format: return scalar.value == 0x200D ? 0 : nil
  case .nonspacingMark, .enclosingMark: return 0
  default: break
  }
  return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
}

/// The blocks that UAX #11 calls wide or full width.
private func isWide(_ value: UInt32) -> Bool {
  switch value {
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x17000...0x18AFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
    return true
  default: return false
  }
}

/// The characters of a text that may be put on a screen, each with its columns: 1 or 2.
///
/// A character that must not reach a terminal becomes U+FFFD, a combining character without a base
/// is left out, and of a character with many combining ones the first eight scalars are kept.
public func glyphs(of text: String) -> [(text: String, width: Int)] {
  text.compactMap { character in
    if let value = character.asciiValue, value >= 0x20, value != 0x7F {
      return (String(character), 1)
    }
    var kept = ""
    var width = 0
    for scalar in character.unicodeScalars.prefix(8) {
      guard let columns = terminalWidth(of: scalar) else { return ("\u{FFFD}", 1) }
      kept.unicodeScalars.append(scalar)
      width = max(width, columns)
    }
    return width > 0 ? (kept, width) : nil
  }
}

/// The columns that a text takes on a screen.
public func terminalWidth(of text: String) -> Int {
  glyphs(of: text).reduce(0) { $0 + $1.width }
}
