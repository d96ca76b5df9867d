/// Turns grids into output for a terminal: only the cells that differ from the grid before.
///
/// The sequences are those of every terminal since the VT100 (ECMA-48), and modes that terminals
/// without them ignore: the alternate screen (1049), bracketed paste (2004) and synchronized
/// updates (2026).
public struct ScreenWriter: Sendable {
  /// Whether colours are sent.
  public var hasColors: Bool
  /// Whether the terminal shows UTF-8. Otherwise each character that is not ASCII becomes `?`.
  public var isUTF8: Bool
  private var shown: ScreenGrid?

  public init(hasColors: Bool, isUTF8: Bool) {
    self.hasColors = hasColors
    self.isUTF8 = isUTF8
  }

  /// Switches to the alternate screen, cleared and without a cursor.
  public static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h\u{1B}[0m\u{1B}[2J"
  /// Switches back to the former screen. ASCII; sent twice it does no harm.
  public static let leave = "\u{1B}[?2026l\u{1B}[?2004l\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  /// Forgets the grid that is shown, so that the next one is sent whole: after a change of size, or
  /// after other output.
  public mutating func forget() { shown = nil }

  /// The output that makes a terminal show a grid; empty if the terminal shows it already.
  public mutating func update(to grid: ScreenGrid) -> String {
    let before = shown.flatMap { $0.columns == grid.columns && $0.rows == grid.rows ? $0 : nil }
    var text = before == nil ? "\u{1B}[0m\u{1B}[2J" : ""
    var style: CellStyle? = before == nil ? .plain : nil
    for row in 0..<grid.rows {
      /// The column of the cursor; -1 if it is not known.
      var cursor = -1
      for column in 0..<grid.columns {
        let cell = grid[row, column]
        guard cell != before?[row, column] ?? ScreenGrid.Cell(), !cell.text.isEmpty else {
          continue
        }
        if cursor != column { text += "\u{1B}[\(row + 1);\(column + 1)H" }
        if style != cell.style { text += cell.style.sequence(hasColors: hasColors) }
        style = cell.style
        let isWide = column + 1 < grid.columns && grid[row, column + 1].text.isEmpty
        text += encoded(cell.text, isWide: isWide)
        // Terminals do not agree on the width of other characters.
        cursor = Self.hasCertainWidth(cell.text) ? column + 1 : -1
      }
    }
    shown = grid
    guard !text.isEmpty else { return "" }
    return "\u{1B}[?2026h\(text)\u{1B}[0m\u{1B}[?2026l"
  }

  /// A row of a grid, with its styles but without the blanks at its end, for output without a
  /// screen.
  public func line(_ grid: ScreenGrid, row: Int = 0) -> String {
    var end = grid.columns
    while end > 0, grid[row, end - 1] == ScreenGrid.Cell() { end -= 1 }
    var text = ""
    var style = CellStyle.plain
    for column in 0..<end where !grid[row, column].text.isEmpty {
      let cell = grid[row, column]
      if style != cell.style, hasColors { text += cell.style.sequence(hasColors: true) }
      style = cell.style
      let isWide = column + 1 < grid.columns && grid[row, column + 1].text.isEmpty
      text += encoded(cell.text, isWide: isWide)
    }
    return style == .plain || !hasColors ? text : text + "\u{1B}[0m"
  }

  private func encoded(_ text: String, isWide: Bool) -> String {
    isUTF8 || text.utf8.allSatisfy { $0 < 0x80 } ? text : isWide ? "??" : "?"
  }

  /// Whether a character is one column wide in every terminal: ASCII, Latin, lines and blocks.
  private static func hasCertainWidth(_ text: String) -> Bool {
    guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1 else {
      return false
    }
    return scalar.value < 0x250 || (0x2500..<0x25A0).contains(scalar.value)
  }
}
