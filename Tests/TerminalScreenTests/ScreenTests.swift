import TerminalScreen
import TestSupport
import Testing

@Suite struct ScreenTests {
  @Test func `texts are put, cut and ended within the columns that they may take`() {
    var grid = ScreenGrid(columns: 10, rows: 2)
    #expect(grid.put("abcdef", row: 0, column: 0, limit: 4, ellipsis: "…") == 4)
    #expect(grid.text(row: 0) == "abc…")
    #expect(grid.put("漢字漢字漢字", row: 1, column: 1) == 8)
    #expect(grid.text(row: 1) == " 漢字漢字")
    grid.put("12345", row: 0, endingAt: 10)
    #expect(grid.text(row: 0) == "abc… 12345")
    // Writing outside of the grid has no effect.
    grid.put("x", row: 2, column: 0)
    grid.put("x", row: 0, column: 10)
    grid.put("x", row: -1, column: -1)
    #expect(ScreenGrid(columns: -1, rows: 5).text == "\n\n\n\n\n")
  }

  @Test func `a wide character that is covered by half leaves a blank`() {
    var grid = ScreenGrid(columns: 6, rows: 1)
    grid.put("漢字", row: 0, column: 0)
    grid.put("x", row: 0, column: 1)
    #expect(grid.text(row: 0) == " x字")
    grid.put("y", row: 0, column: 2)
    #expect(grid.text(row: 0) == " xy")
  }

  @Test func `combining characters stay with their base, and controls never pass`() {
    var grid = ScreenGrid(columns: 12, rows: 1)
    #expect(grid.put("e\u{301}a", row: 0, column: 0) == 2)
    #expect(grid[0, 0].text == "e\u{301}")
    #expect(grid.put("\u{301}x", row: 0, column: 4) == 1)
    #expect(grid.put("\u{1B}[2J\u{202E}", row: 0, column: 6) == 5)
    #expect(!grid.text(row: 0).unicodeScalars.contains("\u{1B}"))
    #expect(!grid.text(row: 0).unicodeScalars.contains("\u{202E}"))
    let stacked = "a" + String(repeating: "\u{301}", count: 500)
    #expect(glyphs(of: stacked).map(\.text.unicodeScalars.count) == [8])
    #expect(terminalWidth(of: "👩‍👩‍👧") == 2 && terminalWidth(of: "漢x") == 3)
  }

  @Test func `bars and graphs go as far as they are told`() {
    var grid = ScreenGrid(columns: 8, rows: 2)
    grid.putBar(0.5, row: 0, column: 0, columns: 8, .unicode) { _ in .plain }
    #expect(grid.text(row: 0) == "████····")
    grid.putBar(.nan, row: 0, column: 0, columns: 8, .ascii) { _ in .plain }
    #expect(grid.text(row: 0) == "........")
    grid.putBar(7, row: 0, column: 0, columns: 8, .ascii) { _ in .plain }
    #expect(grid.text(row: 0) == "########")
    grid.fill(grid.area)
    grid.putGraph([0.25, 1], in: ScreenArea(row: 0, column: 0, columns: 4, rows: 2), .unicode) {
      _ in .plain
    }
    #expect(grid.text(row: 0) == "   █" && grid.text(row: 1) == "  ▄█")
  }

  /// A grid with random characters and styles, from a seed.
  private func grid(_ seed: UInt64, _ columns: Int, _ rows: Int) -> ScreenGrid {
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let texts = ["a", "b ", "漢", "e\u{301}", "█▌", "👍", "   ", "é", "─", "x漢y"]
    let styles = [
      CellStyle.plain, CellStyle(.red), CellStyle(.brightGreen, on: .blue, bold: true),
      CellStyle(dim: true), CellStyle(reversed: true),
    ]
    var grid = ScreenGrid(columns: columns, rows: rows)
    for _ in 0..<(columns * rows / 2) {
      grid.put(
        texts[next(texts.count)], row: next(rows), column: next(columns),
        styles[next(styles.count)])
    }
    return grid
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `what is sent shows each grid, from whatever was there`(seed: UInt64) {
    var writer = ScreenWriter(hasColors: true, isUTF8: true)
    var terminal = TerminalEmulator(columns: 30, rows: 9)
    terminal.write("left over from before")
    for step in 0..<30 as Range<UInt64> {
      let grid = grid(seed &* 1000 &+ step / 2, 30, 9)
      let text = writer.update(to: grid)
      #expect(text.isEmpty == (step % 2 == 1))
      terminal.write(text)
      #expect(terminal.text == grid.text)
    }
    #expect(terminal.strangers.isEmpty)
    // After a change of size the whole screen is sent.
    terminal.resize(columns: 20, rows: 5)
    terminal.write(writer.update(to: grid(seed, 20, 5)))
    #expect(terminal.text == grid(seed, 20, 5).text)
  }

  @Test func `without colours there are none, and without UTF-8 only ASCII`() {
    let grid = grid(4, 30, 9)
    var plain = ScreenWriter(hasColors: false, isUTF8: false)
    let text = plain.update(to: grid)
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    for part in text.split(separator: "\u{1B}[") where part.contains("m") {
      let codes = part.prefix { $0 != "m" }.split(separator: ";").compactMap { Int($0) }
      #expect(codes.allSatisfy { $0 < 30 }, "\(part)")
    }
    var terminal = TerminalEmulator(columns: 30, rows: 9)
    terminal.write(text)
    for row in 0..<9 {
      #expect(
        terminal.text(row: row).count
          == grid.text(row: row).reduce(0) {
            $0 + terminalWidth(of: String($1))
          })
    }
  }

  @Test func `going in and out of the alternate screen leaves everything as it was`() {
    var terminal = TerminalEmulator(columns: 10, rows: 2)
    terminal.write(ScreenWriter.enter)
    #expect(terminal.isAlternate && !terminal.isCursorShown && terminal.isPasteBracketed)
    terminal.write(ScreenWriter.leave)
    #expect(!terminal.isAlternate && terminal.isCursorShown && !terminal.isPasteBracketed)
    #expect(terminal.strangers.isEmpty)
  }

  @Test func `a line for no screen has its looks, and none without colours`() {
    var grid = ScreenGrid(columns: 12, rows: 1)
    grid.put("load", row: 0, column: 0)
    grid.put("95 %", row: 0, column: 5, CellStyle(.red))
    #expect(ScreenWriter(hasColors: false, isUTF8: true).line(grid) == "load 95 %")
    #expect(
      ScreenWriter(hasColors: true, isUTF8: true).line(grid)
        == "load \u{1B}[0;31m95 %\u{1B}[0m")
  }
}
