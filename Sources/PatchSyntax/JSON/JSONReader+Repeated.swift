// MARK: Containers that are written as the one before

extension JSONReader {
  /// An object or an array that is not closed yet.
  struct Container {
    var index: Int
    var isObject: Bool
    /// The number of diagnostics and comments at its opening bracket.
    var findingCount: Int
    /// A bit for each key. It is set twice where `hasDistinctMarks` is false.
    var marks: UInt64 = 0
    /// Whether the bits of the keys differ, so that the keys do.
    var hasDistinctMarks = true
    /// The row of the last container in it; `nil` where that has diagnostics or comments.
    var last: Int?
  }

  /// Opens a container, whose row comes next.
  mutating func open(isObject: Bool) {
    open.append(
      Container(
        index: nodes.count, isObject: isObject,
        findingCount: diagnostics.count + comments.count))
  }

  /// Closes the innermost container at an offset behind its closing bracket. Returns its row.
  mutating func close(at end: Int) -> JSONTree.Node {
    let container = open.removeLast()
    var node = nodes[container.index]
    node.end = UInt32(end)
    node.next = UInt32(nodes.count)
    if container.isObject, container.hasDistinctMarks { node.flags |= JSONTree.Node.distinct }
    nodes[container.index] = node
    if !open.isEmpty {
      let isClear = container.findingCount == diagnostics.count + comments.count
      open[open.count - 1].last = isClear ? container.index : nil
    }
    return node
  }

  /// Notes the key in the last row. Its mark is made of its length, a byte in its middle and its
  /// last one, with factors that tell all keys of most objects in a patch apart.
  mutating func noteKey() {
    let node = nodes[nodes.count - 1]
    // With the quotes there are two bytes at least.
    let length = Int(node.end - node.start)
    let innermost = open.count - 1
    guard node.isPlain else {
      open[innermost].hasDistinctMarks = false
      return
    }
    let middle = Int(bytes[Int(node.start) + length / 2])
    let last = Int(bytes[Int(node.end) - 2])
    let mark: UInt64 = 1 << UInt64((3 * length + 7 * middle + 5 * last) & 63)
    if open[innermost].marks & mark != 0 { open[innermost].hasDistinctMarks = false }
    open[innermost].marks |= mark
  }

  /// Reads a container that is written with the same bytes as the one before it in the same
  /// container, by copying the rows of that one. Returns whether it is.
  mutating func readAgain() -> Bool {
    guard let innermost = open.last, let first = innermost.last else { return false }
    let before = nodes[first]
    guard let hasLines = Self.compare(bytes.span, before.range, from: offset),
      // The indentation of the line in front of it counts for the brackets on that line.
      suspect != nil || !hasLines
        || indentation(of: Int(before.start))?.count == indentation(of: offset)?.count
    else { return false }
    let row = nodes.count
    let distance = UInt32(offset) - before.start
    let count = Int(before.next) - first
    // Not from a slice of the rows: a second reference to them would have them all copied.
    nodes.append(contentsOf: repeatElement(before, count: count))
    Self.copy(nodes.mutableSpan, first..<first + count, to: row, movedBy: distance)
    nodes[row].flags |= JSONTree.Node.repeated
    open[open.count - 1].last = row
    offset += before.range.count
    isRecovering = false
    return true
  }

  /// Copies rows of a tree to other rows, for text that is some bytes further.
  private static func copy(
    _ nodes: consuming MutableSpan<JSONTree.Node>, _ rows: Range<Int>, to target: Int,
    movedBy distance: UInt32
  ) {
    let rowDistance = UInt32(target - rows.lowerBound)
    for index in rows {
      var node = nodes[index]
      node.start &+= distance
      node.end &+= distance
      node.next &+= rowDistance
      nodes[index + Int(rowDistance)] = node
    }
  }

  /// Compares the bytes of a range with those from another offset. Returns whether they have line
  /// ends; `nil` where they differ.
  private static func compare(
    _ bytes: Span<UInt8>, _ range: Range<Int>, from start: Int
  ) -> Bool? {
    guard bytes.count - start >= range.count else { return nil }
    let one = bytes.extracting(range)
    let other = bytes.extracting(start..<start + range.count)
    // By stretches, whose bytes are compared at once.
    var offset = 0
    while offset < one.count {
      let end = min(offset + 32, one.count)
      var difference: UInt8 = 0
      for index in offset..<end { difference |= one[index] ^ other[index] }
      guard difference == 0 else { return nil }
      offset = end
    }
    var lineEnds: UInt8 = 0
    for index in one.indices {
      lineEnds |= (one[index] == 0x0A ? 1 : 0) | (one[index] == 0x0D ? 1 : 0)
    }
    return lineEnds != 0
  }

  /// The blanks at the beginning of the line that an offset is on; `nil` for a long line, whose
  /// indentation means nothing and takes long to find.
  func indentation(of offset: Int) -> Range<Int>? {
    var start = offset
    while start > 0, bytes[start - 1] != 0x0A, bytes[start - 1] != 0x0D {
      start -= 1
      if offset - start > Self.longestIndentedLine { return nil }
    }
    var end = start
    while end < offset, bytes[end] == 0x20 || bytes[end] == 0x09 { end += 1 }
    return start..<end
  }
}
