import TerminalScreen

/// A line at the foot of standard error that is written anew, where that is a terminal that can.
///
/// What else is written there is written after `clear()`; the next `show` brings the line back.
struct TerminalLine {
  /// Whether there is such a terminal. Otherwise nothing is ever written.
  let isPossible: Bool
  private let writer: ScreenWriter
  private let set: DrawingSet
  private var shown = ""

  init(_ appearance: AppearanceOptions) {
    isPossible =
      StandardStream.error.isTerminal && TerminalAbilities.hasScreen(environmentVariable)
    let isUTF8 = TerminalAbilities.isUTF8(environmentVariable)
    writer = ScreenWriter(hasColors: appearance.color.colors(.error), isUTF8: isUTF8)
    set = isUTF8 ? .unicode : .ascii
  }

  /// Shows the first row of what is drawn for a width. One write, and none where nothing is
  /// different, so that it does not flicker.
  mutating func show(_ draw: (Int, DrawingSet) -> ScreenGrid) {
    guard isPossible else { return }
    // In the last column some terminals go to the next line.
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
