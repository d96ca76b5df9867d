import Diagnostics

/// The edits that turn one text into another.
enum TextEdits {
  /// The edits from one text to another. Where the texts differ only in blanks and removed commas,
  /// there is an edit for each difference, so that the editor's cursor and marks stay in place;
  /// otherwise a single edit from the first difference to the last.
  static func between(_ old: [UInt8], _ new: [UInt8]) -> [Diagnostic.Edit] {
    ofBlanks(old, new) ?? whole(old, new).map { [$0] } ?? []
  }

  private static func ofBlanks(_ old: [UInt8], _ new: [UInt8]) -> [Diagnostic.Edit]? {
    var edits: [Diagnostic.Edit] = []
    var (left, right) = (0, 0)
    while true {
      let (oldBlanks, newBlanks) = (blanks(old, from: left), blanks(new, from: right))
      if old[oldBlanks] != new[newBlanks] {
        edits.append(Diagnostic.Edit(oldBlanks, String(decoding: new[newBlanks], as: UTF8.self)))
      }
      (left, right) = (oldBlanks.upperBound, newBlanks.upperBound)
      guard left < old.count else { return right == new.count ? edits : nil }
      if right < new.count, old[left] == new[right] {
        while left < old.count, right < new.count, old[left] == new[right], !isBlank(old[left]) {
          left += 1
          right += 1
        }
      } else if old[left] == UInt8(ascii: ",") {
        edits.append(Diagnostic.Edit(left..<(left + 1), ""))
        left += 1
      } else {
        return nil
      }
    }
  }

  private static func blanks(_ bytes: [UInt8], from start: Int) -> SourceRange {
    var end = start
    while end < bytes.count, isBlank(bytes[end]) { end += 1 }
    return start..<end
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func whole(_ old: [UInt8], _ new: [UInt8]) -> Diagnostic.Edit? {
    guard old != new else { return nil }
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    // The edit begins and ends between whole characters and line endings.
    while start > 0, isInside(old, start) || isInside(new, start) { start -= 1 }
    while end > 0, isInside(old, old.count - end) || isInside(new, new.count - end) { end -= 1 }
    return Diagnostic.Edit(
      start..<(old.count - end),
      String(decoding: new[start..<(new.count - end)], as: UTF8.self))
  }

  private static func isInside(_ bytes: [UInt8], _ offset: Int) -> Bool {
    guard offset > 0, offset < bytes.count else { return false }
    return bytes[offset] & 0xC0 == 0x80 || bytes[offset] == 0x0A && bytes[offset - 1] == 0x0D
  }
}
