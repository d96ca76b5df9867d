import TerminalScreen

/// The values in the live line of a run, which is drawn ten times a second.
struct LiveLine: Equatable {
  /// Rendered seconds.
  var position: Double
  /// Seconds until the end; `nil` without an end.
  var total: Double?
  /// The peak since the last line, where 1 is full scale.
  var peak: Double
  /// The held peak in dBFS: the mark on the meter.
  var held = -Double.infinity
  /// The largest load of a slice since the last line: 1 is the slice's duration.
  var load: Double
  var xruns: Int
  /// The largest reduction by the output limit since the last line, in decibels.
  var reduction = 0.0
  /// Short-term loudness in LUFS, if a tap measures it.
  var loudness: Double?
  /// Whether the run plays without a device, unheard.
  var isWithoutDevice = false

  /// Draws the line in one row of `width` columns. If it is too narrow, the meter is left out, then
  /// the end of the row.
  func grid(width: Int, _ set: DrawingSet) -> ScreenGrid {
    var grid = ScreenGrid(columns: width, rows: 1)
    let level = TopScale.decibels(max(0, peak))
    let time = clock(position) + (total.map { " of \(clock($0))" } ?? "")
    let reading = decibels(peak)
    let number = String(repeating: " ", count: max(0, 10 - reading.count)) + reading
    var rest: [(String, CellStyle)] = loudness.map { [("\(fixed($0, 1)) LUFS", .plain)] } ?? []
    if isWithoutDevice { rest.append(("NO DEVICE", TopScreen.bad)) }
    if reduction > 0 { rest.append(("limit -\(fixed(reduction, 1)) dB", TopScreen.bad)) }
    rest.append(("load \(fixed(load * 100, 1)) %", load > 0.7 ? TopScreen.load(load) : .plain))
    rest.append(("xruns \(xruns)", xruns > 0 ? TopScreen.bad : .plain))
    let words = rest.reduce(0) { $0 + 2 + $1.0.count }
    let room = width - time.count - number.count - words - 3
    var column = grid.put(time, row: 0, column: 0) + 2
    if room >= 10 {
      let bar = min(40, room)
      grid.putBar(TopScale.deflection(level), row: 0, column: column, columns: bar, set) {
        TopScreen.zone(TopScale.level($0))
      }
      let mark = TopScale.deflection(held)
      if mark > 0 {
        var style = TopScreen.zone(held)
        style.isBold = true
        grid.put(
          set.mark, row: 0, column: column + min(bar - 1, Int(mark * Double(bar))), style)
      }
      column += bar + 1
    }
    column += grid.put(
      number, row: 0, column: column, level >= 0 ? TopScreen.bad : .plain)
    for (text, style) in rest {
      column += 2
      column += grid.put(text, row: 0, column: column, style)
    }
    return grid
  }
}

/// A held peak in dBFS: it is kept for a second, then falls by 20 dB a second.
struct PeakHold {
  private var level = -Double.infinity
  private var since = 0.0
  private var last = 0.0

  /// Takes a magnitude at time `now` (seconds) and returns the level to show.
  mutating func take(_ magnitude: Double, at now: Double) -> Double {
    let new = magnitude > 0 ? TopScale.decibels(magnitude) : -.infinity
    if now - since > 1 { level -= 20 * (now - max(last, since + 1)) }
    last = now
    if new >= level {
      level = new
      since = now
    }
    return level
  }
}
