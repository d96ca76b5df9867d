import TerminalScreen

/// The areas of the screen.
struct TopLayout: Equatable {
  /// The title and, if there is room, the grant and the load.
  var header: ScreenArea
  /// The panes that are shown, each with its heading.
  var levels: ScreenArea?
  var controls: ScreenArea?
  var events: ScreenArea?
  /// The line between two columns of panes.
  var divider: ScreenArea?
  /// The keys, the prompt or a message.
  var footer: ScreenArea?
  /// The number of columns in the pane of levels, and their rows.
  var levelColumns = 1
  var levelRows = 0

  var levelLines: Int { levelRows * levelColumns }
  var eventLines: Int { max(0, (events?.rows ?? 0) - 1) }

  /// The minimum width of a column of levels if there are several.
  static let levelWidth = 44

  init(_ model: TopModel, columns: Int, rows: Int) {
    let headerRows = rows >= 18 ? 3 : rows >= 8 ? 2 : 1
    header = ScreenArea(row: 0, column: 0, columns: columns, rows: min(rows, headerRows))
    if rows >= 4 { footer = ScreenArea(row: rows - 1, column: 0, columns: columns, rows: 1) }
    let body = ScreenArea(
      row: headerRows, column: 0, columns: columns,
      rows: max(0, rows - headerRows - (footer == nil ? 0 : 1)))
    guard columns >= 16, body.rows >= 2 else { return }
    // The heading, the scale and the lines.
    let wanted = 2 + max(1, model.levelLineCount)
    if columns >= 120, body.rows >= 12 {
      let left = columns / 2
      let most = body.rows - min(8, body.rows / 3)
      let top = min(max(wanted, 5), most)
      levels = ScreenArea(row: body.row, column: 0, columns: left, rows: top)
      events = ScreenArea(
        row: body.row + top, column: 0, columns: left, rows: body.rows - top)
      divider = ScreenArea(row: body.row, column: left, columns: 1, rows: body.rows)
      controls = ScreenArea(
        row: body.row, column: left + 1, columns: columns - left - 1, rows: body.rows)
    } else if body.rows >= 14 {
      let bottom = max(4, body.rows / 5)
      let top = min(wanted, max(5, body.rows * 2 / 5))
      levels = ScreenArea(row: body.row, column: 0, columns: columns, rows: top)
      controls = ScreenArea(
        row: body.row + top, column: 0, columns: columns, rows: body.rows - top - bottom)
      events = ScreenArea(
        row: body.endRow - bottom, column: 0, columns: columns, rows: bottom)
    } else {
      switch model.focus {
      case .levels: levels = body
      case .controls: controls = body
      case .events: events = body
      }
    }
    guard let levels else { return }
    levelRows = max(0, levels.rows - (levels.rows >= 4 ? 2 : 1))
    let needed = levelRows > 0 ? (model.levelLineCount + levelRows - 1) / levelRows : 1
    levelColumns = max(1, min(needed, levels.columns / Self.levelWidth))
  }
}
