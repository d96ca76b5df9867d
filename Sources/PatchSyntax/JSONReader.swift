public import Diagnostics

/// Reads JSON (RFC 8259), strictly, and keeps every value's place.
///
/// It goes on behind a mistake, so that one run reports all of them. It needs linear time, and a
/// stack that does not grow with the document.
public struct JSONReader {
  /// Which texts are accepted.
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

  /// What came of reading.
  public struct Result: Sendable {
    /// The values, as far as the text could be understood; `nil` when there is none.
    public var tree: JSONTree?
    /// Whether each value stands where it was meant to, in spite of what was reported: if not, a
    /// check of the values would report consequences of the mistakes already found.
    public var isStructureIntact: Bool
    /// In the order of the text.
    public var diagnostics: [Diagnostic]
    /// Where the comments stand, in the order of the text.
    public var comments: [SourceRange]

    /// Whether the text was refused.
    public var hasErrors: Bool { diagnostics.hasErrors }
  }

  /// How deep values may be nested.
  public static let maximumDepth = 512

  /// After that many mistakes the text is something else than a patch.
  static let maximumDiagnostics = 50

  let source: SourceText
  let bytes: [UInt8]
  let dialect: Dialect
  var offset = 0
  var nodes: [JSONTree.Node] = []
  var diagnostics: [Diagnostic] = []
  var isStructureIntact = true
  /// Set where nothing sensible can be said about what follows.
  var hasGivenUp = false
  private var open: [Container] = []
  private var comments: [SourceRange] = []
  /// The end of the last token, where something missing would have stood.
  private var lastTokenEnd = 0
  /// Set when the rest of a line was skipped, perhaps with the comma at its end.
  private var isRecovering = false
  /// The first bracket whose closing one begins a line and stands further left than the line it was
  /// opened on: when one is missing in the end, it is likely this one's.
  private var suspect: (opening: Int, closing: Int)?

  private struct Container {
    var index: Int
    var isObject: Bool
  }

  private enum State {
    case firstElement, element, firstKey, key, colon, value, afterValue
  }

  private init(_ source: SourceText, _ dialect: Dialect) {
    self.source = source
    self.dialect = dialect
    bytes = source.bytes
  }

  /// Reads a text. It never fails: a text that is no JSON has diagnostics, at least one of them an
  /// error.
  public static func read(_ source: SourceText, dialect: Dialect) -> Result {
    let reading = readAsWritten(source, dialect: dialect)
    let explanation = SyntaxRepair.diagnostics(of: source, dialect, reading)
    return Result(
      tree: reading.nodes.isEmpty ? nil : JSONTree(source: source, nodes: reading.nodes),
      isStructureIntact: reading.isStructureIntact && explanation == nil,
      diagnostics: (explanation ?? reading.diagnostics).inDocumentOrder(),
      comments: reading.comments)
  }

  /// What one pass over a text finds, before slips are looked for that explain several errors at once.
  struct Reading {
    var nodes: [JSONTree.Node]
    var isStructureIntact: Bool
    var diagnostics: [Diagnostic]
    var comments: [SourceRange]
    /// Where reading ended.
    var end: Int
    /// Whether that is the end of the text.
    var isWhole: Bool

    var errorCount: Int { diagnostics.count { $0.severity == .error } }
    /// The errors, what was not read counting as one more.
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

// MARK: Structure

extension JSONReader {
  private mutating func readDocument() {
    guard bytes.count < Int(UInt32.max) / 2 else { return giveUp(.tooLarge(at: 0..<0)) }
    if let kind = SoundSignature.name(of: bytes) {
      return giveUp(.soundFile(kind, named: source.name))
    }
    if let encoding = foreignEncoding { return giveUp(.foreign(encoding, at: 0..<2)) }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      report(.byteOrderMark(at: 0..<3))
      offset = 3
    }
    skipBlanks()
    guard offset < bytes.count else { return giveUp(.emptyDocument(at: offset..<offset)) }
    // What is not used of it is not touched.
    nodes.reserveCapacity(bytes.count / 6 + 1)

    var state = State.value
    while !hasGivenUp {
      skipBlanks()
      if hasGivenUp { break }
      guard offset < bytes.count else {
        if state == .afterValue, open.isEmpty { return }
        return reportEnd(state)
      }
      switch state {
      case .firstElement, .element, .value: state = readElement(state)
      case .firstKey, .key: state = readKey(state)
      case .colon: state = readColon()
      case .afterValue:
        guard !open.isEmpty else { return reportTrailingContent() }
        state = readSeparator()
      }
      lastTokenEnd = offset
    }
  }

  private mutating func readElement(_ state: State) -> State {
    let start = offset
    let byte = bytes[start]
    switch byte {
    case UInt8(ascii: "\""):
      readString(isKey: false)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return openContainer(isObject: byte == UInt8(ascii: "{"))
    case UInt8(ascii: "]") where state == .firstElement:
      return closeContainer()
    case UInt8(ascii: "]") where state == .element:
      reportTrailingComma()
      return closeContainer()
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      if state == .value {
        if open.isEmpty {
          giveUp(.closesNothing(at: start..<(start + 1), byte))
        } else {
          reportMissingValue()
        }
      }
      return .afterValue
    case UInt8(ascii: ","):
      if state == .value {
        guard !open.isEmpty else {
          giveUp(.unexpected("','", at: start..<(start + 1)))
          return .afterValue
        }
        reportMissingValue()
        return .afterValue
      }
      reportExtraCommas()
      // The commas that are too many stand for none.
      return offset < bytes.count && bytes[offset] == UInt8(ascii: "]") ? .firstElement : state
    case UInt8(ascii: ":"):
      offset += 1
      if state == .value, !open.isEmpty {
        report(.secondColon(at: start..<offset))
        return .value
      }
      isStructureIntact = false
      report(.unexpected("':'", at: start..<offset))
      return state
    default: readScalar()
    }
    return .afterValue
  }

  private mutating func readKey(_ state: State) -> State {
    let start = offset
    let byte = bytes[start]
    switch byte {
    case UInt8(ascii: "\""):
      readString(isKey: true)
    case UInt8(ascii: "}"):
      if state == .key { reportTrailingComma() }
      return closeContainer()
    case UInt8(ascii: ","):
      reportExtraCommas()
      return offset < bytes.count && bytes[offset] == UInt8(ascii: "}") ? .firstKey : state
    case UInt8(ascii: ":"):
      isStructureIntact = false
      report(.missingKey(at: start..<(start + 1)))
      addKey(start..<start)
    case UInt8(ascii: "]"):
      return .afterValue
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      giveUp(.keyExpected(at: start..<(start + 1)))
      return .afterValue
    default:
      readIrregularKey()
      if hasGivenUp { return .afterValue }
    }
    return .colon
  }

  private mutating func readColon() -> State {
    switch bytes[offset] {
    case UInt8(ascii: ":"):
      offset += 1
      return .value
    case UInt8(ascii: "="):
      let start = offset
      offset += 1
      if offset < bytes.count, bytes[offset] == UInt8(ascii: ">") { offset += 1 }
      report(.wrongColon(at: start..<offset))
      return .value
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
      reportMissingValue()
      return .afterValue
    default:
      if !isAfterUnterminatedString { report(.missingColon(at: lastTokenEnd..<lastTokenEnd)) }
      return .value
    }
  }

  private mutating func readSeparator() -> State {
    let isObject = open[open.count - 1].isObject
    let start = offset
    switch bytes[start] {
    case UInt8(ascii: ","):
      offset += 1
      isRecovering = false
      return isObject ? .key : .element
    case UInt8(ascii: "}"):
      return isObject ? closeContainer() : closeMismatched()
    case UInt8(ascii: "]"):
      return isObject ? closeMismatched() : closeContainer()
    case UInt8(ascii: ";"):
      offset += 1
      report(.semicolon(at: start..<offset))
      return isObject ? .key : .element
    case UInt8(ascii: ":"):
      offset += 1
      isStructureIntact = false
      report(
        isObject
          ? .unexpected("':'", at: start..<offset)
          : .keyInArray(at: start..<offset, open: nodes[open[open.count - 1].index].range))
      return isObject ? .value : .element
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "{"), UInt8(ascii: "["),
      UInt8(ascii: "-"), 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"):
      let next = isObject ? State.key : .element
      if isRecovering {
        isRecovering = false
        return next
      }
      let isWord = isWordByte(bytes[start])
      // What follows a value that was refused belongs to the same mistake.
      if nodes.last?.kind == .invalid {
        isStructureIntact = false
        guard isWord else { return next }
        skipGarbage()
        return .afterValue
      }
      if isWord, lastTokenEnd == start, bytes[start - 1] == UInt8(ascii: "\"") {
        isStructureIntact = false
        report(.earlyQuote(at: (start - 1)..<start))
        while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
        isRecovering = true
        return .afterValue
      }
      report(.missingComma(at: lastTokenEnd..<lastTokenEnd))
      return next
    default:
      isStructureIntact = false
      let isEcho = nodes.last?.kind == .invalid
      let range = skipGarbage()
      if !isEcho { report(.unexpected(name(ofScalarAt: start), at: range)) }
      return .afterValue
    }
  }

  private mutating func openContainer(isObject: Bool) -> State {
    let start = offset
    guard open.count < Self.maximumDepth else {
      giveUp(.tooDeep(at: start..<(start + 1)))
      return .afterValue
    }
    offset += 1
    open.append(Container(index: nodes.count, isObject: isObject))
    // Until it is closed it ends behind its bracket.
    add(isObject ? .object : .array, start..<offset)
    return isObject ? .firstKey : .firstElement
  }

  private mutating func closeContainer() -> State {
    offset += 1
    isRecovering = false
    let index = open.removeLast().index
    nodes[index].end = UInt32(offset)
    nodes[index].next = UInt32(nodes.count)
    if suspect == nil { suspectIndentation(opening: Int(nodes[index].start), closing: offset - 1) }
    return .afterValue
  }

  private mutating func suspectIndentation(opening: Int, closing: Int) {
    // Long lines tell nothing by their indentation, and would take long to walk.
    let limit = 200
    func isBreak(_ offset: Int) -> Bool { bytes[offset] == 0x0A || bytes[offset] == 0x0D }
    func lineStart(_ offset: Int) -> Int? {
      var start = offset
      while start > 0, !isBreak(start - 1) {
        start -= 1
        if offset - start > limit { return nil }
      }
      return start
    }
    func isBlank(_ offset: Int) -> Bool { bytes[offset] == 0x20 || bytes[offset] == 0x09 }
    // Most brackets stand behind something on their line.
    var closingLine = closing
    while closingLine > 0, isBlank(closingLine - 1) { closingLine -= 1 }
    guard closing - closingLine <= limit, closingLine == 0 || isBreak(closingLine - 1),
      let openingLine = lineStart(opening), openingLine < closingLine
    else { return }
    var content = openingLine
    while content < bytes.count, isBlank(content) { content += 1 }
    guard closing - closingLine < content - openingLine else { return }
    suspect = (opening, closing)
  }

  /// A bracket of the wrong kind. When it closes one further out, those inside were forgotten;
  /// otherwise it was meant for the innermost.
  private mutating func closeMismatched() -> State {
    isStructureIntact = false
    let isObject = bytes[offset] == UInt8(ascii: "}")
    let here = offset..<(offset + 1)
    let innermost = open[open.count - 1]
    let range = nodes[innermost.index].range
    let opening = range.lowerBound..<(range.lowerBound + 1)
    let outer = open.lastIndex { $0.isObject == isObject }
    guard let outer, !isMeantForInnermost() else {
      report(.mismatched(at: here, opening: opening, isObject: innermost.isObject))
      return closeContainer()
    }
    report(
      .unclosed(
        at: here, found: isObject ? "'}'" : "']'", opening: [opening],
        isObject: innermost.isObject))
    while open.count > outer + 1 {
      let index = open.removeLast().index
      nodes[index].end = UInt32(lastTokenEnd)
      nodes[index].next = UInt32(nodes.count)
    }
    return closeContainer()
  }

  /// Whether the brackets that follow fit better when the one here is of the wrong kind than when it
  /// closes one further out.
  private func isMeantForInnermost() -> Bool {
    let kinds = open.map(\.isObject)
    let isObject = bytes[offset] == UInt8(ascii: "}")
    guard let outer = kinds.lastIndex(of: isObject) else { return true }
    return misfits(after: Array(kinds.dropLast())) < misfits(after: Array(kinds[..<outer]))
  }

  /// How many of the brackets from here on do not fit those that are open: whether each is of an
  /// object.
  private func misfits(after open: [Bool]) -> Int {
    var open = open
    var misfits = 0
    var position = offset + 1
    // Far enough to tell, and no further: there may be many of these mistakes.
    let end = min(bytes.count, position + 16_384)
    while position < end {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(byte == UInt8(ascii: "{"))
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        let isObject = byte == UInt8(ascii: "}")
        if open.last == isObject {
          open.removeLast()
        } else {
          misfits += 1
          if let outer = open.lastIndex(of: isObject) { open.removeSubrange(outer...) }
        }
      case UInt8(ascii: "\""):
        // To its end, or that of the line.
        while position < end, bytes[position] != UInt8(ascii: "\""), bytes[position] >= 0x20 {
          position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
      default: break
      }
    }
    return misfits + (end == bytes.count && !open.isEmpty ? 1 : 0)
  }

  private mutating func reportEnd(_ state: State) {
    isStructureIntact = false
    if state == .colon { add(.invalid, offset..<offset) }
    if state == .value { add(.invalid, offset..<offset) }
    let end = lastTokenEnd..<lastTokenEnd
    if let innermost = open.last {
      let openings = open.reversed().prefix(3).map { container in
        let start = nodes[container.index].range.lowerBound
        return start..<(start + 1)
      }
      // A string that swallowed the end has been reported, and the bracket with it.
      if diagnostics.last?.code != SyntaxRules.unterminatedString.code {
        report(
          .unclosed(
            at: end, found: "the end", opening: openings, isObject: innermost.isObject,
            suspect: suspect))
      }
    }
    while let container = open.popLast() {
      nodes[container.index].end = UInt32(lastTokenEnd)
      nodes[container.index].next = UInt32(nodes.count)
    }
  }

  private mutating func reportTrailingContent() {
    isStructureIntact = false
    let start = offset
    let byte = bytes[start]
    if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
      return report(.closesNothing(at: start..<(start + 1), byte))
    }
    // One mistake, whatever it looks like: the range is its first line.
    let first = JSONValue.rangeOfLine(in: bytes, from: start)
    if nodes.first?.kind != .invalid {
      report(.trailingContent(at: first, after: nodes[0].range))
    }
  }

  private mutating func reportTrailingComma() {
    // A wrong separator has been reported as such.
    guard dialect == .json, bytes[lastTokenEnd - 1] == UInt8(ascii: ",") else { return }
    let comma = (lastTokenEnd - 1)..<lastTokenEnd
    report(.trailingComma(at: comma))
  }

  /// Commas with nothing before them, reported once however many there are.
  private mutating func reportExtraCommas() {
    let start = offset
    var end = offset
    while !hasGivenUp, offset < bytes.count, bytes[offset] == UInt8(ascii: ",") {
      offset += 1
      end = offset
      skipBlanks()
    }
    report(.extraComma(at: start..<end))
  }

  private mutating func reportMissingValue() {
    if !isAfterUnterminatedString {
      report(.missingValue(at: lastTokenEnd..<lastTokenEnd, key: nodes.last?.range))
    }
    add(.invalid, lastTokenEnd..<lastTokenEnd)
  }

  /// Whether the last token is a string that was reported as not closed: it may have swallowed what
  /// is missing now.
  private var isAfterUnterminatedString: Bool {
    guard let last = diagnostics.last else { return false }
    return last.code == SyntaxRules.unterminatedString.code && last.range.upperBound == lastTokenEnd
  }

  // MARK: Table and diagnostics

  mutating func add(_ kind: JSONTree.Node.Kind, _ range: SourceRange) {
    nodes.append(
      JSONTree.Node(
        start: UInt32(range.lowerBound), end: UInt32(range.upperBound),
        next: UInt32(nodes.count + 1), kind: kind))
  }

  mutating func addKey(_ range: SourceRange) {
    add(.string, range)
    nodes[nodes.count - 1].isKey = true
  }

  mutating func report(_ diagnostic: Diagnostic) {
    diagnostics.append(diagnostic)
    guard diagnostics.count == Self.maximumDiagnostics else { return }
    hasGivenUp = true
    diagnostics[diagnostics.count - 1].help.append(
      "reading stopped here: there may be more mistakes")
  }

  mutating func giveUp(_ diagnostic: Diagnostic) {
    report(diagnostic)
    hasGivenUp = true
  }
}

extension JSONTree.Node {
  fileprivate var range: SourceRange { Int(start)..<Int(end) }
}

extension JSONValue {
  /// From an offset to the end of its line, blanks at the end left out.
  fileprivate static func rangeOfLine(in bytes: [UInt8], from start: Int) -> SourceRange {
    var end = start
    while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    while end > start + 1, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
    return start..<end
  }
}

// MARK: Blanks and comments

extension JSONReader {
  private mutating func skipBlanks() {
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
        offset += 1
      } else if byte > 0x2F && byte < 0x80 {
        return
      } else if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") {
        guard skipComment() else { return }
      } else if byte >= 0x80 || byte == 0x0B || byte == 0x0C {
        guard skipForeignBlank() else { return }
      } else {
        return
      }
    }
  }

  private mutating func skipComment() -> Bool {
    let start = offset
    let isHash = bytes[start] == UInt8(ascii: "#")
    let second = start + 1 < bytes.count ? bytes[start + 1] : 0
    if isHash || second == UInt8(ascii: "/") {
      while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
      if isHash {
        report(.hashComment(at: start..<offset, dialect))
      } else {
        comments.append(start..<offset)
      }
      return true
    }
    guard second == UInt8(ascii: "*") else { return false }
    offset += 2
    while offset + 1 < bytes.count {
      if bytes[offset] == UInt8(ascii: "*"), bytes[offset + 1] == UInt8(ascii: "/") {
        offset += 2
        comments.append(start..<offset)
        return true
      }
      offset += 1
    }
    offset = bytes.count
    giveUp(.unclosedComment(at: start..<(start + 2)))
    return true
  }

  /// Comments in strict JSON are one mistake: the kind of file.
  private mutating func reportComments() {
    guard dialect == .json, let first = comments.first else { return }
    diagnostics.append(.comments(first: first, all: comments))
  }

  /// Skips a character that looks like a blank and is none.
  private mutating func skipForeignBlank() -> Bool {
    let start = offset
    guard let (scalar, length) = scalar(at: start) else { return false }
    switch scalar.value {
    case 0x0B, 0x0C, 0x85, 0xA0, 0x1680, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x2060,
      0x3000, 0xFEFF:
      break
    default: return false
    }
    offset += length
    report(.foreignBlank(scalar, at: start..<offset))
    return !hasGivenUp
  }
}

// MARK: Encoding

extension JSONReader {
  /// The scalar that begins at an offset, or `nil` where no well-formed one does (Unicode, table
  /// 3-7).
  func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    let length = wellFormedLength(at: offset)
    guard length > 1 else {
      return length == 1 ? (Unicode.Scalar(bytes[offset]), 1) : nil
    }
    var value = UInt32(bytes[offset]) & (0x7F >> UInt32(length))
    for index in (offset + 1)..<(offset + length) {
      value = value << 6 | UInt32(bytes[index] & 0x3F)
    }
    return Unicode.Scalar(value).map { ($0, length) }
  }

  /// How many bytes the scalar at an offset takes: 0 where there is no well-formed one.
  func wellFormedLength(at offset: Int) -> Int {
    func byte(_ distance: Int) -> UInt8 {
      offset + distance < bytes.count ? bytes[offset + distance] : 0
    }
    func continues(_ distance: Int) -> Bool { byte(distance) & 0xC0 == 0x80 }
    let second = byte(1)
    switch bytes[offset] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: return continues(1) ? 2 : 0
    case 0xE0: return 0xA0...0xBF ~= second && continues(2) ? 3 : 0
    case 0xED: return 0x80...0x9F ~= second && continues(2) ? 3 : 0
    case 0xE1...0xEF: return continues(1) && continues(2) ? 3 : 0
    case 0xF0: return 0x90...0xBF ~= second && continues(2) && continues(3) ? 4 : 0
    case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : 0
    case 0xF4: return 0x80...0x8F ~= second && continues(2) && continues(3) ? 4 : 0
    default: return 0
    }
  }

  private var foreignEncoding: String? {
    guard bytes.count >= 2 else { return nil }
    let isUTF16 =
      bytes.count.isMultiple(of: 2) && (bytes.count == 2 || bytes[2] == 0 || bytes[3] == 0)
    guard isUTF16 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0xFF, 0xFE), (1..., 0): return "UTF-16LE"
    case (0xFE, 0xFF), (0, 1...): return "UTF-16BE"
    default: return nil
    }
  }

  /// How messages call what stands at an offset.
  func name(ofScalarAt offset: Int) -> String {
    guard let (scalar, _) = scalar(at: offset) else {
      return "the byte 0x\(hexadecimal(UInt32(bytes[offset]), digits: 2)), which is not UTF-8,"
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .privateUse, .unassigned, .nonspacingMark, .enclosingMark,
      .lineSeparator, .paragraphSeparator, .spaceSeparator:
      return "the character U+\(hexadecimal(scalar.value, digits: 4))"
    default: return scalar == "'" ? "\"'\"" : "'\(scalar)'"
    }
  }
}

/// A number in upper case hexadecimal digits, at least so many.
func hexadecimal(_ value: UInt32, digits: Int) -> String {
  let text = String(value, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
}

// MARK: Wording

extension Diagnostic {
  fileprivate static func emptyDocument(at range: SourceRange) -> Diagnostic {
    SyntaxRules.empty.diagnostic(
      "the document is empty", at: range, label: "a patch should stand here",
      help: ["the smallest patch is { \"nodes\": { \"io\": { \"component\": \"remoteIO\" } } }"])
  }

  fileprivate static func tooLarge(at range: SourceRange) -> Diagnostic {
    SyntaxRules.size.diagnostic("the document is larger than 2 GiB", at: range)
  }

  fileprivate static func foreign(_ encoding: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.encoding.diagnostic(
      "the document is \(Message(encoding)) and should be UTF-8", at: range,
      help: ["save the file as UTF-8"])
  }

  fileprivate static func byteOrderMark(at range: SourceRange) -> Diagnostic {
    SyntaxRules.byteOrderMark.diagnostic(
      "the document begins with a byte order mark", at: range, label: "U+FEFF",
      help: ["save the file as UTF-8 without a byte order mark: JSON forbids it"],
      fixes: [Fix("remove the byte order mark", edits: [Edit(range, "")])])
  }

  fileprivate static func trailingContent(at range: SourceRange, after value: SourceRange)
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

  fileprivate static func closesNothing(at range: SourceRange, _ byte: UInt8) -> Diagnostic {
    SyntaxRules.mismatch.diagnostic(
      "this '\(Message(String(Unicode.Scalar(byte))))' closes nothing", at: range,
      label: "no bracket is open here", help: ["remove it, or look for a bracket missing above"])
  }

  fileprivate static func mismatched(
    at range: SourceRange, opening: SourceRange, isObject: Bool
  ) -> Diagnostic {
    let (left, right, found) = isObject ? ("{", "}", "]") : ("[", "]", "}")
    return SyntaxRules.mismatch.diagnostic(
      "'\(Message(left))' is closed by '\(Message(found))'", at: range,
      label: "this should be '\(Message(right))'", notes: [Note("opened here", at: opening)],
      help: ["write '\(right)'"])
  }

  fileprivate static func unclosed(
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

  fileprivate static func tooDeep(at range: SourceRange) -> Diagnostic {
    SyntaxRules.depth.diagnostic(
      "values are nested more than \(Message(String(JSONReader.maximumDepth))) deep", at: range,
      label: "one bracket too many", help: ["a patch needs about 10 levels"])
  }

  fileprivate static func trailingComma(at range: SourceRange) -> Diagnostic {
    SyntaxRules.trailingComma.diagnostic(
      "a comma stands before a closing bracket", at: range, label: "nothing follows it",
      help: ["remove the comma, or rename the file to .jsonc, which may have it"],
      fixes: [Fix("remove the comma", edits: [Edit(range, "")])])
  }

  fileprivate static func extraComma(at range: SourceRange) -> Diagnostic {
    SyntaxRules.extraComma.diagnostic(
      "a comma stands without a value before it", at: range, label: "one comma too many",
      help: ["remove it"])
  }

  fileprivate static func missingComma(at range: SourceRange) -> Diagnostic {
    SyntaxRules.missingComma.diagnostic(
      "a comma is missing between two values", at: range, label: "add ',' here",
      help: ["values are separated by ','"],
      fixes: [Fix("add a comma", edits: [Edit(range, ",")])])
  }

  fileprivate static func earlyQuote(at range: SourceRange) -> Diagnostic {
    SyntaxRules.missingComma.diagnostic(
      "text follows the end of a string", at: range, label: "the string ends here",
      help: ["write \\\" for a quote inside a string, or add the quote or comma that is missing"])
  }

  fileprivate static func semicolon(at range: SourceRange) -> Diagnostic {
    SyntaxRules.missingComma.diagnostic(
      "values are separated by ',', not by ';'", at: range, label: "write ','",
      help: ["replace ';' with ','"], fixes: [Fix("write a comma", edits: [Edit(range, ",")])])
  }

  fileprivate static func missingColon(at range: SourceRange) -> Diagnostic {
    SyntaxRules.colon.diagnostic(
      "a colon is missing between a key and its value", at: range, label: "add ':' here",
      help: ["a member is written \"key\": value"],
      fixes: [Fix("add a colon", edits: [Edit(range, ":")])])
  }

  fileprivate static func wrongColon(at range: SourceRange) -> Diagnostic {
    SyntaxRules.colon.diagnostic(
      "a key and its value are separated by ':', not by '='", at: range, label: "write ':'",
      help: ["replace '=' with ':'"], fixes: [Fix("write a colon", edits: [Edit(range, ":")])])
  }

  fileprivate static func secondColon(at range: SourceRange) -> Diagnostic {
    SyntaxRules.colon.diagnostic(
      "a second colon stands between a key and its value", at: range, label: "one colon too many",
      help: ["remove it"], fixes: [Fix("remove the colon", edits: [Edit(range, "")])])
  }

  fileprivate static func keyInArray(at range: SourceRange, open: SourceRange) -> Diagnostic {
    SyntaxRules.unexpected.diagnostic(
      "an array has no keys", at: range, label: "unexpected ':'",
      notes: [Note("the array begins here", at: open.lowerBound..<(open.lowerBound + 1))],
      help: ["write '{' and '}' for an object with keys, ',' between the values of an array"])
  }

  fileprivate static func missingKey(at range: SourceRange) -> Diagnostic {
    SyntaxRules.key.diagnostic(
      "a colon stands without a key before it", at: range, label: "a key is missing here",
      help: ["a member is written \"key\": value"])
  }

  fileprivate static func keyExpected(at range: SourceRange) -> Diagnostic {
    SyntaxRules.key.diagnostic(
      "a key is a string", at: range, label: "a key should stand here",
      help: ["a member is written \"key\": value"])
  }

  fileprivate static func missingValue(at range: SourceRange, key: SourceRange?) -> Diagnostic {
    SyntaxRules.missingValue.diagnostic(
      "a key has no value", at: range, label: "a value should stand here",
      notes: key.map { [Note("of this key", at: $0)] } ?? [],
      help: ["a member is written \"key\": value"])
  }

  fileprivate static func unexpected(_ what: String, at range: SourceRange) -> Diagnostic {
    SyntaxRules.unexpected.diagnostic(
      "\(Message(what)) has no place here", at: range, label: "unexpected",
      help: ["expected is ',' or a closing bracket behind a value, and a value before them"])
  }

  fileprivate static func comments(first: SourceRange, all: [SourceRange]) -> Diagnostic {
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

  fileprivate static func hashComment(
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

  fileprivate static func unclosedComment(at range: SourceRange) -> Diagnostic {
    SyntaxRules.comment.diagnostic(
      "a comment is not closed", at: range, label: "opened here", help: ["add '*/' where it ends"])
  }

  fileprivate static func foreignBlank(_ scalar: Unicode.Scalar, at range: SourceRange)
    -> Diagnostic
  {
    SyntaxRules.blank.diagnostic(
      "U+\(Message(hexadecimal(scalar.value, digits: 4))) is not a blank in JSON", at: range,
      label: "it looks like one", help: ["replace it with a space"],
      fixes: [Fix("replace it with a space", edits: [Edit(range, " ")])])
  }
}
