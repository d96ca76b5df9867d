import AudioTypes
import Diagnostics

// MARK: Wording

extension Diagnostic {
  static func emptyDocument(at range: SourceRange) -> Diagnostic {
    SyntaxRules.empty.diagnostic(
      "the document is empty", at: range, label: "a patch should stand here",
      help: ["the smallest patch is { \"nodes\": { \"io\": { \"component\": \"remoteIO\" } } }"])
  }

  static func tooLarge(at range: SourceRange) -> Diagnostic {
    SyntaxRules.size.diagnostic("the document is larger than 2 GiB", at: range)
  }

  static func foreign(_ encoding: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.encoding.diagnostic(
      "the document is \(Message(encoding)) and should be UTF-8", at: range,
      help: ["save the file as UTF-8"])
  }

  static func byteOrderMark(at range: SourceRange) -> Diagnostic {
    SyntaxRules.byteOrderMark.diagnostic(
      "the document begins with a byte order mark", at: range, label: "U+FEFF",
      help: ["save the file as UTF-8 without a byte order mark: JSON forbids it"],
      fixes: [Fix("remove the byte order mark", edits: [Edit(range, "")])])
  }

  static func trailingContent(at range: SourceRange, after value: SourceRange)
    -> Diagnostic
  {
    SyntaxRules.trailingContent.diagnostic(
      "something follows the end of the document", at: range, label: "nothing may stand here",
      notes: [
        Note(
          "the document ends here",
          at: max(value.lowerBound, value.upperBound - 1)..<value.upperBound)
      ],
      help: ["remove what follows, or a closing bracket that stands too early"])
  }

  static func closesNothing(at range: SourceRange, _ byte: UInt8) -> Diagnostic {
    SyntaxRules.mismatch.diagnostic(
      "this '\(Message(String(Unicode.Scalar(byte))))' closes nothing", at: range,
      label: "no bracket is open here", help: ["remove it, or look for a bracket missing above"])
  }

  static func mismatched(
    at range: SourceRange, opening: SourceRange, isObject: Bool
  ) -> Diagnostic {
    let (left, right, found) = isObject ? ("{", "}", "]") : ("[", "]", "}")
    return SyntaxRules.mismatch.diagnostic(
      "'\(Message(left))' is closed by '\(Message(found))'", at: range,
      label: "this should be '\(Message(right))'", notes: [Note("opened here", at: opening)],
      help: ["write '\(right)'"])
  }

  static func unclosed(
    at range: SourceRange, found: String, opening: [SourceRange], isObject: Bool,
    suspect: (opening: Int, closing: Int)? = nil
  ) -> Diagnostic {
    let (left, right) = isObject ? ("{", "}") : ("[", "]")
    if let suspect {
      return SyntaxRules.unclosed.diagnostic(
        "a bracket is not closed", at: range,
        label: "expected '\(Message(right))', found \(Message(found))",
        notes: [
          Note(
            "this one, by the indentation", at: suspect.opening..<(suspect.opening + 1)),
          Note("here it is closed, further left", at: suspect.closing..<(suspect.closing + 1)),
        ],
        help: ["close the bracket that the indentation points to, or add '\(right)' at the end"])
    }
    return SyntaxRules.unclosed.diagnostic(
      "'\(Message(left))' is not closed", at: range,
      label: "expected '\(Message(right))', found \(Message(found))",
      notes: opening.enumerated().map { index, range in
        Note(index == 0 ? "opened here" : "this is open too", at: range)
      },
      help: ["add '\(right)' where it ends"])
  }

  static func tooDeep(at range: SourceRange) -> Diagnostic {
    SyntaxRules.depth.diagnostic(
      "values are nested more than \(Message(String(JSONReader.maximumDepth))) deep", at: range,
      label: "one bracket too many", help: ["a patch needs about 10 levels"])
  }

  static func trailingComma(at range: SourceRange) -> Diagnostic {
    SyntaxRules.trailingComma.diagnostic(
      "a comma stands before a closing bracket", at: range, label: "nothing follows it",
      help: ["remove the comma, or rename the file to .jsonc, which may have it"],
      fixes: [Fix("remove the comma", edits: [Edit(range, "")])])
  }

  static func commaWithoutValue(at range: SourceRange) -> Diagnostic {
    SyntaxRules.extraComma.diagnostic(
      "a comma stands without a value before it", at: range, label: "one comma too many",
      help: ["remove it"])
  }

  static func missingComma(at range: SourceRange) -> Diagnostic {
    SyntaxRules.missingComma.diagnostic(
      "a comma is missing between two values", at: range, label: "add ',' here",
      help: ["values are separated by ','"],
      fixes: [Fix("add a comma", edits: [Edit(range, ",")])])
  }

  static func earlyQuote(at range: SourceRange) -> Diagnostic {
    SyntaxRules.missingComma.diagnostic(
      "text follows the end of a string", at: range, label: "the string ends here",
      help: ["write \\\" for a quote inside a string, or add the quote or comma that is missing"])
  }

  static func semicolon(at range: SourceRange) -> Diagnostic {
    SyntaxRules.missingComma.diagnostic(
      "values are separated by ',', not by ';'", at: range, label: "write ','",
      help: ["replace ';' with ','"], fixes: [Fix("write a comma", edits: [Edit(range, ",")])])
  }

  static func missingColon(at range: SourceRange) -> Diagnostic {
    SyntaxRules.colon.diagnostic(
      "a colon is missing between a key and its value", at: range, label: "add ':' here",
      help: ["a member is written \"key\": value"],
      fixes: [Fix("add a colon", edits: [Edit(range, ":")])])
  }

  static func wrongColon(at range: SourceRange) -> Diagnostic {
    SyntaxRules.colon.diagnostic(
      "a key and its value are separated by ':', not by '='", at: range, label: "write ':'",
      help: ["replace '=' with ':'"], fixes: [Fix("write a colon", edits: [Edit(range, ":")])])
  }

  static func secondColon(at range: SourceRange) -> Diagnostic {
    SyntaxRules.colon.diagnostic(
      "a second colon stands between a key and its value", at: range, label: "one colon too many",
      help: ["remove it"], fixes: [Fix("remove the colon", edits: [Edit(range, "")])])
  }

  static func keyInArray(at range: SourceRange, open: SourceRange) -> Diagnostic {
    SyntaxRules.unexpected.diagnostic(
      "an array has no keys", at: range, label: "unexpected ':'",
      notes: [Note("the array begins here", at: open.lowerBound..<(open.lowerBound + 1))],
      help: ["write '{' and '}' for an object with keys, ',' between the values of an array"])
  }

  static func missingKey(at range: SourceRange) -> Diagnostic {
    SyntaxRules.key.diagnostic(
      "a colon stands without a key before it", at: range, label: "a key is missing here",
      help: ["a member is written \"key\": value"])
  }

  static func keyExpected(at range: SourceRange) -> Diagnostic {
    SyntaxRules.key.diagnostic(
      "a key is a string", at: range, label: "a key should stand here",
      help: ["a member is written \"key\": value"])
  }

  static func missingValue(at range: SourceRange, key: SourceRange?) -> Diagnostic {
    SyntaxRules.missingValue.diagnostic(
      "a key has no value", at: range, label: "a value should stand here",
      notes: key.map { [Note("of this key", at: $0)] } ?? [],
      help: ["a member is written \"key\": value"])
  }

  static func unexpected(_ what: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.unexpected.diagnostic(
      "\(Message(what)) has no place here", at: range, label: "unexpected",
      help: ["expected is ',' or a closing bracket behind a value, and a value before them"])
  }

  static func comments(first: SourceRange, all: [SourceRange]) -> Diagnostic {
    SyntaxRules.comment.diagnostic(
      all.count == 1
        ? "a comment stands in a .json document"
        : "comments stand in a .json document (\(Message(String(all.count))) of them)",
      at: first, label: all.count == 1 ? nil : "the first",
      help: [
        "rename the file to .jsonc, which may have comments, or write \"comment\": \"...\" in the object"
      ],
      fixes: [
        Fix(
          all.count == 1 ? "remove the comment" : "remove the comments",
          edits: all.map { Edit($0, "") }, isSafe: false)
      ])
  }

  static func hashComment(
    at range: SourceRange, _ dialect: JSONReader.Dialect
  ) -> Diagnostic {
    SyntaxRules.comment.diagnostic(
      "'#' begins no comment", at: range,
      help: [
        dialect == .jsonc
          ? "comments begin with // or stand between /* and */"
          : "write \"comment\": \"...\" in the object, or // in a .jsonc file"
      ],
      fixes: [Fix("remove the comment", edits: [Edit(range, "")], isSafe: false)])
  }

  static func unclosedComment(at range: SourceRange) -> Diagnostic {
    SyntaxRules.comment.diagnostic(
      "a comment is not closed", at: range, label: "opened here", help: ["add '*/' where it ends"])
  }

  static func foreignBlank(_ scalar: Unicode.Scalar, at range: SourceRange)
    -> Diagnostic
  {
    SyntaxRules.blank.diagnostic(
      "U+\(Message(hexadecimal(scalar.value, digits: 4))) is not a blank in JSON", at: range,
      label: "it looks like one", help: ["replace it with a space"],
      fixes: [Fix("replace it with a space", edits: [Edit(range, " ")])])
  }
}
