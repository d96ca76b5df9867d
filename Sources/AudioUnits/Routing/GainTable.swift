internal import RenderCore

/// Gains in rows, each with a linear ramp, in double precision.
///
/// A frame's gain is computed from its position in the ramp and not from the frame before, so that
/// it does not depend on slices.
struct GainTable: ~Copyable {
  /// One gain.
  struct Row: BitwiseCopyable {
    var start = 0.0
    var end = 0.0
    /// Frames of the ramp that have passed, and its length: whole numbers, stored as `Double`s for
    /// the computation of gains.
    var position = 0.0
    var length = 0.0
  }

  private let rows: StateStorage<Row>
  private let count: Int
  // Frames until every ramp has ended, or more.
  private var left = 0

  // MARK: Control thread

  init(count: Int) {
    self.count = count
    rows = StateStorage(repeating: Row(), count: count)
  }

  // MARK: Render thread

  /// The end of a row's ramp.
  @_noLocks
  func end(_ row: Int) -> Double { rows[row].end }

  /// Whether a row still moves after `ahead` frames.
  @_noLocks
  func isMoving(_ row: Int, ahead: Int) -> Bool {
    rows[row].position + Double(ahead) < rows[row].length
  }

  /// The gain of the frame after `ahead` others.
  @_noLocks
  @inline(__always)
  func gain(_ row: Int, ahead: Int) -> Double {
    let row = rows[row]
    let place = row.position + Double(ahead) + 1
    guard place < row.length else { return row.end }
    return row.start + (row.end - row.start) * (place / row.length)
  }

  /// Starts a ramp from a row's present gain to another one; with 0 frames the new gain applies at
  /// once.
  @_noLocks
  mutating func aim(_ row: Int, _ gain: Double, in length: Int) {
    let old = rows[row]
    rows[row].start =
      old.position < old.length
      ? old.start + (old.end - old.start) * (old.position / old.length) : old.end
    rows[row].end = gain
    rows[row].position = 0
    rows[row].length = Double(length)
    if length > left { left = length }
  }

  /// Advances by the frames of a slice.
  @_noLocks
  mutating func advance(_ frameCount: Int) {
    guard left > 0 else { return }
    left -= frameCount
    for index in 0..<count {
      let row = rows[index]
      guard row.position < row.length else { continue }
      let place = row.position + Double(frameCount)
      rows[index].position = place < row.length ? place : row.length
    }
  }
}
