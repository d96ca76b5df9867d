/// Cuts a drawing that is too wide into rows below one another.
///
/// It is cut only between columns that few edges join, and only where no row is nearly empty.
struct WrappedRows {
  /// A column of boxes, and the room for labels and bends to the next one.
  struct Column: Sendable {
    var width = 0.0
    var gap = 0.0
  }

  /// The place of an item, from the top.
  struct Place {
    /// The index of its column.
    var layer: Int
    var y: Double
    var height: Double
  }

  /// The path of a segment from the end of a row to the beginning of the next.
  struct Turn {
    /// The distance to the right of the bend at which the path goes down.
    var outward: Double
    /// The y of the lane between the rows.
    var lane: Double
    /// The x at which the path goes down at the left.
    var x: Double
  }

  /// The first column of each row.
  private let starts: [Int]
  /// The turns, by the indices of their segments.
  private(set) var turns: [Int: Turn] = [:]
  /// The x at which a row after the first begins.
  private(set) var indent = 0.0
  private(set) var height = 0.0
  /// The y of each item in its row.
  private(set) var places: [Double] = []

  /// The maximum number of edges across a cut.
  private static let maximumCutEdges = 3
  /// The minimum width of the narrower of two rows, as a share of the wider: a single box in the
  /// second row would save too little width. The last of three or more rows may be short.
  private static let minimumRowFill = 0.4
  private static let laneGap = 12.0

  var count: Int { starts.count }

  /// - Parameters:
  ///   - items: The places of all items in one row.
  ///   - segments: The parts of edges between them.
  ///   - maximumWidth: The maximum width of a row. A drawing up to 15 % wider stays in one row.
  init(
    places items: [Place], segments: [LayeredOrder.Segment], columns: [Column], maximumWidth: Double
  ) {
    var crossing = [Int](repeating: 0, count: columns.count + 1)
    for segment in segments { crossing[items[segment.to].layer] += 1 }
    let starts = Self.starts(of: columns, crossing, maximumWidth)
    self.starts = starts
    guard starts.count > 1 else { return }
    let rowOf = columns.indices.map { number in starts.lastIndex { $0 <= number } ?? 0 }
    func row(of item: Int) -> Int { rowOf[items[item].layer] }
    let turned = segments.indices.filter {
      row(of: segments[$0].from) != row(of: segments[$0].to)
    }
    let byRow = Dictionary(grouping: turned, by: { row(of: segments[$0].from) })
    indent = 32 + 10 * Double((byRow.values.map(\.count).max() ?? 1) - 1)
    /// The y at which an edge leaves.
    func exit(_ segment: Int) -> Double {
      let (item, place) = (items[segments[segment].from], segments[segment].fromPlace)
      return item.y + place * item.height
    }
    /// The shift of each row's items, downwards.
    var shifts: [Double] = []
    var top = 0.0
    for index in starts.indices {
      let inside = items.indices.filter { row(of: $0) == index }
      let first = inside.map { items[$0].y }.min() ?? 0
      shifts.append(top - first)
      let bottom = inside.map { items[$0].y + items[$0].height }.max() ?? 0
      top += bottom - first
      height = top
      // An edge that leaves higher up goes around the edges that leave below it.
      let leaving = (byRow[index] ?? []).sorted { exit($0) < exit($1) }
      for (place, segment) in leaving.enumerated() {
        let around = Double(leaving.count - 1 - place)
        turns[segment] = Turn(
          outward: 14 + 10 * around, lane: top + 20 + Self.laneGap * around,
          x: indent - 22 - 10 * Double(place))
      }
      top += 40 + Self.laneGap * Double(max(0, leaving.count - 1))
    }
    places = items.map { ($0.y + shifts[rowOf[$0.layer]]).rounded() }
  }

  /// Whether a column is the last of its row and another row follows.
  func isLast(_ column: Int) -> Bool { starts.dropFirst().contains(column + 1) }

  /// The first columns of the rows: as few rows as possible, and about equally wide.
  private static func starts(
    of columns: [Column], _ crossing: [Int], _ maximumWidth: Double
  ) -> [Int] {
    var ends: [Double] = []
    var begins: [Double] = []
    var x = 0.0
    for column in columns {
      begins.append(x)
      ends.append(x + column.width)
      x += column.width + column.gap
    }
    guard let whole = ends.last, whole > maximumWidth * 1.15 else { return [0] }
    /// Rows no wider than a limit, as far as the allowed cuts permit.
    func rows(_ limit: Double) -> [Int] {
      var starts = [0]
      var cut: Int?
      for number in columns.indices.dropFirst() {
        if crossing[number] <= maximumCutEdges { cut = number }
        guard let start = starts.last, ends[number] - begins[start] > limit, let here = cut,
          here > start
        else { continue }
        starts.append(here)
      }
      return starts
    }
    func widths(_ starts: [Int]) -> [Double] {
      starts.indices.map { index in
        let last = index + 1 < starts.count ? starts[index + 1] - 1 : columns.count - 1
        return ends[last] - begins[starts[index]]
      }
    }
    let fewest = rows(maximumWidth)
    var (low, high) = (maximumWidth / 2, maximumWidth)
    var best = fewest
    for _ in 0..<12 {
      let middle = (low + high) / 2
      let found = rows(middle)
      if found.count <= fewest.count, (widths(found).max() ?? 0) <= (widths(best).max() ?? 0) {
        (best, high) = (found, middle)
      } else {
        low = middle
      }
    }
    let some = widths(best)
    let (most, least) = (some.max() ?? 0, some.min() ?? 0)
    let isLone = best.count == 2 && least < most * minimumRowFill
    return isLone || most > whole * 0.85 ? [0] : best
  }
}
