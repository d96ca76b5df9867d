import TerminalScreen

/// The progress of a render in one line.
struct ProgressBar: Equatable {
  /// Rendered frames.
  var done: Int
  var total: Int
  var sampleRate: Double
  /// Seconds since the beginning of the render.
  var seconds: Double

  /// Draws the line in one row of `width` columns. If it is too narrow, the bar is left out, then
  /// the end of the row.
  func grid(width: Int, _ set: DrawingSet) -> ScreenGrid {
    var grid = ScreenGrid(columns: width, rows: 1)
    let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
    let speed = Double(done) / sampleRate / max(1e-9, seconds)
    var numbers =
      "\(fixed(share * 100, 0)) %  \(clock(Double(done) / sampleRate)) of "
      + "\(clock(Double(total) / sampleRate))  \(fixed(speed, 0)) x"
    // The time left is shown only after the first second.
    let left = seconds / max(1e-9, share) - seconds
    if share > 0, seconds > 1 { numbers += "  \(clock(left)) left" }
    let room = min(40, width - numbers.count - 1)
    var column = 0
    if room >= 5 {
      grid.putBar(share, row: 0, column: 0, columns: room, set) { _ in CellStyle(.green) }
      column = room + 1
    }
    grid.put(numbers, row: 0, column: column)
    return grid
  }
}
