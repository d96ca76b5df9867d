public import Diagnostics
import Synchronization

/// A JSON document as it was written: every value and every key with its place in the text.
///
/// The tree is one flat table of 16 bytes a value, in the order of the text. Strings and numbers
/// are decoded at each access, and not kept.
public final class JSONTree: Sendable {
  /// The text that was read.
  public let source: SourceText
  /// The offset of `source` in the text that all ranges refer to. It is not 0 for a text that
  /// follows others, as that of a sub-graph follows that of the patch.
  public let base: Int
  let nodes: [Node]
  /// For the row of each text that names a constant, the row of the constant's value. Such a text
  /// keeps its own place, and has the value of the constant.
  let constantRows: [Int: Int]
  /// Computed when the first pointer is needed.
  private let parents = Mutex<ContainerTable?>(nil)

  init(source: SourceText, nodes: [Node], base: Int = 0, constantRows: [Int: Int] = [:]) {
    precondition(!nodes.isEmpty, "a tree has a root")
    self.source = source
    self.nodes = nodes
    self.base = base
    self.constantRows = constantRows
  }

  public var root: JSONValue { JSONValue(tree: self, index: 0) }

  /// The value that a range of the text is in: all of the value, or a part of a string.
  public func value(writtenAt range: SourceRange) -> JSONValue? {
    var low = 0
    var high = nodes.count
    while low < high {
      let middle = low + (high - low) / 2
      if Int(nodes[middle].start) > range.lowerBound { high = middle } else { low = middle + 1 }
    }
    guard low > 0, Int(nodes[low - 1].end) >= range.upperBound else { return nil }
    return JSONValue(tree: self, index: low - 1)
  }

  /// The same values in a text that begins with the bytes of this one.
  func moved(to source: SourceText) -> JSONTree { JSONTree(source: source, nodes: nodes) }

  /// The same values, with ranges in a text that has this one at an offset.
  func based(at base: Int) -> JSONTree { JSONTree(source: source, nodes: nodes, base: base) }

  /// The container of each row, and the row's place in it.
  private struct ContainerTable: Sendable {
    /// The rows of the containers; the root's own is 0.
    var containers: [UInt32]
    /// The index of a value among the values of its container.
    var places: [UInt32]

    init(_ nodes: [Node]) {
      containers = Array(repeating: 0, count: nodes.count)
      places = containers
      // The containers that are open, the innermost last.
      var open: [(row: UInt32, end: UInt32, count: UInt32)] = []
      for row in nodes.indices {
        while let last = open.last, last.end <= row { open.removeLast() }
        if let last = open.last {
          containers[row] = last.row
          places[row] = last.count
          if !nodes[row].isKey { open[open.count - 1].count += 1 }
        }
        if nodes[row].kind == .array || nodes[row].kind == .object {
          open.append((UInt32(row), nodes[row].next, 0))
        }
      }
    }
  }

  /// The row of the object or array that a row is in. The first call takes time linear in the size of the tree.
  func container(of row: Int) -> Int {
    withContainers { Int($0.containers[row]) }
  }

  private func withContainers<Result>(_ look: (ContainerTable) -> Result) -> Result {
    parents.withLock { table in
      let known = table ?? ContainerTable(nodes)
      table = known
      return look(known)
    }
  }

  /// The rows from the root to a value, the value's own last, each with its index in its container.
  /// The first call takes time linear in the size of the tree, every other in the depth of the
  /// value.
  fileprivate func path(to row: Int) -> [(row: Int, place: Int)] {
    withContainers { known in
      var path: [(row: Int, place: Int)] = []
      var row = row
      while row != 0 {
        path.append((row, Int(known.places[row])))
        row = Int(known.containers[row])
      }
      return path.reversed()
    }
  }

  /// Whether a row is a string with a given text.
  func isText(_ row: Int, _ text: String) -> Bool {
    let node = nodes[row]
    guard node.isPlain else { return JSONValue(tree: self, index: row).string == text }
    let content = node.content
    guard content.count == text.utf8.count else { return false }
    let all = source.bytes
    let bytes = all.span
    let utf8 = text.utf8.span
    for offset in 0..<utf8.count where bytes[content.lowerBound + offset] != utf8[offset] {
      return false
    }
    return true
  }
}

/// One value of a `JSONTree`.
public struct JSONValue: Sendable {
  /// The type of a value. `invalid` is text with an error that has been reported: take it for a
  /// value of any type, and report nothing more about it.
  public enum Kind: Hashable, Sendable { case null, bool, number, string, array, object, invalid }

  public let tree: JSONTree
  let index: Int

  private var node: JSONTree.Node { tree.nodes[index] }

  /// The value of the constant that it names; itself where it names none.
  var resolved: JSONValue { JSONValue(tree: tree, index: resolvedRow) }

  private var resolvedRow: Int {
    tree.constantRows.isEmpty ? index : tree.constantRows[index] ?? index
  }

  private var resolvedNode: JSONTree.Node { tree.nodes[resolvedRow] }

  /// Whether it names a constant.
  public var isConstant: Bool { tree.constantRows[index] != nil }

  public var kind: Kind {
    switch resolvedNode.kind {
    case .null: .null
    case .no, .yes: .bool
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    case .invalid: .invalid
    }
  }

  /// Where it is written, with quotes and brackets.
  public var range: SourceRange { (tree.base + Int(node.start))..<(tree.base + Int(node.end)) }

  /// The same range, in `tree.source`.
  public var localRange: SourceRange { Int(node.start)..<Int(node.end) }

  /// Where a diagnostic points for the whole value: the opening bracket of an object or array, all
  /// of any other value.
  public var markRange: SourceRange {
    switch kind {
    case .object, .array: range.lowerBound..<(range.lowerBound + 1)
    default: range
    }
  }

  /// The range of a string's text, without its quotes.
  var contentRange: SourceRange {
    let content = node.content
    return tree.base + content.lowerBound..<tree.base + content.upperBound
  }

  /// The bytes of a range within this value.
  func bytes(in range: SourceRange) -> ArraySlice<UInt8> {
    tree.source.bytes[(range.lowerBound - tree.base)..<(range.upperBound - tree.base)]
  }

  /// Whether the written text of a string is its value, byte for byte.
  var isPlain: Bool { !node.isEscaped && (tree.constantRows.isEmpty || !isConstant) }

  /// Where a part of a string's text is written.
  ///
  /// - Parameter part: A range of bytes in the UTF-8 of the text, with escapes resolved.
  public func range(ofText part: Range<Int>) -> SourceRange {
    if isConstant { return range }
    let content = contentRange
    guard !isPlain else {
      return content.lowerBound + part.lowerBound..<content.lowerBound + part.upperBound
    }
    func written(_ offset: Int) -> Int {
      var position = content.lowerBound
      var length = 0
      while length < offset && position < content.upperBound {
        let end = min(escapeEnd(position), content.upperBound)
        length += unescaped(bytes(in: position..<end)).utf8.count
        position = end
      }
      return position
    }
    return written(part.lowerBound)..<written(part.upperBound)
  }

  /// The end of the character or the escape that begins at a byte; a pair of surrogates is one.
  private func escapeEnd(_ start: Int) -> Int {
    localEscapeEnd(start - tree.base) + tree.base
  }

  private func localEscapeEnd(_ start: Int) -> Int {
    let bytes = tree.source.bytes
    func isEscape(_ position: Int) -> Bool {
      position + 6 <= bytes.count && bytes[position] == UInt8(ascii: "\\")
        && bytes[position + 1] == UInt8(ascii: "u")
    }
    func digits(_ position: Int) -> UInt32 {
      UInt32(String(decoding: bytes[position + 2..<position + 6], as: UTF8.self), radix: 16) ?? 0
    }
    guard bytes[start] == UInt8(ascii: "\\") else {
      var end = start + 1
      while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
      return end
    }
    guard isEscape(start) else { return start + 2 }
    let isPair =
      digits(start) & 0xFC00 == 0xD800 && isEscape(start + 6)
      && digits(start + 6) & 0xFC00 == 0xDC00
    return start + (isPair ? 12 : 6)
  }

  public var bool: Bool? {
    switch resolvedNode.kind {
    case .yes: true
    case .no: false
    default: nil
    }
  }

  /// The text of a string, with escapes resolved; `nil` for other values.
  public var string: String? {
    let node = resolvedNode
    guard node.kind == .string else { return nil }
    let content = tree.source.bytes[node.content]
    guard node.isEscaped else { return String(decoding: content, as: UTF8.self) }
    return unescaped(content)
  }

  /// The value of a number, rounded to the nearest double; infinite where it is greater than any.
  /// `nil` for other values.
  public var number: Double? {
    let node = resolvedNode
    guard node.kind == .number else { return nil }
    let bytes = tree.source.bytes
    return shortDecimal(bytes.span.extracting(node.range)) ?? Double(tree.source[node.range])
  }

  /// A number as it was written; `nil` for other values.
  public var numberText: String? {
    let node = resolvedNode
    return node.kind == .number ? tree.source[node.range] : nil
  }

  /// The value of a whole number below 2^53 in magnitude, however it is written: `2`, `2.0` and
  /// `2e0` are equal. `nil` for other values.
  public var integer: Int? {
    guard let number, abs(number) < 0x1p53 else { return nil }
    let integer = Int(number)
    return Double(integer) == number ? integer : nil
  }

  /// The elements of an array, in order; none for other values.
  public var elements: Elements { Elements(tree: tree, container: index, isObject: false) }

  /// The members of an object, in order, with repeated keys; none for other values.
  public var members: Members {
    Members(base: Elements(tree: tree, container: index, isObject: true))
  }

  /// The value of an object's first member with a name; `nil` for none.
  public subscript(key: String) -> JSONValue? {
    for member in members where member.key.string == key { return member.value }
    return nil
  }

  /// Values of an array.
  public struct Elements: Sequence, IteratorProtocol, Sendable {
    let tree: JSONTree
    private var index: Int
    private let end: Int

    init(tree: JSONTree, container: Int, isObject: Bool) {
      self.tree = tree
      let node = tree.nodes[container]
      index = container + 1
      end = node.kind == (isObject ? .object : .array) ? Int(node.next) : index
    }

    public mutating func next() -> JSONValue? {
      guard index < end else { return nil }
      defer { index = Int(tree.nodes[index].next) }
      return JSONValue(tree: tree, index: index)
    }
  }

  /// Members of an object.
  public struct Members: Sequence, IteratorProtocol, Sendable {
    var base: Elements

    public mutating func next() -> (key: JSONValue, value: JSONValue)? {
      guard let key = base.next(), let value = base.next() else { return nil }
      return (key, value)
    }

    /// How many are left.
    func count() -> Int {
      var (base, rows) = (base, 0)
      while base.next() != nil { rows += 1 }
      return rows / 2
    }
  }
}

// MARK: Pointers

extension JSONValue {
  /// The JSON Pointer of this value. A key has the pointer of its member.
  ///
  /// The first pointer of a tree takes time linear in the size of the tree, every other in the
  /// depth of the value: for diagnostics, not for loops.
  public var pointer: JSONPointer {
    var pointer = JSONPointer()
    var isInObject = tree.nodes[0].kind == .object
    for (row, place) in tree.path(to: node.isKey ? min(index + 1, tree.nodes.count - 1) : index) {
      pointer.append(
        isInObject ? JSONValue(tree: tree, index: row - 1).string ?? "" : String(place))
      isInObject = tree.nodes[row].kind == .object
    }
    return pointer
  }

  /// The value that a pointer leads to from here; `nil` for none. Of several members with the same
  /// name, the first counts.
  public subscript(pointer: JSONPointer) -> JSONValue? {
    var value = self
    for token in pointer.tokens {
      guard let inside = value.child(token) else { return nil }
      value = inside
    }
    return value
  }

  /// The member or element that a token of a JSON Pointer stands for; `nil` for none.
  func child(_ token: String) -> JSONValue? {
    switch kind {
    case .object: return self[token]
    case .array:
      guard let position = JSONPointer.arrayIndex(token) else { return nil }
      for (index, element) in elements.enumerated() where index == position { return element }
      return nil
    default: return nil
    }
  }
}

// MARK: Strings

/// Resolves escapes. Invalid ones have been reported; they become U+FFFD or the character after the
/// backslash.
private func unescaped(_ content: ArraySlice<UInt8>) -> String {
  var result: [UInt8] = []
  result.reserveCapacity(content.count)
  var offset = content.startIndex
  func append(_ scalar: Unicode.Scalar) { result.append(contentsOf: Array(String(scalar).utf8)) }
  while offset < content.endIndex {
    let byte = content[offset]
    offset += 1
    guard byte == UInt8(ascii: "\\"), offset < content.endIndex else {
      result.append(byte)
      continue
    }
    let escape = content[offset]
    offset += 1
    switch escape {
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"):
      guard let unit = hexUnit(content, at: offset) else {
        append("\u{FFFD}")
        continue
      }
      offset += 4
      if let scalar = Unicode.Scalar(unit) {
        append(scalar)
      } else if let scalar = lowSurrogate(content, at: offset, after: unit) {
        offset += 6
        append(scalar)
      } else {
        append("\u{FFFD}")
      }
    default: result.append(escape)
    }
  }
  return String(decoding: result, as: UTF8.self)
}

/// The value of a number of at most 15 digits without an exponent; `nil` for any other. The digits
/// and the power of ten are exact as doubles, so that their quotient is rounded once, to the nearest
/// (W. D. Clinger, "How to read floating point numbers accurately", 1990).
private func shortDecimal(_ text: Span<UInt8>) -> Double? {
  let isNegative = text[0] == UInt8(ascii: "-")
  let digits = (isNegative ? 1 : 0)..<text.count
  guard digits.count <= 16 else { return nil }
  var whole = 0
  var scale: Double?
  for index in digits {
    let byte = text[index]
    if byte == UInt8(ascii: ".") {
      scale = 1
    } else if (0x30...0x39).contains(byte) {
      whole = whole * 10 + Int(byte - 0x30)
      scale = scale.map { $0 * 10 }
    } else {
      return nil
    }
  }
  guard whole < 1_000_000_000_000_000 else { return nil }
  let value = Double(whole) / (scale ?? 1)
  return isNegative ? -value : value
}

/// The value of four hexadecimal digits.
func hexUnit(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt16? {
  guard offset + 4 <= bytes.endIndex else { return nil }
  var value: UInt16 = 0
  for byte in bytes[offset..<(offset + 4)] {
    switch byte {
    case 0x30...0x39: value = value << 4 | UInt16(byte - 0x30)
    case 0x41...0x46: value = value << 4 | UInt16(byte - 0x41 + 10)
    case 0x61...0x66: value = value << 4 | UInt16(byte - 0x61 + 10)
    default: return nil
    }
  }
  return value
}

/// The scalar that a high surrogate makes with the escape that follows, if it is a low one.
func lowSurrogate(
  _ bytes: ArraySlice<UInt8>, at offset: Int, after high: UInt16
) -> Unicode.Scalar? {
  guard (0xD800...0xDBFF).contains(high), offset + 6 <= bytes.endIndex,
    bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u"),
    let low = hexUnit(bytes, at: offset + 2), (0xDC00...0xDFFF).contains(low)
  else { return nil }
  return Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
}
