import AudioTypes
public import Diagnostics

/// Reads JSON (RFC 8259) strictly, and keeps the place of every value.
///
/// It continues after a mistake, so that one run reports all mistakes. Its time is linear in the
/// length of the document, and its stack does not grow with the nesting.
public struct JSONReader {
  /// The texts that are accepted.
  public enum Dialect: Hashable, Sendable {
    /// RFC 8259 and nothing else.
    case json
    /// JSON with `//` and `/* */` comments and trailing commas.
    case jsonc

    /// `.jsonc` files may have comments, all others are strict.
    public init(fileName: String) {
      self = fileName.lowercased().hasSuffix(".jsonc") ? .jsonc : .json
    }
  }

  /// The result of reading.
  public struct Result: Sendable {
    /// The values, as far as the text could be understood; `nil` when there is none.
    public var tree: JSONTree?
    /// Whether each value is where it was meant to be, in spite of the errors. If not, checks of
    /// the values would only report consequences of errors that have been reported.
    public var isStructureIntact: Bool
    /// The diagnostics, in the order of the text.
    public var diagnostics: [Diagnostic]
    /// Where the comments stand, in the order of the text.
    public var comments: [SourceRange]

    /// Whether the text has errors.
    public var hasErrors: Bool { diagnostics.hasErrors }
  }

  /// The greatest depth of nested values.
  public static let maximumDepth = 512

  /// Reading stops after this many diagnostics: the text is probably not a patch.
  static let maximumDiagnostics = 50

  /// The bytes of a line, from its beginning to a bracket, up to which its indentation counts.
  static let longestIndentedLine = 200

  let source: SourceText
  let bytes: [UInt8]
  let dialect: Dialect
  var offset = 0
  var nodes: [JSONTree.Node] = []
  var diagnostics: [Diagnostic] = []
  var isStructureIntact = true
  /// Whether nothing useful can be reported about the rest of the text.
  var hasGivenUp = false
  var open: [Container] = []
  var comments: [SourceRange] = []
  /// The end of the last token, where something missing would have stood.
  var lastTokenEnd = 0
  /// Set when the rest of a line was skipped, perhaps with the comma at its end.
  var isRecovering = false
  /// The first pair of brackets whose closing bracket begins a line, and is indented less than the
  /// line of the opening one. If a bracket is missing at the end, it is probably this pair's.
  var suspect: (opening: Int, closing: Int)?

  enum State {
    case firstElement, element, firstKey, key, colon, value, afterValue
  }

  private init(_ source: SourceText, _ dialect: Dialect) {
    self.source = source
    self.dialect = dialect
    bytes = source.bytes
  }

  /// Reads a text. A text that is no JSON has at least one error.
  public static func read(_ source: SourceText, dialect: Dialect) -> Result {
    let reading = readAsWritten(source, dialect: dialect)
    let explanation = SyntaxRepair.diagnostics(of: source, dialect, reading)
    return Result(
      tree: reading.nodes.isEmpty ? nil : JSONTree(source: source, nodes: reading.nodes),
      isStructureIntact: reading.isStructureIntact && explanation == nil,
      diagnostics: (explanation ?? reading.diagnostics).inDocumentOrder(),
      comments: reading.comments)
  }

  /// Reads a text to be compared or changed: JSON in the dialect of its name, without repeated keys.
  ///
  /// - Returns: The values; `nil`, with diagnostics, where the text is anything else.
  public static func readStrictly(
    _ source: SourceText
  ) -> (tree: JSONTree?, diagnostics: [Diagnostic]) {
    let reading = read(source, dialect: Dialect(fileName: source.name))
    guard !reading.hasErrors, let tree = reading.tree else { return (nil, reading.diagnostics) }
    var duplicates = Findings()
    _ = tree.reportDuplicateKeys(to: &duplicates)
    return (duplicates.count == 0 ? tree : nil, duplicates.all)
  }

  /// The result of reading a text as it is, before `SyntaxRepair` looks for slips that explain
  /// several errors.
  struct Reading {
    var nodes: [JSONTree.Node]
    var isStructureIntact: Bool
    var diagnostics: [Diagnostic]
    var comments: [SourceRange]
    /// Where reading ended.
    var end: Int
    /// Whether reading ended at the end of the text.
    var isWhole: Bool

    var errorCount: Int { diagnostics.count { $0.severity == .error } }
    /// The number of errors, and one more where the text was not read to its end.
    var cost: Int { errorCount + (isWhole ? 0 : 1) }
  }

  static func readAsWritten(_ source: SourceText, dialect: Dialect) -> Reading {
    var reader = JSONReader(source, dialect)
    reader.readDocument()
    reader.reportComments()
    return Reading(
      nodes: reader.nodes, isStructureIntact: reader.isStructureIntact && !reader.hasGivenUp,
      diagnostics: reader.diagnostics, comments: reader.comments, end: reader.offset,
      isWhole: !reader.hasGivenUp && reader.offset >= reader.bytes.count)
  }
}

extension JSONTree.Node {
  var range: SourceRange { Int(start)..<Int(end) }
}

extension JSONValue {
  /// The range from an offset to the end of its line, without the blanks at the end.
  static func rangeOfLine(in bytes: [UInt8], from start: Int) -> SourceRange {
    var end = start
    while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    while end > start + 1, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
    return start..<end
  }
}

/// A number in upper case hexadecimal, with leading zeros up to a number of digits.
func hexadecimal(_ value: UInt32, digits: Int) -> String {
  let text = String(value, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
}
