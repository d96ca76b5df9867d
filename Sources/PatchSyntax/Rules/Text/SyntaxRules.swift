public import AudioTypes

/// The rules about the JSON of a patch: RFC 8259, without repeated keys. Each rule is in a file of
/// its own.
public enum SyntaxRules {
  /// All rules in this group.
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
