/// A text with formulas in braces, such as a name in a repetition: `strip{i}`, `mixer:{i}`.
struct CopyPattern {
  enum Part: Equatable {
    case text(String)
    /// A formula without its braces, and its range in the text, in bytes.
    case formula(String, at: Range<Int>)
  }

  let parts: [Part]

  /// - Returns: `nil` for a text without formulas. Braces around a word of several letters, such as
  ///   `{date}` in the path of a take, and double braces are no formulas.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    var parts: [Part] = []
    var start = 0
    var position = 0
    var hasFormula = false
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "{") else {
        position += 1
        continue
      }
      if position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "{") {
        position += 2
        continue
      }
      let inside = position + 1
      let end = bytes[inside...].firstIndex(of: UInt8(ascii: "}")) ?? bytes.count
      guard end < bytes.count, !Self.isWord(bytes[inside..<end]) else {
        position = inside
        continue
      }
      if start < position {
        parts.append(.text(String(decoding: bytes[start..<position], as: UTF8.self)))
      }
      parts.append(
        .formula(String(decoding: bytes[inside..<end], as: UTF8.self), at: inside..<end))
      hasFormula = true
      position = end + 1
      start = position
    }
    guard hasFormula else { return nil }
    if start < bytes.count {
      parts.append(.text(String(decoding: bytes[start...], as: UTF8.self)))
    }
    self.parts = parts
  }

  private static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count > 1 && bytes.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
  }

  /// Whether it is one formula and nothing else, so that its value is a number.
  var isNumber: Bool {
    if parts.count == 1, case .formula = parts[0] { true } else { false }
  }

  /// The text in one copy.
  func text(_ names: CopyFormula.Names) throws(Located) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .text(let plain): text += plain
      case .formula(let formula, let range):
        do throws(CopyFormula.Failure) {
          text += Self.written(try CopyFormula.value(of: formula, names))
        } catch {
          let start = range.lowerBound
          throw Located(
            failure: error,
            range: (start + error.range.lowerBound)..<(start + error.range.upperBound))
        }
      }
    }
    return text
  }

  /// A failure and where it is in the text, in bytes.
  struct Located: Error {
    var failure: CopyFormula.Failure
    var range: Range<Int>
  }

  /// A number as a patch writes it: without a fraction where it is whole.
  static func written(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 0x1p53 ? String(Int(value)) : "\(value)"
  }
}
