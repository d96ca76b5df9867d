// MARK: Blanks and comments

extension JSONReader {
  mutating func skipBlanks() {
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

  /// Reports the comments of strict JSON as one mistake: the file is of the wrong kind.
  mutating func reportComments() {
    guard dialect == .json, let first = comments.first else { return }
    diagnostics.append(.comments(first: first, all: comments))
  }

  /// Skips and reports a character that looks like a blank, but is not one in JSON. Returns whether
  /// reading goes on behind it.
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

  /// The length in bytes of the scalar at an offset; 0 where there is no well-formed one.
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

  var foreignEncoding: String? {
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

  /// What messages call the character at an offset.
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
