import Diagnostics

// MARK: Wording

extension Diagnostic {
  static func controlCharacter(_ byte: UInt8, at range: SourceRange) -> Diagnostic {
    let escape =
      switch byte {
      case 0x08: "\\b"
      case 0x09: "\\t"
      case 0x0C: "\\f"
      default: "\\u\(hexadecimal(UInt32(byte), digits: 4))"
      }
    let name =
      byte == 0x09 ? "a tab" : "the control character U+\(hexadecimal(UInt32(byte), digits: 4))"
    return SyntaxRules.controlCharacter.diagnostic(
      "\(Message(name)) stands in a string", at: range, label: "write \(Message(escape))",
      help: ["control characters in strings are escaped: write \(escape)"],
      fixes: [Fix("write \(escape)", edits: [Edit(range, escape)])])
  }

  static func malformed(_ name: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.encoding.diagnostic(
      "\(Message(name)) stands in the text",
      at: range, label: "not UTF-8", help: ["save the file as UTF-8"])
  }

  static func unterminated(at range: SourceRange) -> Diagnostic {
    SyntaxRules.unterminatedString.diagnostic(
      "a string is not closed", at: range, label: "it has no closing '\"' on this line",
      help: ["add '\"' where it ends; a line end inside a string is written \\n"])
  }

  static func badEscape(_ text: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.escape.diagnostic(
      "\(Message(quoted(text))) is not an escape", at: range, label: "JSON does not know it",
      help: [
        "escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits; write \\\\ for a backslash"
      ],
      fixes: [
        Fix(
          "write a backslash as \\\\",
          edits: [Edit(range.lowerBound..<(range.lowerBound + 1), "\\\\")])
      ])
  }

  static func shortUnicodeEscape(at range: SourceRange) -> Diagnostic {
    SyntaxRules.escape.diagnostic(
      "'\\u' needs four hexadecimal digits", at: range, label: "too few",
      help: ["write for example \\u00e9 for é, or é itself"])
  }

  static func loneSurrogate(
    _ text: String, isHigh: Bool, at range: SourceRange
  ) -> Diagnostic {
    SyntaxRules.surrogate.diagnostic(
      "\(Message(quoted(text))) is half of a character", at: range,
      label: isHigh
        ? "a low surrogate, \\udc00 to \\udfff, should follow"
        : "a high surrogate, \\ud800 to \\udbff, should precede",
      help: ["write the character itself: the document is UTF-8"])
  }

  static func foreignQuotes(at range: SourceRange, content: String?) -> Diagnostic {
    let canFix = content.map { !$0.contains("\"") } ?? false
    return SyntaxRules.quotes.diagnostic(
      "strings stand in straight double quotes", at: range, label: "these are others",
      help: [canFix ? "write \"\(shortened(content ?? ""))\"" : "write \"...\""],
      fixes: canFix
        ? [Fix("use double quotes", edits: [Edit(range, "\"\(content ?? "")\"")])] : [])
  }

  static func unquotedKey(_ text: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.key.diagnostic(
      "the key \(Message(quoted(text))) stands without quotes", at: range,
      label: "keys stand in double quotes", help: ["write \"\(shortened(text))\""],
      fixes: [Fix("put the key in double quotes", edits: [Edit(range, "\"\(text)\"")])])
  }

  static func strayInKey(_ name: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.key.diagnostic(
      "\(Message(name)) has no place here", at: range, label: "a key should stand here",
      help: ["a member is written \"key\": value"])
  }

  static func strayInValue(_ name: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.unexpected.diagnostic(
      "\(Message(name)) has no place here", at: range, label: "a value should stand here",
      help: ["a value is a string, a number, true, false, null, an object or an array"])
  }

  static func irregularNumber(_ text: String, at range: SourceRange) -> Diagnostic {
    let bare = text.drop { $0 == "-" || $0 == "+" }.lowercased()
    let correction = corrected(text)
    let label: Message =
      if ["nan", "inf", "infinity"].contains(bare) {
        "JSON has no such number"
      } else if bare.hasPrefix("0x") {
        "hexadecimal"
      } else if text.hasPrefix("+") {
        "it begins with '+'"
      } else if bare.hasPrefix(".") {
        "no digit before the point"
      } else if bare.hasPrefix("0"), bare.dropFirst().first.map({ "0"..."9" ~= $0 }) ?? false {
        "it begins with 0"
      } else if bare.hasSuffix(".") || bare.contains(".e") {
        "no digit behind the point"
      } else if bare.hasSuffix("e") || bare.hasSuffix("e+") || bare.hasSuffix("e-") {
        "no digit in the exponent"
      } else {
        "not as JSON writes numbers"
      }
    return SyntaxRules.number.diagnostic(
      "\(Message(quoted(text))) is not a number in JSON", at: range, label: label,
      help: [
        correction.map { "write \(shortened($0))" } ?? "numbers look like 12, -0.5 and 1.5e-3"
      ],
      fixes: correction.map { [Fix("write \(shortened($0))", edits: [Edit(range, $0)])] } ?? [])
  }

  /// A decimal comma, as many languages write it.
  static func decimalComma(_ text: String, at range: SourceRange) -> Diagnostic {
    let number = text.replacing(",", with: ".")
    return SyntaxRules.number.diagnostic(
      "\(Message(quoted(text))) is not a number in JSON", at: range,
      label: "it has a decimal comma",
      help: ["write \(shortened(number))"],
      fixes: [Fix("write \(shortened(number))", edits: [Edit(range, number)])])
  }

  /// A text of another kind, recognized by its beginning.
  static func otherText(_ kind: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.unexpected.diagnostic(
      "this looks like \(Message(kind)), and a patch is JSON", at: range,
      label: "a patch begins with '{'",
      help: [
        "a member is written \"key\": value; 'patchrun new one-callback' prints a patch to begin with"
      ])
  }

  static func malformedNumber(at range: SourceRange) -> Diagnostic {
    SyntaxRules.encoding.diagnostic(
      "a number has bytes that are not UTF-8", at: range, label: "not UTF-8",
      help: ["numbers look like 12, -0.5 and 1.5e-3"])
  }

  static func irregularWord(_ text: String, at range: SourceRange) -> Diagnostic {
    let lower = text.lowercased()
    if ["nan", "inf", "infinity"].contains(lower) { return irregularNumber(text, at: range) }
    let meant: String? =
      switch lower {
      case "true", "yes", "on": "true"
      case "false", "no", "off": "false"
      case "null", "none", "nil", "undefined": "null"
      default: nearMisses(to: lower, among: ["true", "false", "null"]).first
      }
    if let meant {
      return SyntaxRules.literal.diagnostic(
        "\(Message(quoted(text))) is not a value in JSON", at: range,
        label: "did you mean \(Message(meant))?",
        help: ["write \(meant), or \"\(shortened(text))\" for a string"],
        fixes: ["true", "false", "null"].contains(lower)
          ? [Fix("write \(meant)", edits: [Edit(range, meant)])] : [])
    }
    let canFix = !text.contains { $0 == "\"" || $0 == "\\" }
    return SyntaxRules.literal.diagnostic(
      "\(Message(quoted(text))) stands without quotes", at: range,
      label: "strings stand in double quotes", help: ["write \"\(shortened(text))\""],
      fixes: canFix ? [Fix("put it in double quotes", edits: [Edit(range, "\"\(text)\"")])] : [])
  }
}
