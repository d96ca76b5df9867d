import RenderCore
import TerminalScreen

/// What the line of a running patch shows, ten times a second.
struct LiveLine: Equatable {
  /// Seconds that have been rendered.
  var position: Double
  /// Seconds until the end; `nil` for none.
  var total: Double?
  /// The greatest magnitude since the last line, where 1 is full scale.
  var peak: Double
  /// The greatest magnitude of late, in dBFS: a mark on the meter.
  var held = -Double.infinity
  /// The largest share of a slice's duration since the last line, 0 to 1.
  var load: Double
  var xruns: Int
  /// Decibels by which the limit of the output has turned down since the last line; 0 for nothing.
  var reduction = 0.0
  /// In LUFS, where a tap measures it.
  var loudness: Double?
  /// Whether there is no device, and nothing is heard.
  var isWithoutDevice = false

  /// In one row of so many columns. Where they are few the meter goes first, then the end of the row.
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

/// The highest of the levels of the last second, in dBFS, which then falls by 20 dB a second.
struct PeakHold {
  private var level = -Double.infinity
  private var since = 0.0
  private var last = 0.0

  /// Takes a magnitude at a time, in seconds, and returns the level to show.
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
