/// A summary of a stretch of sound of any length.
protocol PictureColumn {
  /// Adds the summary of the stretch that follows.
  mutating func join(_ next: Self)
}

/// Columns for equally long stretches in order; only the last one may be incomplete.
///
/// There are never more than `capacity`: when it is reached, neighbours are joined, and a column
/// then covers twice as many units. Hours therefore take no more memory than minutes, and the
/// result does not depend on how the sound was divided into calls.
struct ColumnRow<Column: PictureColumn> {
  private let capacity: Int
  private(set) var columns: [Column] = []
  /// The units that a column covers, frames for instance.
  private(set) var unitsPerColumn: Int
  /// The units in the last column; 0 where it is complete.
  private var filled = 0

  /// - Parameter capacity: An even number.
  init(capacity: Int, unitsPerColumn: Int) {
    precondition(capacity > 0 && capacity % 2 == 0, "columns are joined in pairs")
    self.capacity = capacity
    self.unitsPerColumn = max(1, unitsPerColumn)
  }

  /// The units that the next column can still take.
  var room: Int {
    filled == 0 && columns.count == capacity ? 2 * unitsPerColumn : unitsPerColumn - filled
  }

  /// Adds the summary of the next `units`, at most `room`.
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

  /// The columns joined in groups, so that there are at most `count`, and the units of each.
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
