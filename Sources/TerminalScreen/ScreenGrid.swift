/// The contents of a screen: rows of cells. Drawing code makes it, tests look at it, and a
/// `ScreenWriter` writes it.
public struct ScreenGrid: Hashable, Sendable {
  /// One column of one row.
  public struct Cell: Hashable, Sendable {
    /// One character as a reader sees it. Empty for the second column of a wide one.
    public var text: String
    public var style: CellStyle

    public init(_ text: String = " ", _ style: CellStyle = .plain) {
      self.text = text
      self.style = style
    }
  }

  public let columns: Int
  public let rows: Int
  /// The cells, row by row.
  public private(set) var cells: [Cell]

  /// A grid of blanks. Negative sizes count as 0.
  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    cells = Array(repeating: Cell(), count: self.columns * self.rows)
  }

  /// The whole grid.
  public var area: ScreenArea { ScreenArea(row: 0, column: 0, columns: columns, rows: rows) }

  /// The cell at a place, which has to be on the grid.
  public subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

  /// The characters of a row, without the blanks at its end.
  public func text(row: Int) -> String {
    var text = cells[(row * columns)..<((row + 1) * columns)].map(\.text).joined()
    while text.last == " " { text.removeLast() }
    return text
  }

  /// All rows, a line each.
  public var text: String { (0..<rows).map { text(row: $0) + "\n" }.joined() }

  /// Puts a text into a row. The part outside the grid, or beyond `limit` columns, is cut off.
  ///
  /// - Parameters:
  ///   - limit: The columns that it may take; `nil` for up to the edge of the grid.
  ///   - ellipsis: The end of a text that was cut off.
  /// - Returns: The columns that it takes.
  @discardableResult
  public mutating func put(
    _ text: String, row: Int, column: Int, limit: Int? = nil, _ style: CellStyle = .plain,
    ellipsis: String = ""
  ) -> Int {
    let room = min(limit ?? .max, columns - column)
    guard row >= 0, row < rows, column >= 0, room > 0 else { return 0 }
    let glyphs = glyphs(of: text)
    var kept = glyphs[...]
    var ending: [(text: String, width: Int)] = []
    if glyphs.reduce(0, { $0 + $1.width }) > room {
      ending = TerminalScreen.glyphs(of: ellipsis)
      if ending.count > room { ending = [] }
      var width = 0
      kept = glyphs.prefix { glyph in
        width += glyph.width
        return width <= room - ending.count
      }
    }
    var place = column
    for glyph in kept + ending {
      set(row, place, Cell(glyph.text, style), width: glyph.width)
      place += glyph.width
    }
    return place - column
  }

  /// Puts a text into a row so that it ends in front of a column. What does not fit is cut off at
  /// its beginning.
  public mutating func put(
    _ text: String, row: Int, endingAt end: Int, limit: Int? = nil, _ style: CellStyle = .plain
  ) {
    let room = min(limit ?? .max, end)
    var kept: [(text: String, width: Int)] = []
    var width = 0
    for glyph in glyphs(of: text).reversed() where width + glyph.width <= room {
      kept.append(glyph)
      width += glyph.width
    }
    put(kept.reversed().map(\.text).joined(), row: row, column: end - width, style)
  }

  /// Fills an area with a character one column wide.
  public mutating func fill(
    _ area: ScreenArea, _ text: String = " ", _ style: CellStyle = .plain
  ) {
    for row in max(0, area.row)..<max(0, area.row, min(rows, area.endRow)) {
      for column in max(0, area.column)..<max(0, area.column, min(columns, area.endColumn)) {
        set(row, column, Cell(text, style), width: 1)
      }
    }
  }

  /// Changes the look of an area.
  public mutating func restyle(_ area: ScreenArea, _ change: (inout CellStyle) -> Void) {
    for row in max(0, area.row)..<max(0, area.row, min(rows, area.endRow)) {
      for column in max(0, area.column)..<max(0, area.column, min(columns, area.endColumn)) {
        change(&cells[row * columns + column].style)
      }
    }
  }

  /// Sets a cell. A wide character that is half covered becomes a blank.
  private mutating func set(_ row: Int, _ column: Int, _ cell: Cell, width: Int) {
    let index = row * columns + column
    if cells[index].text.isEmpty, column > 0 { cells[index - 1].text = " " }
    if column + width < columns, cells[index + width].text.isEmpty {
      cells[index + width].text = " "
    }
    cells[index] = cell
    if width == 2 { cells[index + 1] = Cell("", cell.style) }
  }
}

/// A rectangle of a screen. Rows and columns count from 0, at the upper left corner.
public struct ScreenArea: Hashable, Sendable {
  public var row: Int
  public var column: Int
  public var columns: Int
  public var rows: Int

  public init(row: Int, column: Int, columns: Int, rows: Int) {
    self.row = row
    self.column = column
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }

  /// The first row below it, and the first column to its right.
  public var endRow: Int { row + rows }
  public var endColumn: Int { column + columns }

  /// One row of it.
  public func line(_ number: Int) -> ScreenArea {
    ScreenArea(row: row + number, column: column, columns: columns, rows: 1)
  }

  /// The area without its first rows.
  public func below(_ number: Int) -> ScreenArea {
    let taken = min(rows, max(0, number))
    return ScreenArea(row: row + taken, column: column, columns: columns, rows: rows - taken)
  }
}
