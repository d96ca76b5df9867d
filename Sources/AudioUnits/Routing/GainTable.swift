internal import RenderCore

/// Gains in rows, each on its way in a straight line from one value to another, in double precision.
///
/// A frame's gain is worked out from its place in the ramp and not from the frame before: it is the same
/// however a render is cut.
struct GainTable: ~Copyable {
  /// One gain.
  struct Row: BitwiseCopyable {
    var start = 0.0
    var end = 0.0
    /// Frames of the ramp that are over, and all of it: whole numbers, in the type that gains are
    /// computed in.
    var position = 0.0
    var length = 0.0
  }

  private let rows: StateStorage<Row>
  private let count: Int
  // Frames until every row is where it is to be, or more.
  private var left = 0

  // MARK: Control thread

  init(count: Int) {
    self.count = count
    rows = StateStorage(repeating: Row(), count: count)
  }

  // MARK: Render thread

  /// Where a row goes.
  @_noLocks
  func end(_ row: Int) -> Double { rows[row].end }

  /// Whether a row is on its way so many frames on.
  @_noLocks
  func isMoving(_ row: Int, ahead: Int) -> Bool {
    rows[row].position + Double(ahead) < rows[row].length
  }

  /// The gain of the frame that comes after `ahead` others.
  @_noLocks
  @inline(__always)
  func gain(_ row: Int, ahead: Int) -> Double {
    let row = rows[row]
    let place = row.position + Double(ahead) + 1
    guard place < row.length else { return row.end }
    return row.start + (row.end - row.start) * (place / row.length)
  }

  /// Sets out for another gain from wherever the row is; in 0 frames it is there.
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

  /// Goes on by the frames of a slice.
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
