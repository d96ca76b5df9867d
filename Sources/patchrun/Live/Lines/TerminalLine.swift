import TerminalScreen

/// A line that is overwritten at the bottom of standard error, if standard error is a capable
/// terminal.
///
/// Call `clear()` before writing anything else; the next `show` draws the line again.
struct TerminalLine {
  /// Whether standard error is such a terminal. Otherwise nothing is written.
  let isPossible: Bool
  private let writer: ScreenWriter
  private let set: DrawingSet
  private var shown = ""

  init(_ appearance: any Appearance) {
    isPossible =
      StandardStream.error.isTerminal && TerminalAbilities.hasScreen(environmentVariable)
    let isUTF8 = isPossible && TerminalAbilities.isUTF8(environmentVariable)
    writer = ScreenWriter(hasColors: appearance.color.colors(.error), isUTF8: isUTF8)
    set = isUTF8 ? .unicode : .ascii
  }

  /// Draws the first row of a grid, in one write, and only if it differs from the last one, so that
  /// it does not flicker.
  mutating func show(_ draw: (Int, DrawingSet) -> ScreenGrid) {
    guard isPossible else { return }
    // Some terminals wrap at the last column.
    let width = (StandardStream.error.columns ?? 80) - 1
    let text = width > 0 ? writer.line(draw(width, set)) : ""
    guard text != shown else { return }
    shown = text
    StandardStream.error.put(drawn: "\r\(text)\u{1B}[K")
  }

  mutating func clear() {
    guard !shown.isEmpty else { return }
    shown = ""
    StandardStream.error.put(drawn: "\r\u{1B}[K")
  }
}
