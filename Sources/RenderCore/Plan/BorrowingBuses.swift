/// The buses of a plan that may show memory of the kernel that fills them, for a slice, in place of
/// their own: nothing is copied into them.
struct BorrowingBuses {
  /// The places of their channels among the channels of all of them; by bus, -1 for other buses.
  private(set) var places: [Int] = []
  /// The channels of all of them.
  private(set) var channelCount = 0

  /// No bus borrows.
  init() {}

  /// A bus borrows where one row fills it, whose kernel lends, and others read it after that, in the
  /// same slice: none writes to it, and no client's code can.
  init(_ rows: [some BusRow], busChannelCounts: [Int]) {
    guard rows.contains(where: { $0.lendsMemory }) else { return }
    var canBorrow = [Bool](repeating: false, count: busChannelCounts.count)
    var isTouched = canBorrow
    for index in rows.indices {
      for bus in rows[index].inputs {
        if rows[index].callsClient { canBorrow[bus] = false }
        isTouched[bus] = true
      }
      for bus in rows[index].outputs {
        canBorrow[bus] = !isTouched[bus] && rows[index].lendsMemory
        isTouched[bus] = true
      }
    }
    places = [Int](repeating: -1, count: busChannelCounts.count)
    for (bus, isBorrowing) in canBorrow.enumerated() where isBorrowing {
      places[bus] = channelCount
      channelCount += busChannelCounts[bus]
    }
  }
}
