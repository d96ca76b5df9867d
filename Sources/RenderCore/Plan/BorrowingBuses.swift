/// The buses of a plan that may show memory of the kernel that fills them, for a slice, in place of
/// their own: nothing is copied into them.
struct BorrowingBuses {
  /// The places of their channels among the channels of all of them; by bus, -1 for other buses.
  private(set) var places: [Int] = []
  /// The channels of all of them.
  private(set) var channelCount = 0
  /// Which of them may show interleaved frames, by bus; empty for none.
  private(set) var takesInterleaved: [Bool] = []

  /// No bus borrows.
  init() {}

  /// A bus borrows where one row fills it, whose kernel lends, and others read it after that, in the
  /// same slice: none writes to it, and no client's code can. It takes interleaved frames where one
  /// row or the host reads it, and reads such frames.
  ///
  /// - Parameters:
  ///   - kept: The buses that the host reads.
  ///   - interleaved: Those of which the host reads interleaved frames.
  init(
    _ rows: [some BusRow], busChannelCounts: [Int], kept: [Int] = [], interleaved: [Int] = []
  ) {
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
    var readers = [Int](repeating: 0, count: busChannelCounts.count)
    takesInterleaved = zip(canBorrow, busChannelCounts).map { $0 && $1 == 2 }
    for index in rows.indices {
      for bus in rows[index].inputs {
        readers[bus] += 1
        if !rows[index].readsInterleaved { takesInterleaved[bus] = false }
      }
    }
    for bus in Set(kept) {
      readers[bus] += 1
      if !interleaved.contains(bus) { takesInterleaved[bus] = false }
    }
    for bus in readers.indices where readers[bus] > 1 { takesInterleaved[bus] = false }
    places = [Int](repeating: -1, count: busChannelCounts.count)
    for (bus, isBorrowing) in canBorrow.enumerated() where isBorrowing {
      places[bus] = channelCount
      channelCount += busChannelCounts[bus]
    }
  }
}
