/// Assigns memory to the channels of a plan's buses: buses that are never in use at the same time
/// share memory.
///
/// The memory thus grows with the number of buses in use at one time, and stays in the processor's
/// cache for a graph of a thousand units.
struct BusMemory {
  /// The stretch of memory of each channel, for the channels of all buses, one bus after the other.
  private(set) var stretches: [Int] = []
  /// The number of stretches.
  private(set) var count = 0

  /// The free stretches of each strand.
  private var free: [[Int]] = []

  /// Gives every channel a stretch of its own.
  init(_ busChannelCounts: [Int]) {
    count = busChannelCounts.reduce(0, +)
    stretches = Array(0..<count)
  }

  /// - Parameters:
  ///   - rows: In the order of rendering. A row needs its inputs until it has filled its outputs.
  ///   - kept: The buses that are filled or read outside of the rows.
  ///   - strands: The strand of each row, where several threads render them. A stretch used by the
  ///     rows of one strand only is reused by that strand, and by no other.
  init(
    _ busChannelCounts: [Int], rows: [some BusRow], kept: [Int], strands: [Int]? = nil
  ) {
    var first = [Int](repeating: -1, count: busChannelCounts.count)
    var last = [Int](repeating: -1, count: busChannelCounts.count)
    // The only strand that uses a bus; -1 for none, and -2 for several.
    var owners = [Int](repeating: -1, count: busChannelCounts.count)
    // By index, so that rows are not copied.
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
        // A bus that is read before it is filled holds the last slice, or silence.
        if first[bus] < 0 { first[bus] = .max }
        last[bus] = index
      }
      for bus in outputs {
        if first[bus] < 0 { first[bus] = index }
        last[bus] = index
      }
    }
    for bus in kept { first[bus] = .max }
    free = Array(repeating: [], count: 1 + (strands?.max() ?? 0))
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
      func release(_ bus: Int) {
        guard last[bus] == index, first[bus] != .max else { return }
        // A row may name a bus twice; it is freed once.
        last[bus] = .max
        guard owners[bus] == strand else { return }
        free[strand] += stretches[begins[bus]..<begins[bus] + busChannelCounts[bus]]
      }
      for bus in inputs { release(bus) }
      for bus in outputs { release(bus) }
    }
  }

  private mutating func take(for strand: Int) -> Int {
    if let stretch = free[strand].popLast() { return stretch }
    count += 1
    return count - 1
  }
}
