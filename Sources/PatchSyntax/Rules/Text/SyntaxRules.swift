public import AudioTypes

/// What the JSON of a patch has to keep to: RFC 8259, and no key twice. Each rule is in a file of its own.
public enum SyntaxRules {
  /// All of them.
  public static let all: [Rule] = [
    empty,
    encoding,
    byteOrderMark,
    comment,
    trailingComma,
    missingComma,
    extraComma,
    colon,
    missingValue,
    key,
    quotes,
    unterminatedString,
    controlCharacter,
    escape,
    surrogate,
    number,
    literal,
    unclosed,
    mismatch,
    trailingContent,
    unexpected,
    depth,
    duplicateKey,
    size,
    blank,
    bytes,
    openingQuote,
    strayQuote,
    unopened,
    soundFile,
  ]
}
