import TerminalScreen

/// A screen that interprets the control sequences that full-screen programs of this project send.
/// Unknown sequences are collected, so that a test can require that there are none.
public struct TerminalEmulator {
  public private(set) var columns: Int
  public private(set) var rows: Int
  /// A character for each column; empty for the second one of a wide character.
  public private(set) var cells: [[String]]
  /// The SGR numbers that were selected when a cell was written.
  public private(set) var looks: [[[Int]]]
  public private(set) var isAlternate = false
  public private(set) var isCursorShown = true
  public private(set) var isPasteBracketed = false
  /// Sequences that it does not know.
  public private(set) var strangers: [String] = []
  private var row = 0
  private var column = 0
  private var look: [Int] = []
  private var pending: [UInt8] = []

  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    looks = Array(repeating: Array(repeating: [], count: columns), count: rows)
  }

  /// Changes the size: contents are cut off or padded with blanks.
  public mutating func resize(columns: Int, rows: Int) {
    var next = TerminalEmulator(columns: columns, rows: rows)
    for row in 0..<min(rows, self.rows) {
      for column in 0..<min(columns, self.columns) {
        next.cells[row][column] = cells[row][column]
        next.looks[row][column] = looks[row][column]
      }
    }
    (self.columns, self.rows, cells, looks) = (columns, rows, next.cells, next.looks)
    (row, column) = (min(row, max(0, rows - 1)), min(column, max(0, columns - 1)))
  }

  /// A row without trailing blanks.
  public func text(row: Int) -> String {
    var text = cells[row].joined()
    while text.last == " " { text.removeLast() }
    return text
  }

  /// All rows, one per line.
  public var text: String { (0..<rows).map { text(row: $0) + "\n" }.joined() }

  public mutating func write(_ text: String) { write(Array(text.utf8)) }

  /// Interprets output of a program, which may be split anywhere.
  public mutating func write(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    while let count = takeOne() { pending.removeFirst(count) }
  }

  /// Interprets one sequence or one run of characters and returns its length in bytes; `nil` if it
  /// is incomplete.
  private mutating func takeOne() -> Int? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return takeSequence()
    case 0x0D: column = 0
    case 0x0A: row = min(rows - 1, row + 1)
    case 0x00..<0x20, 0x7F: strangers.append("\(first)")
    default:
      // A text ends at the next control character; its last character may be incomplete.
      var text = pending.prefix { $0 >= 0x20 && $0 != 0x7F }
      if text.count == pending.count, let decoded = String(validating: text, as: UTF8.self) {
        put(decoded)
        return text.count
      }
      while !text.isEmpty, text.count == pending.count, text.last.map({ $0 >= 0x80 }) == true {
        text.removeLast()
      }
      guard !text.isEmpty else { return nil }
      put(String(decoding: text, as: UTF8.self))
      return text.count
    }
    return 1
  }

  private mutating func put(_ text: String) {
    for glyph in glyphs(of: text) {
      guard column < columns else { return }
      cells[row][column] = glyph.text
      looks[row][column] = look
      if glyph.width == 2, column + 1 < columns {
        cells[row][column + 1] = ""
        looks[row][column + 1] = look
      }
      column += glyph.width
    }
  }

  private mutating func takeSequence() -> Int? {
    guard pending.count > 1 else { return nil }
    guard pending[1] == UInt8(ascii: "[") else {
      strangers.append(String(decoding: pending.prefix(2), as: UTF8.self))
      return 2
    }
    guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return nil
    }
    let body = String(decoding: pending[2..<end], as: UTF8.self)
    let numbers = body.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    switch (pending[end], body) {
    case (UInt8(ascii: "H"), _):
      row = min(rows, max(1, numbers.first ?? 1)) - 1
      column = max(1, numbers.count > 1 ? numbers[1] : 1) - 1
    case (UInt8(ascii: "J"), "2"):
      self = blank()
      return end + 1
    case (UInt8(ascii: "K"), _):
      for place in min(column, columns)..<columns {
        cells[row][place] = " "
        looks[row][place] = []
      }
    case (UInt8(ascii: "m"), _): look = numbers.filter { $0 != 0 }
    case (UInt8(ascii: "h"), "?1049"): isAlternate = true
    case (UInt8(ascii: "l"), "?1049"): isAlternate = false
    case (UInt8(ascii: "h"), "?25"): isCursorShown = true
    case (UInt8(ascii: "l"), "?25"): isCursorShown = false
    case (UInt8(ascii: "h"), "?2004"): isPasteBracketed = true
    case (UInt8(ascii: "l"), "?2004"): isPasteBracketed = false
    case (UInt8(ascii: "h"), "?2026"), (UInt8(ascii: "l"), "?2026"): break
    default: strangers.append(String(decoding: pending[...end], as: UTF8.self))
    }
    return end + 1
  }

  private func blank() -> TerminalEmulator {
    var next = self
    next.cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    next.looks = Array(repeating: Array(repeating: [], count: columns), count: rows)
    return next
  }
}
