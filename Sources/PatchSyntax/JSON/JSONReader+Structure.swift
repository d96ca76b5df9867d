import AudioTypes
import Diagnostics

// MARK: Structure

extension JSONReader {
  mutating func readDocument() {
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
    if let other = TextSignature.other(in: bytes, from: offset) {
      return giveUp(.otherText(other.kind, at: other.range))
    }
    // Memory of unused rows is never touched.
    nodes.reserveCapacity(bytes.count / 6 + 1)

    var state = State.value
    while !hasGivenUp {
      if offset < bytes.count, bytes[offset] == 0x20 { offset += 1 }
      // Behind one blank there is mostly a token.
      if offset >= bytes.count || !Self.beginsToken(bytes[offset]) {
        skipBlanks()
        if hasGivenUp { break }
      }
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
      guard !hasGivenUp, offset < bytes.count else { continue }
      // What mostly follows at once.
      if state == .colon, bytes[offset] == UInt8(ascii: ":") {
        offset += 1
        lastTokenEnd = offset
        state = .value
      } else if state == .afterValue, bytes[offset] == UInt8(ascii: ","), !open.isEmpty {
        state = readSeparator()
        lastTokenEnd = offset
      }
    }
  }

  /// Whether a byte begins neither a blank nor a comment, nor a character beyond ASCII.
  private static func beginsToken(_ byte: UInt8) -> Bool {
    byte > 0x2F && byte < 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",")
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
      // The extra commas are ignored.
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
      // Text directly after an invalid value belongs to the same mistake.
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
    if readAgain() { return .afterValue }
    offset += 1
    open(isObject: isObject)
    // Until the container is closed, its end is the end of its opening bracket.
    add(isObject ? .object : .array, start..<offset)
    return isObject ? .firstKey : .firstElement
  }

  private mutating func closeContainer() -> State {
    offset += 1
    isRecovering = false
    let node = close(at: offset)
    // Most brackets follow something on their line, behind one blank at the most.
    let before = bytes[offset - 2] == 0x20 ? offset - 3 : offset - 2
    if suspect == nil, before < 0 || bytes[before] <= 0x20 {
      suspectIndentation(opening: Int(node.start), closing: offset - 1)
    }
    return .afterValue
  }

  /// Sets `suspect` if the closing bracket begins its line, and is indented less than the line of
  /// the opening one.
  private mutating func suspectIndentation(opening: Int, closing: Int) {
    guard let closingLine = indentation(of: closing), closingLine.upperBound == closing,
      let openingLine = indentation(of: opening), openingLine.lowerBound < closingLine.lowerBound,
      closingLine.count < openingLine.count
    else { return }
    suspect = (opening, closing)
  }

  /// Closes a container by a bracket of the wrong kind. If the bracket fits an outer container, the
  /// brackets of the inner ones are missing; otherwise it was meant for the innermost.
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

  /// Whether the following brackets fit better if this one is meant for the innermost container
  /// than if it closes an outer one.
  private func isMeantForInnermost() -> Bool {
    let kinds = open.map(\.isObject)
    let isObject = bytes[offset] == UInt8(ascii: "}")
    guard let outer = kinds.lastIndex(of: isObject) else { return true }
    return misfits(after: Array(kinds.dropLast())) < misfits(after: Array(kinds[..<outer]))
  }

  /// How many of the following brackets do not fit the open containers.
  ///
  /// - Parameter open: For each open container, from the outermost, whether it is an object.
  private func misfits(after open: [Bool]) -> Int {
    var open = open
    var misfits = 0
    var position = offset + 1
    // Far enough to decide, and bounded, because a text may have many of these mistakes.
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
      // A string that swallowed the end has been reported, and this bracket is its consequence.
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

  /// Reports commas without a value before them, once for all that follow each other.
  private mutating func reportExtraCommas() {
    let start = offset
    var end = offset
    while !hasGivenUp, offset < bytes.count, bytes[offset] == UInt8(ascii: ",") {
      offset += 1
      end = offset
      skipBlanks()
    }
    report(.commaWithoutValue(at: start..<end))
  }

  private mutating func reportMissingValue() {
    if !isAfterUnterminatedString {
      report(.missingValue(at: lastTokenEnd..<lastTokenEnd, key: nodes.last?.range))
    }
    add(.invalid, lastTokenEnd..<lastTokenEnd)
  }

  /// Whether the last token is a string that was reported as not closed: it may have swallowed what
  /// is missing here.
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
    noteKey()
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
