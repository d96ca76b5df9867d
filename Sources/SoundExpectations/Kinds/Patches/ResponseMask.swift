import PatchSyntax
import RenderCore
import SoundMeasures

/// A range of magnitudes over frequency.
struct ResponseMask {
  private struct Row {
    var frequency: Double
    var position: Double
    var low: Double
    var high: Double
  }

  private var rows: [Row]

  /// - Parameter rows: For each point of the mask a frequency in Hz, the least and the greatest
  ///   magnitude in dB; the frequencies ascend.
  /// - Throws: ``ExpectationProblem`` where there are no rows, a frequency does not ascend, or a
  ///   least magnitude is above the greatest.
  init(_ rows: [[Double]]) throws(ExpectationProblem) {
    guard !rows.isEmpty else {
      throw ExpectationProblem(
        "a mask has a row at least", help: ["write [[20, -3, 1], [20000, -3, 1]], for example"],
        key: "mask")
    }
    var last = 0.0
    for row in rows {
      guard row[0] > last else {
        throw ExpectationProblem(
          "the frequencies of a mask are above 0 and ascend: \(BoundUnit.hertz.text(row[0])) does "
            + "not follow \(BoundUnit.hertz.text(last))", key: "mask")
      }
      guard row[1] <= row[2] else {
        throw ExpectationProblem(
          "at \(BoundUnit.hertz.text(row[0])) the least is above the greatest",
          help: ["a row is [frequency, least, greatest]"], key: "mask")
      }
      last = row[0]
    }
    self.rows = rows.map {
      Row(frequency: $0[0], position: renderLog10($0[0]), low: $0[1], high: $0[2])
    }
  }

  /// The bound at a frequency, in dB; `nil` below the first row and above the last. A single row
  /// applies to all frequencies.
  func bound(at frequency: Double) -> Bound? {
    guard rows.count > 1 else { return Bound(low: rows[0].low, high: rows[0].high) }
    let position = renderLog10(frequency)
    guard let next = rows.firstIndex(where: { $0.position >= position - 1e-9 }) else { return nil }
    guard next > 0 else {
      return abs(rows[0].position - position) < 1e-9
        ? Bound(low: rows[0].low, high: rows[0].high) : nil
    }
    let (before, after) = (rows[next - 1], rows[next])
    let share = (position - before.position) / (after.position - before.position)
    return Bound(
      low: before.low + share * (after.low - before.low),
      high: before.high + share * (after.high - before.high))
  }

  /// The magnitude that is farthest outside the mask, or nearest to its edge where all are inside.
  func worst(of path: MeasuredPath) -> MeasuredQuantity {
    var worst: (reading: SoundReading, bound: Bound)?
    var count = 0
    for (channel, magnitudes) in path.magnitudes.enumerated() {
      for (frequency, magnitude) in zip(path.frequencies, magnitudes) {
        guard let bound = bound(at: frequency) else { continue }
        count += 1
        let excess = bound.excess(of: magnitude)
        if let known = worst, known.bound.excess(of: known.reading.value) >= excess { continue }
        worst = (
          SoundReading(magnitude, at: SoundPlace(channel: channel, frequency: frequency)), bound
        )
      }
    }
    guard let worst else {
      return MeasuredQuantity(
        "frequencies inside the mask", .count, [SoundReading(Double(count))], .atLeast(1),
        key: "mask")
    }
    var quantity = MeasuredQuantity(
      "magnitude", .decibels, [worst.reading], worst.bound, key: "mask")
    if !quantity.holds { quantity.correction = ("mask", widened(to: path).text) }
    return quantity
  }

  /// The mask, with rows widened to include the path, in tenths of a decibel.
  private func widened(to path: MeasuredPath) -> ResponseMask {
    var mask = self
    for (frequency, magnitude) in path.magnitudes.flatMap({ zip(path.frequencies, $0) })
    where magnitude.isFinite {
      guard let bound = mask.bound(at: frequency), !bound.holds(magnitude) else { continue }
      let position = renderLog10(frequency)
      let next = mask.rows.firstIndex { $0.position >= position - 1e-9 } ?? 0
      for row in Set([max(0, next - 1), next]) {
        mask.rows[row].low = min(mask.rows[row].low, (magnitude * 10).rounded(.down) / 10)
        mask.rows[row].high = max(mask.rows[row].high, (magnitude * 10).rounded(.up) / 10)
      }
    }
    return mask
  }

  private var text: String {
    "["
      + rows.map {
        "[\(Quantity.text($0.frequency)), \(Quantity.text($0.low)), \(Quantity.text($0.high))]"
      }.joined(separator: ", ") + "]"
  }
}
