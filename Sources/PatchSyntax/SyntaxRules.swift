public import Diagnostics

/// What the JSON of a patch has to keep to: RFC 8259, and no key twice.
public enum SyntaxRules {
  public static let empty = RuleInfo(
    "PR0001", "json/empty", "a document holds one value")
  public static let encoding = RuleInfo(
    "PR0002", "json/encoding", "a document is UTF-8")
  public static let byteOrderMark = RuleInfo(
    "PR0003", "json/byte-order-mark", "a document begins without a byte order mark",
    severity: .warning)
  public static let comment = RuleInfo(
    "PR0004", "json/comment", "comments stand in .jsonc documents only")
  public static let trailingComma = RuleInfo(
    "PR0005", "json/trailing-comma", "no comma stands before a closing bracket")
  public static let missingComma = RuleInfo(
    "PR0006", "json/missing-comma", "a comma stands between two values")
  public static let extraComma = RuleInfo(
    "PR0007", "json/extra-comma", "a value stands before each comma")
  public static let colon = RuleInfo(
    "PR0008", "json/colon", "one colon stands between a key and its value")
  public static let missingValue = RuleInfo(
    "PR0009", "json/missing-value", "each key has a value")
  public static let key = RuleInfo(
    "PR0010", "json/key", "keys are strings in double quotes")
  public static let quotes = RuleInfo(
    "PR0011", "json/quotes", "strings stand in straight double quotes")
  public static let unterminatedString = RuleInfo(
    "PR0012", "json/unterminated-string", "a string ends on the line it begins on")
  public static let controlCharacter = RuleInfo(
    "PR0013", "json/control-character", "control characters in strings are escaped")
  public static let escape = RuleInfo(
    "PR0014", "json/escape", "a backslash begins one of JSON's escapes")
  public static let surrogate = RuleInfo(
    "PR0015", "json/surrogate", "escaped surrogates come in pairs")
  public static let number = RuleInfo(
    "PR0016", "json/number", "numbers are decimal, as JSON writes them")
  public static let literal = RuleInfo(
    "PR0017", "json/literal", "words without quotes are true, false and null")
  public static let unclosed = RuleInfo(
    "PR0018", "json/unclosed", "each bracket is closed")
  public static let mismatch = RuleInfo(
    "PR0019", "json/mismatch", "a bracket is closed by its own kind")
  public static let trailingContent = RuleInfo(
    "PR0020", "json/trailing-content", "nothing follows a document's value")
  public static let unexpected = RuleInfo(
    "PR0021", "json/unexpected", "no character stands where JSON has no use for it")
  public static let depth = RuleInfo(
    "PR0022", "json/depth", "values are nested at most \(JSONReader.maximumDepth) deep")
  public static let duplicateKey = RuleInfo(
    "PR0023", "json/duplicate-key", "an object has each key once")
  public static let size = RuleInfo(
    "PR0024", "json/size", "a document is smaller than 2 GiB")
  public static let blank = RuleInfo(
    "PR0025", "json/blank", "blanks are spaces, tabs and line ends")
  public static let bytes = RuleInfo(
    "PR0026", "limit/bytes", "a document has no more bytes than the limit allows")
  public static let openingQuote = RuleInfo(
    "PR0031", "json/opening-quote", "a string begins with a double quote")
  public static let strayQuote = RuleInfo(
    "PR0032", "json/stray-quote", "a double quote begins or ends a string, or is escaped in one")
  public static let unopened = RuleInfo(
    "PR0033", "json/unopened", "each bracket that closes something has one that opens it")
  public static let soundFile = RuleInfo(
    "PR0034", "json/sound-file", "a patch is a text, and a sound file is played by one")

  /// All of them, by code.
  public static let all = [
    empty, encoding, byteOrderMark, comment, trailingComma, missingComma, extraComma, colon,
    missingValue, key, quotes, unterminatedString, controlCharacter, escape, surrogate, number,
    literal, unclosed, mismatch, trailingContent, unexpected, depth, duplicateKey, size, blank,
    bytes, openingQuote, strayQuote, unopened, soundFile,
  ]
}
