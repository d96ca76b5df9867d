internal import RenderCore

/// Gains in rows, each on its way in a straight line from one value to another, in double precision.
///
/// A frame's gain is worked out from its place in the ramp and not from the frame before: it is the same
/// however a render is cut.
struct GainTable: ~Copyable {
  private static var stride: Int { @_noLocks get { 4 } }

  // For each row where its ramp began, where it goes, the frames of it that are over, and all.
  private let values: DoubleStorage
  private let count: Int
  // Frames until every row is where it is to be, or more.
  private var left = 0

  // MARK: Control thread

  init(count: Int) {
    self.count = count
    values = DoubleStorage(repeating: 0, count: count * Self.stride)
  }

  // MARK: Render thread

  /// Where a row goes.
  @_noLocks
  func end(_ row: Int) -> Double { values[row * Self.stride + 1] }

  /// Whether a row is on its way so many frames on.
  @_noLocks
  func isMoving(_ row: Int, ahead: Int) -> Bool {
    let first = row * Self.stride
    return values[first + 2] + Double(ahead) < values[first + 3]
  }

  /// The gain of the frame that comes after `ahead` others.
  @_noLocks
  @inline(__always)
  func gain(_ row: Int, ahead: Int) -> Double {
    let first = row * Self.stride
    let place = values[first + 2] + Double(ahead) + 1
    let (end, length) = (values[first + 1], values[first + 3])
    guard place < length else { return end }
    let origin = values[first]
    return origin + (end - origin) * (place / length)
  }

  /// Sets out for another gain from wherever the row is; in 0 frames it is there.
  @_noLocks
  mutating func aim(_ row: Int, _ gain: Double, in length: Int) {
    let first = row * Self.stride
    let place = values[first + 2]
    values[first] =
      place < values[first + 3]
      ? values[first] + (values[first + 1] - values[first]) * (place / values[first + 3])
      : values[first + 1]
    values[first + 1] = gain
    values[first + 2] = 0
    values[first + 3] = Double(length)
    if length > left { left = length }
  }

  /// Goes on by the frames of a slice.
  @_noLocks
  mutating func advance(_ frameCount: Int) {
    guard left > 0 else { return }
    left -= frameCount
    for row in 0..<count {
      let first = row * Self.stride
      guard values[first + 2] < values[first + 3] else { continue }
      let place = values[first + 2] + Double(frameCount)
      values[first + 2] = place < values[first + 3] ? place : values[first + 3]
    }
  }
}
