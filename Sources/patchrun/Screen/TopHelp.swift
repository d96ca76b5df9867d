import TerminalScreen

/// The list of keys, on top of everything else.
extension TopScreen {
  private static func lines(_ set: DrawingSet) -> [(String, String)] {
    let arrows =
      set == .unicode ? ["↑ ↓", "← →", "⇧← ⇧→"] : ["up down", "left right", "Shift + them"]
    return [
      ("", "Controls"),
      (arrows[0] + "  g G", "choose one; the first, the last"),
      ("[  ]", "to the bus before, to the next"),
      (arrows[1], "turn it down, up"),
      ("PgDn PgUp  " + arrows[2], "turn it by more"),
      ("Home End", "to the ends of its range"),
      ("0-9 - .  Enter", "type a value: 0.5, -6dB, 2k; a switch changes over"),
      ("Del", "its default: out of the document"),
      ("u", "undo"),
      ("/  Esc", "filter by name or bus; show all"),
      ("", "Everywhere"),
      ("Tab", "to the next pane, whose arrow keys scroll"),
      ("r", "let go of the highest peaks"),
      ("p", "pause, and go on"),
      ("s", "stop the patch, after a question"),
      ("Ctrl-L  Ctrl-Z", "draw anew; suspend"),
      ("q  Ctrl-C", "quit: the patch plays on"),
      ("", "A level's bar is its average, the mark its peak; max since the start, or r."),
      ("", "Bold is what the document says, ~ what its timeline moves."),
    ]
  }

  mutating func drawHelp() {
    let lines = Self.lines(set)
    let keys = lines.map { terminalWidth(of: $0.0) }.max() ?? 0
    let widest =
      lines.map {
        $0.0.isEmpty ? terminalWidth(of: $0.1) : keys + 2 + terminalWidth(of: $0.1)
      }.max() ?? 0
    let columns = min(grid.columns, widest + 4)
    let rows = min(grid.rows, lines.count + 2)
    let area = ScreenArea(
      row: (grid.rows - rows) / 2, column: (grid.columns - columns) / 2, columns: columns,
      rows: rows)
    grid.fill(area)
    grid.fill(area.line(0), set.rule, Self.faint)
    grid.fill(area.line(rows - 1), set.rule, Self.faint)
    grid.put(
      " patchrun ctl top: any key closes this ", row: area.row, column: area.column + 2,
      limit: columns - 4, Self.strong)
    for (index, (key, words)) in lines.enumerated().prefix(max(0, rows - 2)) {
      let row = area.row + 1 + index
      let column = area.column + 2
      if key.isEmpty {
        grid.put(
          words, row: row, column: column, limit: columns - 3,
          words.contains(" ") ? Self.faint : CellStyle(.cyan, bold: true), ellipsis: set.ellipsis)
        continue
      }
      grid.put(key, row: row, column: column, limit: columns - 3, Self.strong)
      grid.put(
        words, row: row, column: column + keys + 2, limit: columns - keys - 5,
        ellipsis: set.ellipsis)
    }
  }
}
