import TerminalScreen

/// Draws `patchrun ctl top` from a model to a grid of cells.
struct TopScreen {
  let model: TopModel
  let layout: TopLayout
  let set: DrawingSet
  /// The current time of the model's clock.
  let now: Double
  var grid: ScreenGrid

  static func draw(
    _ model: TopModel, columns: Int, rows: Int, _ set: DrawingSet, at now: Double
  ) -> ScreenGrid {
    var screen = TopScreen(
      model: model, layout: TopLayout(model, columns: columns, rows: rows), set: set, now: now,
      grid: ScreenGrid(columns: columns, rows: rows))
    screen.drawHeader()
    screen.drawLevels()
    screen.drawControls()
    screen.drawEvents()
    if let divider = screen.layout.divider {
      screen.grid.fill(divider, set.divider, Self.faint)
    }
    screen.drawFooter()
    if model.showsHelp { screen.drawHelp() }
    return screen.grid
  }

  static let faint = CellStyle(dim: true)
  static let strong = CellStyle(bold: true)
  static let good = CellStyle(.green)
  static let warning = CellStyle(.yellow)
  static let bad = CellStyle(.red, bold: true)

  // MARK: The head

  private mutating func drawHeader() {
    let area = layout.header
    guard area.rows > 0 else { return }
    let right = stateAndPosition
    var end = area.columns
    for (text, style) in right.reversed() {
      let width = terminalWidth(of: text)
      guard end - width >= 0 else { break }
      grid.put(text, row: 0, column: end - width, style)
      end -= width
    }
    grid.put(
      model.status.title, row: 0, column: 0, limit: max(0, end - 2), Self.strong,
      ellipsis: set.ellipsis)
    if area.rows > 2 {
      grid.put(
        model.status.grant, row: 1, column: 0, limit: area.columns, Self.faint,
        ellipsis: set.ellipsis)
    }
    if area.rows > 1 { drawLoad(row: area.rows - 1) }
  }

  /// The state and the position, from the right edge.
  private var stateAndPosition: [(String, CellStyle)] {
    var state = model.status.state
    var style = Self.warning
    switch model.link {
    case .lost: (state, style) = ("not answering", Self.bad)
    case .ended: (state, style) = ("ended", Self.bad)
    case .connected: if state == "playing" { style = Self.good }
    }
    style.isBold = true
    var time = clock(model.position(at: now))
    if let duration = model.status.duration { time += " of \(clock(duration))" }
    return [(state, style), ("  ", .plain), (time, .plain)]
  }

  private mutating func drawLoad(row: Int) {
    let status = model.status
    var column = grid.put("load ", row: row, column: 0)
    let bar = min(20, max(0, grid.columns / 8))
    if bar >= 5 {
      grid.putBar(status.load, row: row, column: column, columns: bar, set) { share in
        share > 0.9 ? Self.bad : share > 0.7 ? Self.warning : Self.good
      }
      column += bar + 1
    }
    column += grid.put(
      "\(fixed(status.load * 100, 1)) %", row: row, column: column, Self.load(status.load))
    column += grid.put("  peak ", row: row, column: column)
    column += grid.put(
      "\(fixed(status.peakLoad * 100, 1)) %", row: row, column: column,
      Self.load(status.peakLoad))
    var counts: [(String, CellStyle)] = []
    func count(_ number: Int, _ word: String, always: Bool = false) {
      guard always || number > 0 else { return }
      counts.append(("\(word) \(number)", number > 0 ? Self.bad : Self.faint))
    }
    count(status.underruns, "underruns", always: true)
    count(status.overruns, "overruns")
    count(status.failedSlices, "failed slices")
    count(status.lostFrames, "lost frames")
    if status.pendingStages > 0 {
      counts.append(("changes on the way \(status.pendingStages)", Self.warning))
    }
    let words = counts.reduce(0) { $0 + terminalWidth(of: $1.0) + 2 }
    let history = min(40, grid.columns - column - 2 - words)
    if history >= 6 {
      // Loads are mostly small: the graph is scaled to show changes.
      let top = max(0.02, model.peakLoads.suffix(history).max() ?? 0)
      grid.putGraph(
        model.peakLoads.map { $0 / top },
        in: ScreenArea(row: row, column: column + 2, columns: history, rows: 1), set
      ) { share in Self.load(share * top) }
      column += 2 + history
    }
    for (text, style) in counts {
      column += 2
      column += grid.put(text, row: row, column: column, style)
    }
  }

  static func load(_ share: Double) -> CellStyle {
    share > 0.9 ? bad : share > 0.7 ? warning : good
  }

  // MARK: Panes

  /// Draws the heading of a pane: its name, a note, and which of its rows are visible.
  mutating func drawHeading(
    _ pane: TopModel.Pane, _ name: String, _ note: String, in area: ScreenArea
  ) {
    grid.fill(area.line(0), set.rule, Self.faint)
    let isFocused = model.focus == pane
    let title = " \(name) "
    let column = area.column + 1
    let width = grid.put(
      title, row: area.row, column: column, limit: area.columns - 2,
      CellStyle(bold: true, reversed: isFocused))
    guard !note.isEmpty else { return }
    grid.put(
      " \(note) ", row: area.row, column: column + width + 1,
      limit: area.columns - width - 4, Self.faint, ellipsis: set.ellipsis)
  }

  /// For example `12 to 20 of 64`; empty if all rows are visible.
  static func span(_ first: Int, _ shown: Int, of all: Int) -> String {
    shown >= all ? "" : "\(first + 1) to \(first + shown) of \(all)"
  }

  private mutating func drawEvents() {
    guard let area = layout.events, area.rows > 0 else { return }
    let rows = layout.eventLines
    let lines = model.events.flatMap { event -> [(TopModel.Event, String?)] in
      [(event, nil)] + event.lines.map { (event, $0) }
    }
    let back = min(model.eventsBack, max(0, lines.count - rows))
    drawHeading(
      .events, "Events", back > 0 ? "\(back) more below" : "", in: area)
    let shown = lines.dropLast(back).suffix(rows)
    if lines.isEmpty {
      grid.put(
        "nothing has happened yet", row: area.row + 1, column: area.column + 2,
        limit: area.columns - 2, Self.faint)
    }
    for (index, (event, line)) in shown.enumerated() {
      let row = area.row + 1 + index
      let style: CellStyle =
        switch event.weight {
        case .plain: .plain
        case .good: Self.good
        case .warning: Self.warning
        case .bad: Self.bad
        }
      if let line {
        grid.put(
          line, row: row, column: area.column + 4, limit: area.columns - 4, Self.faint,
          ellipsis: set.ellipsis)
        continue
      }
      var column = area.column + 1
      column += grid.put(event.time, row: row, column: column, limit: area.columns - 1, Self.faint)
      column += 1
      column += grid.put(
        event.name, row: row, column: column, limit: area.endColumn - column, style)
      column += 1
      grid.put(
        event.words, row: row, column: column, limit: area.endColumn - column,
        ellipsis: set.ellipsis)
    }
  }

  // MARK: The foot

  private mutating func drawFooter() {
    guard let area = layout.footer else { return }
    let row = area.row
    switch model.prompt {
    case .value(let text):
      let control = model.selectedControl
      let unit = control?.rangeText(set.range) ?? ""
      let note =
        unit.isEmpty ? "" : " (\(unit)\((control?.unit).map { $0.isEmpty ? "" : " \($0)" } ?? ""))"
      return drawPrompt("\(control?.title ?? "")\(note): ", text, row)
    case .filter(let text): return drawPrompt("filter: ", text, row)
    case .stop:
      grid.put(
        "Stop the patch? It fades out and its files are finished. y / n", row: row, column: 0,
        limit: area.columns, Self.warning, ellipsis: set.ellipsis)
      return
    case nil: break
    }
    switch model.link {
    case .ended(let why):
      let text =
        "The patch has ended\(why.isEmpty ? "" : ": \(why)"). Waits for it to run again; q quits."
      grid.put(text, row: row, column: 0, limit: area.columns, Self.bad, ellipsis: set.ellipsis)
      return
    case .lost:
      grid.put(
        "The patch does not answer any more. Looks for it; q quits.", row: row, column: 0,
        limit: area.columns, Self.bad, ellipsis: set.ellipsis)
      return
    case .connected: break
    }
    if let message = model.message, message.end > now {
      grid.put(
        message.text, row: row, column: 0, limit: area.columns,
        message.isBad ? Self.bad : Self.strong, ellipsis: set.ellipsis)
      return
    }
    drawKeys(row)
  }

  private mutating func drawPrompt(_ question: String, _ text: String, _ row: Int) {
    // The end of the typed text is always visible.
    let column = grid.put(
      question, row: row, column: 0, limit: max(0, grid.columns - 12), Self.strong)
    let room = max(1, grid.columns - column - 1)
    var typed = text
    while terminalWidth(of: typed) > room { typed.removeFirst() }
    let end = column + grid.put(typed, row: row, column: column)
    grid.put(" ", row: row, column: end, CellStyle(reversed: true))
  }

  private mutating func drawKeys(_ row: Int) {
    let isUnicode = set == .unicode
    let sideways = isUnicode ? "←→" : "left/right"
    let keys: [(String, String)] =
      switch model.focus {
      case .controls:
        [
          (sideways, "turn"), ("PgUp PgDn", "by more"), ("Tab", "pane"), ("/", "filter"),
          ("0-9", "type"), ("Del", "default"), ("u", "undo"), ("?", "help"), ("q", "quit"),
        ]
      case .levels:
        [
          (isUnicode ? "↑↓" : "up/down", "scroll"), ("r", "let go of peaks"), ("Tab", "pane"),
          ("?", "help"), ("q", "quit"),
        ]
      case .events:
        [(isUnicode ? "↑↓" : "up/down", "scroll"), ("Tab", "pane"), ("?", "help"), ("q", "quit")]
      }
    // If there is no room, keys before the last two are left out: the last two are the most useful.
    var shown = keys
    func width(_ keys: [(String, String)]) -> Int {
      keys.reduce(-2) { $0 + terminalWidth(of: $1.0) + 1 + terminalWidth(of: $1.1) + 2 }
    }
    while shown.count > 1, width(shown) > grid.columns {
      shown.remove(at: max(0, shown.count - 3))
    }
    var column = 0
    for (key, words) in shown {
      column += grid.put(key, row: row, column: column, Self.strong)
      column += 1 + grid.put(words, row: row, column: column + 1, Self.faint) + 2
    }
  }
}
