import PatchSyntax
import TerminalScreen

/// The pane of controls: a line for each control under the name of its bus.
extension TopScreen {
  private enum Row {
    case place(TopControl)
    case control(TopControl)
  }

  mutating func drawControls() {
    guard var area = layout.controls, area.rows > 0 else { return }
    let controls = model.visible
    var rows: [Row] = []
    var cursor = 0
    for (index, control) in controls.enumerated() {
      if index == 0 || controls[index - 1].place != control.place { rows.append(.place(control)) }
      if control.pointer == model.selected { cursor = rows.count }
      rows.append(.control(control))
    }
    var note =
      model.filter.isEmpty ? "" : "\(set == .unicode ? "“\(model.filter)”" : "'\(model.filter)'"), "
    note += counted(controls.count, "control")
    if !model.filter.isEmpty { note += " of \(model.controls.count)" }
    drawHeading(.controls, "Controls", model.hasControls ? note : "", in: area)
    area = area.below(1)
    guard !controls.isEmpty else {
      let text =
        !model.hasControls
        ? "they are being listed"
        : model.controls.isEmpty
          ? "nothing of this patch can be turned" : "none is called so: Esc shows all"
      grid.put(
        text, row: area.row, column: area.column + 2, limit: area.columns - 2, Self.faint)
      return
    }
    // The summary of the selected control, if there is room.
    if area.rows >= 7, let control = model.selectedControl {
      grid.put(
        control.summary, row: area.endRow - 1, column: area.column + 1, limit: area.columns - 2,
        Self.faint, ellipsis: set.ellipsis)
      area = ScreenArea(
        row: area.row, column: area.column, columns: area.columns, rows: area.rows - 1)
    }
    let columns = Columns(controls, width: area.columns - 2, set)
    let top = max(0, min(cursor - area.rows / 2, rows.count - area.rows))
    for (index, row) in rows.dropFirst(top).prefix(area.rows).enumerated() {
      let line = area.line(index)
      switch row {
      case .place(let control):
        let width = grid.put(
          control.place, row: line.row, column: line.column + 1, limit: line.columns - 2,
          CellStyle(.cyan, bold: true), ellipsis: set.ellipsis)
        grid.put(
          control.component, row: line.row, column: line.column + 3 + width,
          limit: line.columns - width - 4, Self.faint)
      case .control(let control): draw(control, line, columns)
      }
    }
  }

  /// The widths of a line's columns.
  private struct Columns {
    var title: Int
    var slider: Int
    var value: Int
    var range: Int

    init(_ controls: [TopControl], width: Int, _ set: DrawingSet) {
      let longest = controls.map { terminalWidth(of: $0.title) }.max() ?? 0
      title = max(4, min(longest, width / 3, 26))
      let texts = controls.map { terminalWidth(of: $0.text) }.max() ?? 0
      value = max(8, min(max(texts, 16), width / 3, 24))
      let ranges = controls.map { terminalWidth(of: $0.rangeText(set.range)) }.max() ?? 0
      range = width >= 64 ? min(ranges, 20) : 0
      // Minus the blanks between the columns and the mark in front.
      let rest = width - title - value - range - (range > 0 ? 2 : 0) - 4
      slider = rest >= 6 ? min(rest, 40) : 0
      if slider == 0 { value = max(0, width - title - 3) }
    }
  }

  private mutating func draw(_ control: TopControl, _ line: ScreenArea, _ columns: Columns) {
    let isSelected = control.pointer == model.selected
    let row = line.row
    var column = line.column + 1
    // A mark, because the colour may be missing.
    if isSelected {
      grid.put(
        set == .unicode ? "▌" : ">", row: row, column: column - 1, CellStyle(.cyan, bold: true))
    }
    let isQuiet = !control.isWritable || !control.isUsed
    var name = isQuiet ? Self.faint : .plain
    name.isBold = isSelected
    column += 1
    grid.put(
      control.title, row: row, column: column, limit: columns.title, name, ellipsis: set.ellipsis)
    column += columns.title + 1
    if columns.slider > 0 {
      drawSlider(control, row: row, column: column, columns.slider)
      column += columns.slider + 1
    }
    // Values of the document are brighter than defaults.
    var value = control.isInDocument ? Self.strong : Self.faint
    if control.isScheduled { value.foreground = .magenta }
    grid.put(
      control.text + (control.isScheduled ? " ~" : ""), row: row, column: column,
      limit: min(columns.value, line.endColumn - column), value, ellipsis: set.ellipsis)
    column += columns.value + 2
    if columns.range > 0 {
      grid.put(
        control.rangeText(set.range), row: row, column: column,
        limit: min(columns.range, line.endColumn - column), Self.faint, ellipsis: set.ellipsis)
    }
    guard isSelected, model.focus == .controls else { return }
    // The slider is not reversed: it would look like the opposite value.
    let slider = line.column + 3 + columns.title
    let behind = slider + (columns.slider > 0 ? columns.slider : 0)
    for (begin, end) in [(line.column + 1, slider), (behind, line.endColumn)] {
      grid.restyle(ScreenArea(row: row, column: begin, columns: end - begin, rows: 1)) { style in
        style.isReversed = true
        style.isDim = false
      }
    }
  }

  /// Draws the value as a slider: from the left, or from 0 if 0 is within the range.
  private mutating func drawSlider(_ control: TopControl, row: Int, column: Int, _ columns: Int) {
    guard let share = control.share(of: control.value) else { return }
    let style = CellStyle(.cyan)
    switch control.kind {
    case .onOff:
      grid.putBar(share, row: row, column: column, columns: min(4, columns), set) { _ in style }
      return
    case .list:
      for index in 0..<columns { grid.put(set.track, row: row, column: column + index, Self.faint) }
      let place = min(columns - 1, Int(share * Double(columns)))
      grid.put(set.mark, row: row, column: column + place, CellStyle(.cyan, bold: true))
      return
    default: break
    }
    guard let zero = control.share(of: .number(0)), zero > 0.01, zero < 0.99,
      control.kind != .frequency
    else {
      grid.putBar(share, row: row, column: column, columns: columns, set) { _ in style }
      return
    }
    let full = set.horizontal[set.horizontal.count - 1]
    let centre = Int((zero * Double(columns)).rounded(.down))
    let end = min(columns - 1, max(0, Int((share * Double(columns)).rounded(.down))))
    for index in 0..<columns {
      let isInside = index >= min(centre, end) && index <= max(centre, end)
      let isMark = index == centre && centre == end
      grid.put(
        isMark ? set.mark : isInside ? full : set.track, row: row, column: column + index,
        isInside ? style : Self.faint)
    }
  }
}
