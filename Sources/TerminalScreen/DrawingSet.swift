/// The characters that bars, lines and small graphs are made of.
public struct DrawingSet: Hashable, Sendable {
  /// From empty to full, from the left.
  public var horizontal: [String]
  /// From empty to full, from the bottom.
  public var vertical: [String]
  /// The part of a bar that is not filled.
  public var track: String
  /// A thin mark across a bar.
  public var mark: String
  public var rule: String
  public var divider: String
  public var ellipsis: String
  /// Between two words that are loosely related.
  public var dot: String
  /// Between the ends of a range.
  public var range: String
  public var minus: String

  /// Blocks and lines of Unicode.
  public static let unicode = DrawingSet(
    horizontal: [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"],
    vertical: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"], track: "·", mark: "┃", rule: "─",
    divider: "│", ellipsis: "…", dot: "·", range: " … ", minus: "−")

  /// For terminals that show ASCII only.
  public static let ascii = DrawingSet(
    horizontal: [" ", "#"], vertical: [" ", ".", ":", "-", "=", "+", "*", "#"], track: ".",
    mark: "|", rule: "-", divider: "|", ellipsis: "~", dot: "-", range: " to ", minus: "-")

  /// The character that fills a cell to a share, 0 to 1, from the left.
  public func horizontal(_ share: Double) -> String { Self.step(horizontal, share) }

  /// The character that fills a cell to a share, 0 to 1, from the bottom.
  public func vertical(_ share: Double) -> String { Self.step(vertical, share) }

  private static func step(_ steps: [String], _ share: Double) -> String {
    let share = share > 0 ? min(1, share) : 0
    return steps[Int((share * Double(steps.count - 1)).rounded())]
  }
}

extension ScreenGrid {
  /// Draws a bar from the left into a row of an area, over a track.
  ///
  /// - Parameters:
  ///   - share: Its length, 0 to 1; not-a-number counts as 0.
  ///   - style: The look at a place, 0 to 1 from the left.
  public mutating func putBar(
    _ share: Double, row: Int, column: Int, columns: Int, _ set: DrawingSet,
    track: CellStyle = CellStyle(dim: true), style: (Double) -> CellStyle
  ) {
    guard columns > 0 else { return }
    let cells = (share > 0 ? min(1, share) : 0) * Double(columns)
    for index in 0..<columns {
      let text = set.horizontal(cells - Double(index))
      let isEmpty = text == " "
      put(
        isEmpty ? set.track : text, row: row, column: column + index,
        isEmpty ? track : style((Double(index) + 0.5) / Double(columns)))
    }
  }

  /// Draws a graph, with a column for each value, 0 to 1, over all rows of an area. The newest
  /// value is at the right edge; missing values leave blanks at the left.
  public mutating func putGraph(
    _ values: some BidirectionalCollection<Double>, in area: ScreenArea, _ set: DrawingSet,
    style: (Double) -> CellStyle
  ) {
    for (index, value) in values.reversed().prefix(area.columns).enumerated() {
      let height = (value > 0 ? min(1, value) : 0) * Double(area.rows)
      for row in 0..<area.rows {
        let text = set.vertical(height - Double(area.rows - 1 - row))
        guard text != " " else { continue }
        put(text, row: area.row + row, column: area.endColumn - 1 - index, style(value))
      }
    }
  }
}
