/// Which memory each channel of a plan's buses has: buses that are never needed at the same time have
/// the same.
///
/// A graph of a thousand units works in as much memory as its widest place takes, which stays in the
/// processor's cache.
struct BusMemory {
  /// For the channels of all buses, one bus after the other: the number of a stretch of memory.
  private(set) var stretches: [Int] = []
  /// How many there are.
  private(set) var count = 0

  /// Of each strand, what its rows have given back.
  private var free: [Int: [Int]] = [:]

  /// Every channel has its own.
  init(_ busChannelCounts: [Int]) {
    count = busChannelCounts.reduce(0, +)
    stretches = Array(0..<count)
  }

  /// - Parameters:
  ///   - rows: In their order. A row fills each of its outputs, and needs its inputs until it has.
  ///   - kept: The buses that something else fills or reads.
  ///   - strands: Of each row the strand that it belongs to, where several threads render them: what
  ///     the rows of one strand alone have used is used by that strand again, and by no other.
  init(
    _ busChannelCounts: [Int], rows: [RenderPlan.Row], kept: [Int], strands: [Int]? = nil
  ) {
    var first = [Int](repeating: -1, count: busChannelCounts.count)
    var last = [Int](repeating: -1, count: busChannelCounts.count)
    // The strand that has a bus to itself; -1 before there is one, and -2 where there are two.
    var owners = [Int](repeating: -1, count: busChannelCounts.count)
    // By their places, so that rows are not copied.
    for index in rows.indices {
      let (inputs, outputs) = (rows[index].inputs, rows[index].outputs)
      let strand = strands?[index] ?? 0
      for bus in inputs where owners[bus] != strand {
        owners[bus] = owners[bus] == -1 ? strand : -2
      }
      for bus in outputs where owners[bus] != strand {
        owners[bus] = owners[bus] == -1 ? strand : -2
      }
      for bus in inputs {
        // What is read before it is filled is there from the slice before, or silence.
        if first[bus] < 0 { first[bus] = .max }
        last[bus] = index
      }
      for bus in outputs {
        if first[bus] < 0 { first[bus] = index }
        last[bus] = index
      }
    }
    for bus in kept { first[bus] = .max }
    var begins = [Int](repeating: 0, count: busChannelCounts.count)
    var channel = 0
    for (bus, channelCount) in busChannelCounts.enumerated() {
      begins[bus] = channel
      channel += channelCount
    }
    stretches = [Int](repeating: -1, count: channel)
    for (bus, channelCount) in busChannelCounts.enumerated()
    where first[bus] < 0 || first[bus] == .max {
      for channel in 0..<channelCount {
        stretches[begins[bus] + channel] = count
        count += 1
      }
    }
    for index in rows.indices {
      let (inputs, outputs) = (rows[index].inputs, rows[index].outputs)
      let strand = strands?[index] ?? 0
      for bus in outputs
      where first[bus] == index && busChannelCounts[bus] > 0 && stretches[begins[bus]] < 0 {
        for channel in 0..<busChannelCounts[bus] {
          stretches[begins[bus] + channel] = take(for: strand)
        }
      }
      for buses in [inputs, outputs] {
        for bus in buses where last[bus] == index && first[bus] != .max {
          // Named twice in a row, it is given back once.
          last[bus] = .max
          guard owners[bus] == strand else { continue }
          free[strand, default: []] +=
            stretches[begins[bus]..<begins[bus] + busChannelCounts[bus]]
        }
      }
    }
  }

  private mutating func take(for strand: Int) -> Int {
    if let stretch = free[strand]?.popLast() { return stretch }
    count += 1
    return count - 1
  }
}
