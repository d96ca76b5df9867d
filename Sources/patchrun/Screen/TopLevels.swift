import RenderCore
import TerminalScreen

/// The pane of meters: a line for each channel, two for a loudness, four for a spectrum.
extension TopScreen {
  /// The widths of a line's columns.
  private struct Columns {
    var label: Int
    var bar: Int
    var hasPeak: Bool
    var hasHighest: Bool

    /// The label is followed by the number of the channel.
    var barColumn: Int { label + 3 }
    static let number = 7

    init(_ meters: [TopMeter], width: Int) {
      hasPeak = width >= 28
      hasHighest = width >= 38
      let longest = meters.map { terminalWidth(of: $0.name) }.max() ?? 0
      label = min(max(longest, 4), max(4, width / 3))
      let numbers = (hasPeak ? Self.number : 0) + (hasHighest ? Self.number : 0)
      bar = max(0, width - label - 4 - numbers)
    }
  }

  mutating func drawLevels() {
    guard let area = layout.levels, area.rows > 0 else { return }
    let all = model.levelLineCount
    let top = min(model.levelsTop, max(0, all - layout.levelLines))
    let shown = min(layout.levelLines, all - top)
    drawHeading(.levels, "Levels", Self.span(top, shown, of: all), in: area)
    guard !model.meters.isEmpty else {
      grid.put(
        "nothing is metered: a tap of the kind meter, or meteringMode of a mixer's bus",
        row: area.row + 1, column: area.column + 2, limit: area.columns - 2, Self.faint,
        ellipsis: set.ellipsis)
      return
    }
    let width = (area.columns - layout.levelColumns - 1) / layout.levelColumns
    let columns = Columns(model.meters, width: width)
    let hasScale = layout.levelRows + 1 < area.rows
    let first = area.row + (hasScale ? 2 : 1)
    if hasScale {
      for index in 0..<layout.levelColumns {
        drawScale(area.row + 1, area.column + 1 + index * (width + 1), columns)
      }
    }
    let lines = model.meters.flatMap { meter in (0..<meter.lineCount).map { (meter, $0) } }
    for (index, (meter, line)) in lines.dropFirst(top).prefix(shown).enumerated() {
      let place = ScreenArea(
        row: first + index % layout.levelRows,
        column: area.column + 1 + index / layout.levelRows * (width + 1), columns: width, rows: 1)
      // The first visible line of a meter shows its name.
      if line == 0 || index % layout.levelRows == 0 {
        grid.put(
          meter.name, row: place.row, column: place.column, limit: columns.label,
          line == 0 ? .plain : Self.faint, ellipsis: set.ellipsis)
      }
      if meter.spectrum != nil {
        drawSpectrum(meter, line, place, columns)
      } else if let loudness = meter.loudness {
        drawLoudness(loudness, line, place, columns)
      } else if line < meter.levels.count {
        drawLevel(meter, line, place, columns)
      }
    }
  }

  /// Draws a decibel scale above the bars, if it fits.
  private mutating func drawScale(_ row: Int, _ column: Int, _ columns: Columns) {
    guard columns.bar >= 8 else { return }
    let begin = column + columns.barColumn
    let end = begin + columns.bar
    var free = end
    for level in [0, -10, -20, -30, -40, -50, -60] as [Double] {
      let text = fixed(level, 0)
      let place = begin + Int(TopScale.deflection(level) * Double(columns.bar))
      // The last digit of a number is at its mark.
      guard place - text.count >= begin, place <= free else { continue }
      grid.put(text, row: row, endingAt: place, Self.faint)
      free = place - text.count - 1
    }
    if columns.hasPeak { grid.put("peak", row: row, endingAt: end + Columns.number, Self.faint) }
    if columns.hasHighest {
      grid.put("max", row: row, endingAt: end + 2 * Columns.number, Self.faint)
    }
  }

  static func zone(_ level: Double) -> CellStyle {
    level > -3 ? CellStyle(.red) : level > -12 ? CellStyle(.yellow) : CellStyle(.green)
  }

  private mutating func drawLevel(
    _ meter: TopMeter, _ channel: Int, _ place: ScreenArea, _ columns: Columns
  ) {
    let level = meter.levels[channel]
    let names = meter.levels.count == 2 ? ["L", "R"] : []
    let name =
      meter.levels.count == 1 ? "" : channel < names.count ? names[channel] : "\(channel + 1)"
    let begin = place.column + columns.barColumn
    grid.put(name, row: place.row, endingAt: begin - 1, limit: 2, Self.faint)
    drawBar(level.average, mark: level.peak, row: place.row, column: begin, columns.bar)
    let end = begin + columns.bar
    if columns.hasPeak {
      grid.put(Self.decibels(level.peak), row: place.row, endingAt: end + Columns.number)
    }
    guard columns.hasHighest else { return }
    let highest = model.highest[meter.name].flatMap { channel < $0.count ? $0[channel] : nil }
    let isOver = (highest ?? -.infinity) >= 0
    grid.put(
      Self.decibels(highest ?? level.peak), row: place.row, endingAt: end + 2 * Columns.number,
      isOver ? CellStyle(.red, bold: true, reversed: true) : Self.faint)
  }

  private mutating func drawBar(
    _ level: Double, mark: Double, row: Int, column: Int, _ columns: Int
  ) {
    guard columns > 0 else { return }
    grid.putBar(
      TopScale.deflection(level), row: row, column: column, columns: columns, set
    ) { Self.zone(TopScale.level($0)) }
    let share = TopScale.deflection(mark)
    guard share > 0 else { return }
    var style = Self.zone(mark)
    style.isBold = true
    let place = min(columns - 1, Int(share * Double(columns)))
    grid.put(set.mark, row: row, column: column + place, style)
  }

  /// For example `-12.3`; `-inf` below the floor of the meters.
  static func decibels(_ level: Double) -> String { level > -119.9 ? fixed(level, 1) : "-inf" }

  /// The bar is the momentary loudness, the mark the short-term loudness (3 s).
  private mutating func drawLoudness(
    _ loudness: TopMeter.Loudness, _ line: Int, _ place: ScreenArea, _ columns: Columns
  ) {
    let begin = place.column + columns.barColumn
    if line == 0 {
      grid.put("M", row: place.row, endingAt: begin - 1, limit: 2, Self.faint)
      drawBar(
        loudness.momentary, mark: loudness.shortTerm, row: place.row, column: begin, columns.bar)
      let end = begin + columns.bar
      let room = (columns.hasPeak ? Columns.number : 0) + (columns.hasHighest ? Columns.number : 0)
      let text = Self.decibels(loudness.momentary)
      grid.put(
        room >= 13 ? text + " LUFS" : text, row: place.row, endingAt: end + room,
        limit: max(0, room - 1))
      return
    }
    let peaks = loudness.truePeaks.prefix(4).map(Self.decibels).joined(separator: " ")
    let text =
      "S \(Self.decibels(loudness.shortTerm))  I \(Self.decibels(loudness.integrated))  "
      + (peaks.isEmpty ? "" : "true peak \(peaks)  ") + "range \(fixed(loudness.range, 1)) LU"
    grid.put(
      text, row: place.row, column: begin, limit: place.endColumn - begin, ellipsis: set.ellipsis)
  }

  // MARK: Spectra

  private static let lowest = 20.0

  /// Three rows of levels, -90 dBFS to full scale, over octaves, and a row of frequencies.
  private mutating func drawSpectrum(
    _ meter: TopMeter, _ line: Int, _ place: ScreenArea, _ columns: Columns
  ) {
    let begin = place.column + columns.barColumn
    let highest = max(1000, model.status.sampleRate / 2)
    guard columns.bar >= 8 else { return }
    if line == 3 {
      var free = begin
      for (frequency, text) in [(100.0, "100"), (1000, "1k"), (10_000, "10k")] {
        let share = renderLog10(frequency / Self.lowest) / renderLog10(highest / Self.lowest)
        let column = begin + Int(share * Double(columns.bar))
        guard share < 1, column >= free, column + text.count <= begin + columns.bar else {
          continue
        }
        grid.put(text, row: place.row, column: column, Self.faint)
        free = column + text.count + 1
      }
      grid.put("Hz", row: place.row, endingAt: begin - 1, limit: 2, Self.faint)
      return
    }
    let values = Self.bands(meter.spectrum ?? [], columns.bar, highest: highest)
    for (index, value) in values.enumerated() {
      let height = max(0, min(1, 1 + value / 90)) * 3
      let text = set.vertical(height - Double(2 - line))
      if text != " " {
        grid.put(text, row: place.row, column: begin + index, Self.zone(value))
      }
    }
    guard line == 0, columns.hasPeak, let frequency = meter.peakFrequency else { return }
    let room = Columns.number + (columns.hasHighest ? Columns.number : 0)
    grid.put(
      "\(fixed(frequency, frequency < 1000 ? 1 : 0)) Hz", row: place.row,
      endingAt: begin + columns.bar + room, limit: room - 1)
  }

  /// The strongest bin of each column.
  private static func bands(_ levels: [Double], _ count: Int, highest: Double) -> [Double] {
    guard levels.count > 1 else { return Array(repeating: -.infinity, count: count) }
    let width = highest / Double(levels.count - 1)
    func bin(_ column: Int) -> Double {
      lowest * renderPower(highest / lowest, Double(column) / Double(count)) / width
    }
    return (0..<count).map { column in
      let first = max(0, min(levels.count - 1, Int(bin(column).rounded())))
      let last = max(first, min(levels.count - 1, Int(bin(column + 1).rounded()) - 1))
      return levels[first...last].max() ?? -.infinity
    }
  }
}
