/// Reads keys from the bytes that a terminal sends, in pieces of any length: UTF-8, control
/// characters, the sequences of xterm and its imitators, of rxvt and of the Linux console, and
/// bracketed paste. Unknown sequences are skipped.
public struct KeyParser: Sendable {
  /// The bytes of a key that is not complete.
  private var pending: [UInt8] = []
  /// The text that is being pasted; `nil` if none is.
  private var pasted: [UInt8]?

  /// How many bytes of a pasted text are kept.
  static let longestPaste = 65_536
  /// The length of the longest sequence that is waited for.
  private static let longestSequence = 64
  private static let escape: UInt8 = 0x1B
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  public init() {}

  /// How long to wait for the rest of a key before `flush()`, in milliseconds; `nil` if no key is
  /// incomplete.
  public var timeout: Int32? {
    if pasted != nil { return 2000 }
    return pending.isEmpty ? nil : 50
  }

  /// The keys that these bytes complete.
  public mutating func read(_ bytes: some Sequence<UInt8>) -> [KeyPress] {
    var keys: [KeyPress] = []
    for byte in bytes {
      if pasted != nil {
        if let key = takePasted(byte) { keys.append(key) }
        continue
      }
      pending.append(byte)
      var count = 0
      // An interrupted sequence leaves the byte that interrupted it.
      while !pending.isEmpty, pending.count != count {
        count = pending.count
        keys += takeKeys()
      }
    }
    return keys
  }

  /// Ends an incomplete key: a lone Escape is that key.
  public mutating func flush() -> [KeyPress] {
    defer {
      pending = []
      pasted = nil
    }
    if let pasted { return [KeyPress(.paste(String(decoding: pasted, as: UTF8.self)))] }
    switch pending {
    case [Self.escape]: return [KeyPress(.escape)]
    case [Self.escape, Self.escape]: return [KeyPress(.escape), KeyPress(.escape)]
    // Alt and one of these: with more bytes they would begin a sequence.
    case [Self.escape, UInt8(ascii: "[")]: return [KeyPress(.character("["), .alt)]
    case [Self.escape, UInt8(ascii: "O")]: return [KeyPress(.character("O"), .alt)]
    default: return []
    }
  }

  private mutating func takePasted(_ byte: UInt8) -> KeyPress? {
    pasted?.append(byte)
    guard let text = pasted else { return nil }
    guard text.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) else {
      // The closing bracket is looked for at the end of a text that is too long.
      if text.count > Self.longestPaste + 4096 {
        pasted = text.prefix(Self.longestPaste) + text.suffix(Self.pasteEnd.count)
      }
      return nil
    }
    pasted = nil
    let content = text.dropLast(Self.pasteEnd.count).prefix(Self.longestPaste)
    return KeyPress(.paste(String(decoding: content, as: UTF8.self)))
  }

  /// Removes the keys at the beginning of the pending bytes, and returns them.
  private mutating func takeKeys() -> [KeyPress] {
    guard pending[0] == Self.escape else {
      guard let count = Self.length(pending) else { return [] }
      defer { pending.removeFirst(count) }
      return Self.plain(pending[..<count], []).map { [$0] } ?? []
    }
    guard pending.count > 1 else { return [] }
    switch pending[1] {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "O"):
      guard pending.count > 2 else { return [] }
      defer { pending = [] }
      return Self.letter(pending[2]).map { [KeyPress($0)] } ?? []
    case Self.escape:
      // Escape twice, or Alt and a key that has a sequence of its own.
      guard pending.count > 2 else { return [] }
      pending.removeFirst()
      guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else {
        return [KeyPress(.escape)] + takeKeys()
      }
      return takeKeys()
    default:
      guard let count = Self.length(Array(pending.dropFirst())) else { return [] }
      defer { pending.removeFirst(1 + count) }
      return Self.plain(pending.dropFirst().prefix(count), .alt).map { [$0] } ?? []
    }
  }

  /// A key that is one character; `nil` for bytes that are no character.
  private static func plain(_ bytes: ArraySlice<UInt8>, _ modifiers: KeyPress.Modifiers)
    -> KeyPress?
  {
    guard let first = bytes.first else { return nil }
    switch first {
    case 0x0D, 0x0A: return KeyPress(.enter, modifiers)
    case 0x09: return KeyPress(.tab, modifiers)
    case 0x08, 0x7F: return KeyPress(.backspace, modifiers)
    case 0x00: return KeyPress(.character(" "), modifiers.union(.control))
    case 0x01...0x1A:
      return KeyPress(
        .character(Character(Unicode.Scalar(first + 0x60))), modifiers.union(.control))
    case 0x1B..<0x20: return nil
    default:
      return String(validating: bytes, as: UTF8.self)?.first.map {
        KeyPress(.character($0), modifiers)
      }
    }
  }

  /// The number of bytes of the character that begins here; `nil` if some are still missing.
  private static func length(_ bytes: [UInt8]) -> Int? {
    let length: Int
    switch bytes[0] {
    case 0xC2..<0xE0: length = 2
    case 0xE0..<0xF0: length = 3
    case 0xF0..<0xF5: length = 4
    default: return 1
    }
    let following = bytes.dropFirst().prefix(length - 1).prefix { $0 & 0xC0 == 0x80 }.count
    if following == length - 1 { return length }
    // An incomplete character is dropped; the byte that interrupts it begins another.
    return bytes.count > following + 1 ? following + 1 : nil
  }

  // MARK: Sequences

  private mutating func controlSequence() -> [KeyPress] {
    let body = pending.dropFirst(2)
    guard let last = body.last else { return [] }
    // The Linux console: F1 is ESC [ [ A.
    if body.first == UInt8(ascii: "[") {
      guard body.count > 1 else { return [] }
      defer { pending = [] }
      let number = Int(last) - Int(UInt8(ascii: "A")) + 1
      return (1...5).contains(number) ? [KeyPress(.function(number))] : []
    }
    // An escape interrupts this sequence and begins another.
    if last == Self.escape {
      pending = [Self.escape]
      return []
    }
    let isShiftOfRxvt = last == UInt8(ascii: "$") && body.count > 1
    guard (0x40...0x7E).contains(last) || isShiftOfRxvt else {
      if body.count > Self.longestSequence { pending = [] }
      return []
    }
    defer { pending = [] }
    // The answer to a query of another program.
    guard !(0x3C...0x3F).contains(body.first ?? 0) else { return [] }
    let numbers = String(decoding: body.dropLast(), as: UTF8.self).split(
      separator: ";", omittingEmptySubsequences: false
    ).map { Int($0.prefix { $0 != ":" }) }
    if last == UInt8(ascii: "~"), numbers.first == 200 {
      pasted = []
      return []
    }
    guard let key = Self.key(last, numbers.first ?? nil, isShiftOfRxvt) else { return [] }
    var modifiers = KeyPress.Modifiers()
    if numbers.count > 1, let number = numbers[1], (2...16).contains(number) {
      let bits = number - 1
      if bits & 1 != 0 { modifiers.insert(.shift) }
      if bits & 10 != 0 { modifiers.insert(.alt) }
      if bits & 4 != 0 { modifiers.insert(.control) }
    }
    let isShifted =
      isShiftOfRxvt || last == UInt8(ascii: "Z")
      || (UInt8(ascii: "a")...UInt8(ascii: "d")).contains(last)
    if isShifted { modifiers.insert(.shift) }
    if last == UInt8(ascii: "^") { modifiers.insert(.control) }
    return [KeyPress(key, modifiers)]
  }

  private static func key(_ last: UInt8, _ number: Int?, _ isShiftOfRxvt: Bool) -> KeyPress.Key? {
    switch last {
    case UInt8(ascii: "~"), UInt8(ascii: "^"): return number.flatMap(numbered)
    case UInt8(ascii: "$") where isShiftOfRxvt: return number.flatMap(numbered)
    case UInt8(ascii: "Z"): return .tab
    case UInt8(ascii: "a")...UInt8(ascii: "d"): return letter(last - 0x20)
    default: return letter(last)
    }
  }

  private static func letter(_ byte: UInt8) -> KeyPress.Key? {
    switch byte {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "M"): .enter
    case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(byte - UInt8(ascii: "P")) + 1)
    default: nil
    }
  }

  private static func numbered(_ number: Int) -> KeyPress.Key? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23, 24: .function(number - 12)
    default: nil
    }
  }
}
