/// The rows of a plan as strands, for several threads to render: each strand is a chain of rows
/// that one thread renders in order, once the strands that it needs are done.
///
/// Strands are in the order of their first rows, and need only strands before them. Threads that
/// take them in order therefore never wait for a strand that nobody has taken.
struct RowStrands {
  struct Strand {
    var rows: [Int]
    /// The strands that must be done before; all of them come before this one.
    var needs: [Int]
  }

  var strands: [Strand] = []
  /// The strand of each row.
  var strandOfRow: [Int] = []
  /// The weight of the heaviest chain in which each row needs the one before.
  private(set) var heaviestChain = 0
  /// The weight of all rows.
  let weight: Int
  /// The most inputs of a row whose mix threads can share.
  let largestMix: Int

  /// - Parameter busCount: The number of buses of the plan.
  init(_ rows: [some BusRow], busCount: Int) {
    weight = rows.reduce(0) { $0 + $1.weight }
    largestMix = rows.lazy.filter(\.sharesMix).map(\.inputs.count).max() ?? 0
    var writers = [Int](repeating: -1, count: busCount)
    var readers = [[Int]](repeating: [], count: busCount)
    // The weight of the heaviest chain up to each row.
    var chains: [Int] = []
    chains.reserveCapacity(rows.count)
    strandOfRow.reserveCapacity(rows.count)
    // The last row that marked each row as needed.
    var marks = [Int](repeating: -1, count: rows.count)
    var strandMarks: [Int] = []
    for index in rows.indices {
      let (inputs, outputs) = (rows[index].inputs, rows[index].outputs)
      var needs: [Int] = []
      func need(_ other: Int) {
        guard other >= 0, marks[other] != index else { return }
        marks[other] = index
        needs.append(other)
      }
      for bus in inputs { need(writers[bus]) }
      // Rows that still read a bus must be done before it is filled again.
      for bus in outputs {
        need(writers[bus])
        for reader in readers[bus] { need(reader) }
      }
      for bus in inputs where readers[bus].last != index { readers[bus].append(index) }
      for bus in outputs {
        writers[bus] = index
        readers[bus] = []
      }
      chains.append(rows[index].weight + (needs.map { chains[$0] }.max() ?? 0))
      heaviestChain = max(heaviestChain, chains[index])
      if needs.count == 1, strands[strandOfRow[needs[0]]].rows.last == needs[0] {
        strandOfRow.append(strandOfRow[needs[0]])
        strands[strandOfRow[index]].rows.append(index)
        continue
      }
      var before: [Int] = []
      for strand in needs.map({ strandOfRow[$0] }) where strandMarks[strand] != index {
        strandMarks[strand] = index
        before.append(strand)
      }
      strandOfRow.append(strands.count)
      strandMarks.append(-1)
      strands.append(Strand(rows: [index], needs: before))
    }
  }
}
