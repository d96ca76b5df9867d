import Glibc
import Synchronization

/// The coefficients for reading a signal between its frames, at one pace: rows of a windowed sinc
/// for the positions row / `rowCount` between two frames, from row -1 to row `rowCount` + 1.
///
/// The stop band is 100 dB down from half the lower rate on; the pass band is flat to 0.88 of that.
/// Cubic interpolation between the rows has an error below -130 dB.
@safe
final class ReadingFilter: @unchecked Sendable {
  // `@unchecked Sendable`: immutable once made.
  let tapCount: Int
  /// The length of a row: the taps, filled up with zeros to a multiple of 16.
  let width: Int
  let rowCount: Int
  private let rows: SampleStorage

  private init(stretch: Double) {
    let filter = KaiserFilter(attenuation: 100, passBand: 0.88, step: stretch)
    tapCount = filter.tapCount
    width = VectorMath.rowLength(tapCount)
    rowCount = Swift.max(4, Int((128 / stretch).rounded(.up)))
    rows = SampleStorage(repeating: 0, count: (rowCount + 3) * width)
    let middle = Double(tapCount / 2 - 1)
    // The rows are symmetric: the row as far from the end is this one backwards.
    for index in -1...rowCount / 2 {
      let position = Double(index) / Double(rowCount)
      let row = filter.values(from: -middle - position, count: tapCount)
      let sum = row.reduce(0, +)
      for (tap, value) in row.enumerated() {
        rows[(index + 1) * width + tap] = Float(value / sum)
        rows[(rowCount - index + 1) * width + tapCount - 1 - tap] = Float(value / sum)
      }
    }
  }

  /// A filter for a kernel, which retains the filter itself.
  @safe
  struct Table: BitwiseCopyable {
    let rows: UnsafePointer<Float>
    let tapCount: Int
    let width: Int
    let rowCount: Int
  }

  var table: Table {
    unsafe Table(
      rows: UnsafePointer(rows.start), tapCount: tapCount, width: width, rowCount: rowCount)
  }

  // MARK: The cache

  private static let made = Mutex<[Double: ReadingFilter]>([:])

  /// The filter for paces around 2^(number / filtersPerOctave), made once and kept. Control thread.
  static func number(
    _ number: Int, filtersPerOctave: Double = PacedReader.filtersPerOctave
  ) -> ReadingFilter {
    let octaves = Double(number) / filtersPerOctave
    return made.withLock { made in
      if let filter = made[octaves] { return filter }
      let filter = ReadingFilter(stretch: pow(2, octaves))
      made[octaves] = filter
      return filter
    }
  }
}

/// Filters for paces from 1 up in equal steps, for a kernel.
@safe
struct ReadingFilterBank: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: immutable once made.
  private let filters: [ReadingFilter]
  private let tables: UnsafeMutablePointer<ReadingFilter.Table>
  let count: Int
  /// The length of the longest row.
  let width: Int

  /// The filters for the paces 2^(0 / filtersPerOctave) to 2^(last / filtersPerOctave). Control
  /// thread.
  init(through last: Int, filtersPerOctave: Double) {
    let filters = (0...last).map {
      ReadingFilter.number($0, filtersPerOctave: filtersPerOctave)
    }
    self.filters = filters
    count = filters.count
    width = filters[last].width
    unsafe tables = .allocate(capacity: filters.count)
    for (index, filter) in filters.enumerated() {
      unsafe (tables + index).initialize(to: filter.table)
    }
  }

  deinit { unsafe tables.deallocate() }

  @_noLocks
  private func table(_ number: Int) -> ReadingFilter.Table {
    precondition(number >= 0 && number < count, "no such filter")
    return unsafe tables[number]
  }

  /// The frames from the beginning of a row to its position: half the taps, less the frame at the
  /// position.
  @_noLocks
  func reach(_ number: Int) -> Int { table(number).tapCount / 2 - 1 }

  /// The length of a row.
  @_noLocks
  func rowLength(_ number: Int) -> Int { table(number).width }

  /// The row of a filter for a position between two frames: a cubic (Lagrange) through the four
  /// rows around it.
  ///
  /// - Parameter fraction: From 0 to below 1.
  @_noLocks
  func blend(_ number: Int, at fraction: Double, into row: ChannelBuffer) {
    let table = table(number)
    let place = fraction * Double(table.rowCount)
    let first = Int(place)
    precondition(
      first >= 0 && first < table.rowCount && row.count >= table.width, "between two frames")
    let t = Float(place - Double(first))
    unsafe blendRows(
      table.rows + first * table.width, count: table.width, -t * (t - 1) * (t - 2) / 6,
      (t + 1) * (t - 1) * (t - 2) / 2, -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6,
      into: row.start)
  }
}
