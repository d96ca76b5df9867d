internal import RenderCore

/// The minimum of the last values, in amortized constant time (D. Lemire, *Streaming
/// Maximum-Minimum Filter*, 2006).
struct SlidingMinimum: ~Copyable {
  private let capacity: Int
  private let values: DoubleStorage
  private let times: DoubleStorage
  private var start = 0
  private var count = 0
  private var time = 0.0

  // MARK: Control thread

  /// - Parameter longest: The longest window, in frames.
  init(longest: Int) {
    capacity = longest + 2
    values = DoubleStorage(repeating: 0, count: capacity)
    times = DoubleStorage(repeating: 0, count: capacity)
  }

  // MARK: Render thread

  /// Whether it holds the value added last only: all before it have left the window or are not
  /// less.
  var isSingle: Bool { @_noLocks get { count == 1 } }

  /// Whether `value` is the only one that it holds.
  @_noLocks
  func holdsOnly(_ value: Double) -> Bool { count == 1 && values[start] == value }

  /// Forgets all values.
  @_noLocks
  mutating func clear() {
    start = 0
    count = 0
    time = 0
  }

  /// Adds a value, and returns the least of it and those before it in the window.
  ///
  /// - Parameter window: From 1 to the longest; it may change each time.
  @_noLocks
  mutating func next(_ value: Double, window: Int) -> Double {
    time += 1
    while count > 0, times[start] <= time - Double(window) {
      start = start + 1 == capacity ? 0 : start + 1
      count -= 1
    }
    while count > 0, values[place(count - 1)] >= value { count -= 1 }
    let end = place(count)
    values[end] = value
    times[end] = time
    count += 1
    return values[start]
  }

  @_noLocks
  private func place(_ index: Int) -> Int {
    let place = start + index
    return place < capacity ? place : place - capacity
  }
}
