import Glibc
import Synchronization

/// The coefficients for reading a signal between its frames, for one pace: rows of a windowed sinc
/// for the places row / `rowCount` between two frames, row -1 first and row `rowCount` + 1 last.
///
/// The stop band is 100 dB down from half the lower rate on; it is flat to 0.88 of that. Between two
/// rows lies a cubic, which misses by less than 130 dB.
@safe
final class ReadingFilter: @unchecked Sendable {
  // `@unchecked Sendable`: nothing changes once it has been made.
  let tapCount: Int
  /// Of a row: the taps, and zeros to a multiple of 16.
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
    for index in -1...rowCount + 1 {
      let position = Double(index) / Double(rowCount)
      let row = (0..<tapCount).map { filter.value(at: Double($0) - middle - position) }
      let sum = row.reduce(0, +)
      for (tap, value) in row.enumerated() {
        rows[(index + 1) * width + tap] = Float(value / sum)
      }
    }
  }

  var start: UnsafePointer<Float> { unsafe UnsafePointer(rows.start) }

  // MARK: All of them

  private static let made = Mutex<[Int: ReadingFilter]>([:])

  /// The filter for paces around 2^(number / 8): made once. Control thread.
  static func number(_ number: Int) -> ReadingFilter {
    made.withLock { made in
      if let filter = made[number] { return filter }
      let filter = ReadingFilter(stretch: pow(2, Double(number) / PacedReader.filtersPerOctave))
      made[number] = filter
      return filter
    }
  }
}
