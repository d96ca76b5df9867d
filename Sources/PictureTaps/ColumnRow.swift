/// What is known of a stretch of sound, however long.
protocol PictureColumn {
  /// Takes in what is known of the stretch that follows.
  mutating func join(_ next: Self)
}

/// Columns that stand for equally long stretches, one after the other, the last one apart, which may not
/// be complete.
///
/// There are never more than `capacity` of them: when it is reached, neighbours are joined, and from
/// then on a column stands for twice as much. So hours take no more memory than minutes, and what comes
/// of it does not depend on how it came.
struct ColumnRow<Column: PictureColumn> {
  private let capacity: Int
  private(set) var columns: [Column] = []
  /// What a column stands for: frames, say.
  private(set) var unitsPerColumn: Int
  /// Units in the last column; 0 where it is complete.
  private var filled = 0

  /// - Parameter capacity: Even.
  init(capacity: Int, unitsPerColumn: Int) {
    precondition(capacity > 0 && capacity % 2 == 0, "columns are joined in pairs")
    self.capacity = capacity
    self.unitsPerColumn = max(1, unitsPerColumn)
  }

  /// Units that the column that is next added to has room for.
  var room: Int {
    filled == 0 && columns.count == capacity ? 2 * unitsPerColumn : unitsPerColumn - filled
  }

  /// Adds what is known of the next `units`, at most `room`.
  mutating func add(_ column: Column, units: Int) {
    if filled == 0 {
      if columns.count == capacity { halve() }
      columns.append(column)
    } else {
      columns[columns.count - 1].join(column)
    }
    filled = (filled + units) % unitsPerColumn
  }

  private mutating func halve() {
    columns = joined(2)
    unitsPerColumn *= 2
  }

  /// The columns in groups, so that there are no more than `count`, and how many units one is.
  func reduced(to count: Int) -> (columns: [Column], units: Int) {
    let group = max(1, (columns.count + count - 1) / max(1, count))
    return (joined(group), unitsPerColumn * group)
  }

  private func joined(_ group: Int) -> [Column] {
    guard group > 1 else { return columns }
    return stride(from: 0, to: columns.count, by: group).map { start in
      var column = columns[start]
      for next in columns[(start + 1)..<min(start + group, columns.count)] { column.join(next) }
      return column
    }
  }
}
