import AudioTypes
public import Diagnostics

/// Writes a patch in its canonical form.
///
/// Two spaces a level; short values on one line; a blank line between members is kept, and several
/// become one. Keys keep their order, and strings and numbers their spelling. Comments stay where
/// they are: on a line of their own, behind what they follow, or in front of what they precede.
/// Formatting again changes nothing.
public enum PatchFormatter {
  /// The result of formatting.
  public struct Result: Sendable {
    /// The text in its canonical form; `nil` where the document has errors, and is unchanged.
    public var text: [UInt8]?
    /// The diagnostics of the text, in its order.
    public var diagnostics: [Diagnostic]
  }

  /// The greatest length of a line with more than one value, in characters.
  public static let lineWidth = 100

  /// The greatest depth of nested brackets on one line.
  static let maximumDepthOnLine = 3

  /// JSON that a program has written, in canonical form.
  public static func formatted(_ json: String) -> String {
    let source = SourceText(name: "patch.json", text: json)
    return format(source).text.map { String(decoding: $0, as: UTF8.self) } ?? json
  }

  /// Formats a document. Its name decides whether it is JSON or JSONC.
  ///
  /// A comma before a closing bracket is removed from strict JSON; where it is allowed, it stays
  /// behind the last of several lines.
  public static func format(_ source: SourceText) -> Result {
    let dialect = JSONReader.Dialect(fileName: source.name)
    let reading = JSONReader.read(source, dialect: dialect)
    let isClear = !reading.diagnostics.contains {
      $0.severity == .error && $0.code != SyntaxRules.trailingComma.code
    }
    guard isClear, reading.isStructureIntact, let tree = reading.tree else {
      return Result(text: nil, diagnostics: reading.diagnostics)
    }
    var printer = PatchPrinter(
      tree: tree, comments: reading.comments, keepsTrailingCommas: dialect == .jsonc)
    printer.printDocument()
    return Result(text: printer.text, diagnostics: [])
  }
}

/// Prints a tree and the comments between its values.
struct PatchPrinter {
  private let tree: JSONTree
  private let bytes: [UInt8]
  private let gaps: TokenGaps
  private let keepsTrailingCommas: Bool
  /// The width in characters of each value of the tree on one line, by its row; 0 where the value
  /// needs several lines.
  private let widths: [Int]
  private(set) var text: [UInt8] = []
  /// Characters on the line so far.
  private var column = 0

  init(tree: JSONTree, comments: [SourceRange], keepsTrailingCommas: Bool) {
    self.tree = tree
    self.keepsTrailingCommas = keepsTrailingCommas
    bytes = tree.source.bytes
    gaps = TokenGaps(bytes: bytes, comments: comments)
    widths = Self.widths(of: tree, gaps)
    text.reserveCapacity(bytes.count + bytes.count / 4)
  }

  /// The `widths` of a tree, computed from the innermost values out.
  private static func widths(of tree: JSONTree, _ gaps: TokenGaps) -> [Int] {
    var widths = [Int](repeating: 0, count: tree.nodes.count)
    var depths = [Int](repeating: 0, count: tree.nodes.count)
    let topLevel = Set(JSONValue(tree: tree, index: 0).members.map(\.value.index))
    for index in tree.nodes.indices.reversed() {
      let node = tree.nodes[index]
      let isObject = node.kind == .object
      guard isObject || node.kind == .array else {
        widths[index] = scalarCount(tree.source.bytes[Int(node.start)..<Int(node.end)])
        continue
      }
      var isBroken = gaps.hasComment(in: Int(node.start)..<Int(node.end))
      var width = 0
      var inside = index + 1
      let isEmpty = inside == Int(node.next)
      var rows = 0
      var members = 0
      while inside < Int(node.next) {
        let kind = tree.nodes[inside].kind
        let isContainer = kind == .object || kind == .array
        // The patch's own tables, and lists of objects, have a line for each entry.
        if isContainer && topLevel.contains(index) { isBroken = true }
        if kind == .object && !isObject { isBroken = true }
        if kind == .object { rows += 1 }
        if !tree.nodes[inside].isKey { members += 1 }
        if widths[inside] == 0 { isBroken = true }
        depths[index] = max(depths[index], depths[inside])
        // A comma or colon and a blank between two of them.
        width += widths[inside] + (width == 0 ? 0 : 2)
        inside = Int(tree.nodes[inside].next)
      }
      if !isEmpty { depths[index] += 1 }
      // If all members are objects, such as buses, each has a line of its own.
      if rows > 1, rows == members { isBroken = true }
      // A document is on one line only where it is empty.
      if index == 0 && isObject && !isEmpty { isBroken = true }
      if depths[index] > PatchFormatter.maximumDepthOnLine { isBroken = true }
      widths[index] = isBroken ? 0 : width + (isObject && !isEmpty ? 4 : 2)
    }
    return widths
  }

  private static func scalarCount(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
  }
}

// MARK: Values

extension PatchPrinter {
  mutating func printDocument() {
    let root = tree.nodes[0]
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    printGap(gaps.gap(hasMark ? 3 : 0, Int(root.start)), .documentStart, hasNext: true, level: 0)
    printValue(0, level: 0, tail: 0)
    printGap(gaps.gap(Int(root.end), bytes.count), .between, hasNext: false, level: 0)
    text.append(0x0A)
  }

  /// - Parameter tail: How many characters follow the value on its line.
  private mutating func printValue(_ index: Int, level: Int, tail: Int) {
    let node = tree.nodes[index]
    guard node.kind == .object || node.kind == .array else {
      return put(bytes[Int(node.start)..<Int(node.end)])
    }
    // Breaking an empty container would not make it shorter.
    let isEmpty = index + 1 == Int(node.next)
    if widths[index] > 0,
      isEmpty || column + widths[index] + tail <= PatchFormatter.lineWidth
    {
      return printFlat(index)
    }
    if isTableOfNumbers(index) { return printFilled(index, level: level) }
    printBroken(index, level: level)
  }

  private mutating func printFlat(_ index: Int) {
    let node = tree.nodes[index]
    guard node.kind == .object || node.kind == .array else {
      return put(bytes[Int(node.start)..<Int(node.end)])
    }
    let isObject = node.kind == .object
    let isEmpty = index + 1 == Int(node.next)
    put(isObject ? isEmpty ? "{" : "{ " : "[")
    var inside = index + 1
    while inside < Int(node.next) {
      printFlat(inside)
      let next = Int(tree.nodes[inside].next)
      if tree.nodes[inside].isKey {
        put(": ")
      } else if next < Int(node.next) {
        put(", ")
      }
      inside = next
    }
    put(isObject ? isEmpty ? "}" : " }" : "]")
  }

  /// Whether a value is an array of numbers.
  private func isTableOfNumbers(_ index: Int) -> Bool {
    let node = tree.nodes[index]
    guard node.kind == .array, widths[index] > 0 else { return false }
    return tree.nodes[(index + 1)..<Int(node.next)].allSatisfy { $0.kind == .number }
  }

  /// Prints numbers, as many on a line as fit.
  private mutating func printFilled(_ index: Int, level: Int) {
    put("[")
    newline(level + 1)
    let last = Int(tree.nodes[index].next) - 1
    for inside in (index + 1)...last {
      let width = widths[inside] + (inside == last ? 0 : 1)
      if inside > index + 1 {
        if column + 1 + width > PatchFormatter.lineWidth { newline(level + 1) } else { put(" ") }
      }
      printFlat(inside)
      if inside < last { put(",") }
    }
    newline(level)
    put("]")
  }

  private mutating func printBroken(_ index: Int, level: Int) {
    let node = tree.nodes[index]
    let isObject = node.kind == .object
    put(isObject ? "{" : "[")
    var end = Int(node.start) + 1
    var inside = index + 1
    var kind = GapKind.first
    while inside < Int(node.next) {
      let first = tree.nodes[inside]
      printGap(gaps.gap(end, Int(first.start)), kind, hasNext: true, level: level + 1)
      kind = .between
      var valueLevel = level + 1
      if isObject {
        put(bytes[Int(first.start)..<Int(first.end)])
        put(":")
        inside += 1
        let gap = gaps.gap(Int(first.end), Int(tree.nodes[inside].start))
        valueLevel = printKeyGap(gap, level: level + 1)
      }
      let value = tree.nodes[inside]
      end = Int(value.end)
      let isLast = Int(value.next) == Int(node.next)
      let hasComma =
        !isLast || keepsTrailingCommas && gaps.hasComma(end, Int(node.end) - 1)
      printValue(inside, level: valueLevel, tail: hasComma ? 1 : 0)
      if hasComma { put(",") }
      inside = Int(value.next)
    }
    printGap(gaps.gap(end, Int(node.end) - 1), kind, hasNext: false, level: level + 1)
    newline(level)
    put(isObject ? "}" : "]")
  }
}

// MARK: Comments

extension PatchPrinter {
  private enum GapKind { case documentStart, first, between }

  /// Prints the comments between two values, and moves to where the second begins.
  private mutating func printGap(
    _ gap: TokenGaps.Gap, _ kind: GapKind, hasNext: Bool, level: Int
  ) {
    let comments = gap.comments[...]
    // The comments from here on are on the line of the value that follows.
    var inline = comments.endIndex
    if hasNext, gap.lineEnds == 0 {
      while inline > 0, comments[inline - 1].isBlock, !comments[inline - 1].isBeforeComma {
        inline -= 1
        if comments[inline].lineEnds > 0 { break }
      }
    }
    var index = 0
    if kind != .documentStart {
      while index < inline, comments[index].lineEnds == 0 {
        put(" ")
        putComment(comments[index], level: level)
        index += 1
      }
    }
    // Whether the line above is other than that of an opening bracket, so that a blank line may be
    // kept.
    var mayBlank = kind == .between
    var isAtStart = kind == .documentStart
    func isBlank(_ lineEnds: Int) -> Bool { lineEnds > 1 && mayBlank }
    while index < inline {
      if !isAtStart { newline(level, blank: isBlank(comments[index].lineEnds)) }
      putComment(comments[index], level: level)
      mayBlank = true
      isAtStart = false
      index += 1
    }
    guard hasNext else { return }
    let lineEnds = index < comments.endIndex ? comments[index].lineEnds : gap.lineEnds
    if !isAtStart { newline(level, blank: isBlank(lineEnds)) }
    while index < comments.endIndex {
      putComment(comments[index], level: level)
      put(" ")
      index += 1
    }
  }

  /// Prints the comments between a key and its value.
  ///
  /// - Returns: The level of the line on which the value begins.
  private mutating func printKeyGap(_ gap: TokenGaps.Gap, level: Int) -> Int {
    var isAfterLine = false
    var valueLevel = level
    for comment in gap.comments {
      if isAfterLine { newline(level + 1) } else { put(" ") }
      putComment(comment, level: level + 1)
      isAfterLine = !comment.isBlock
      if isAfterLine { valueLevel = level + 1 }
    }
    if isAfterLine { newline(level + 1) } else { put(" ") }
    return valueLevel
  }

  /// Prints a comment. The lines of a block that begin with asterisks are aligned.
  private mutating func putComment(_ comment: TokenGaps.Comment, level: Int) {
    let lines = bytes[comment.range].lines()
    let hasStars = lines.dropFirst().allSatisfy { $0.trimmed().first == UInt8(ascii: "*") }
    for (number, line) in lines.enumerated() {
      let line = line.trimmedAtEnd()
      if number == 0 {
        put(line)
      } else if hasStars {
        newline(level)
        put(" ")
        put(line.trimmed())
      } else {
        newline(0)
        put(line)
      }
    }
  }
}

// MARK: Text

extension PatchPrinter {
  private mutating func put(_ part: ArraySlice<UInt8>) {
    text += part
    column += Self.scalarCount(part)
  }

  private mutating func put(_ part: StaticString) {
    let part = Array(part.description.utf8)
    put(part[...])
  }

  private mutating func newline(_ level: Int, blank: Bool = false) {
    text.append(0x0A)
    if blank { text.append(0x0A) }
    text += repeatElement(0x20, count: 2 * level)
    column = 2 * level
  }
}

/// The gaps between the values of a document, with their comments, commas and line ends.
struct TokenGaps {
  struct Comment {
    var range: SourceRange
    /// How many line ends are between it and the value or comment before it.
    var lineEnds: Int
    var isBlock: Bool
    /// Whether it is before the comma of the gap.
    var isBeforeComma: Bool
  }

  struct Gap {
    var comments: [Comment]
    /// How many line ends follow the last comment.
    var lineEnds: Int
  }

  let bytes: [UInt8]
  /// In the order of the text.
  let comments: [SourceRange]

  /// Whether a range has a comment.
  func hasComment(in range: SourceRange) -> Bool {
    let index = firstComment(from: range.lowerBound)
    return index < comments.count && comments[index].lowerBound < range.upperBound
  }

  /// The gap from the end of one value to the start of the next.
  func gap(_ start: Int, _ end: Int) -> Gap {
    var gap = Gap(comments: [], lineEnds: 0)
    var index = firstComment(from: start)
    var offset = start
    while true {
      let comment = index < comments.count ? comments[index] : end..<end
      let isEnd = comment.lowerBound >= end
      let stop = isEnd ? end : comment.lowerBound
      var lineEnds = 0
      while offset < stop {
        switch bytes[offset] {
        case 0x0A: lineEnds += 1
        case 0x0D: lineEnds += offset + 1 < stop && bytes[offset + 1] == 0x0A ? 0 : 1
        case UInt8(ascii: ","):
          for earlier in gap.comments.indices { gap.comments[earlier].isBeforeComma = true }
        default: break
        }
        offset += 1
      }
      if isEnd {
        gap.lineEnds = lineEnds
        return gap
      }
      let isBlock = bytes[comment.lowerBound + 1] == UInt8(ascii: "*")
      gap.comments.append(
        Comment(range: comment, lineEnds: lineEnds, isBlock: isBlock, isBeforeComma: false))
      offset = comment.upperBound
      index += 1
    }
  }

  /// Whether a comma is between two places, outside of comments.
  func hasComma(_ start: Int, _ end: Int) -> Bool {
    var index = firstComment(from: start)
    var offset = start
    while offset < end {
      if index < comments.count, comments[index].lowerBound == offset {
        offset = comments[index].upperBound
        index += 1
        continue
      }
      if bytes[offset] == UInt8(ascii: ",") { return true }
      offset += 1
    }
    return false
  }

  private func firstComment(from start: Int) -> Int {
    var low = 0
    var high = comments.count
    while low < high {
      let middle = low + (high - low) / 2
      if comments[middle].lowerBound < start { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension ArraySlice<UInt8> {
  /// The lines, without their ends.
  fileprivate func lines() -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = startIndex
    var index = startIndex
    while index < endIndex {
      defer { index += 1 }
      guard self[index] == 0x0A || self[index] == 0x0D else { continue }
      lines.append(self[start..<index])
      if self[index] == 0x0D, index + 1 < endIndex, self[index + 1] == 0x0A { index += 1 }
      start = index + 1
    }
    return lines + [self[start...]]
  }

  fileprivate func trimmedAtEnd() -> ArraySlice<UInt8> {
    var line = self
    while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
    return line
  }

  fileprivate func trimmed() -> ArraySlice<UInt8> {
    trimmedAtEnd().drop { $0 == 0x20 || $0 == 0x09 }
  }
}
