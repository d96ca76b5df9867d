/// The rows of a plan as strands, for several threads to render: each strand is rows that follow from
/// one another and are rendered by one thread, in order; it waits for those that it needs.
///
/// Strands are in the order of their first rows, and need only strands before them. So threads that
/// take them one after the other never wait for one that nobody has taken.
struct RowStrands {
  struct Strand {
    var rows: [Int]
    /// The strands that have to be done before: each is before this one.
    var needs: [Int]
  }

  var strands: [Strand] = []
  /// The strand of each row.
  var strandOfRow: [Int] = []
  /// How many rows the longest way has, on which each waits for the one before.
  private(set) var longestWay = 0

  /// - Parameter busCount: How many buses the rows may name.
  init(_ rows: [RenderPlan.Row], busCount: Int) {
    var writers = [Int](repeating: -1, count: busCount)
    var readers = [[Int]](repeating: [], count: busCount)
    var depths: [Int] = []
    depths.reserveCapacity(rows.count)
    strandOfRow.reserveCapacity(rows.count)
    // The row that has last found each row among those that it needs.
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
      // What still reads a bus is done with it before it is filled anew.
      for bus in outputs {
        need(writers[bus])
        for reader in readers[bus] { need(reader) }
      }
      for bus in inputs where readers[bus].last != index { readers[bus].append(index) }
      for bus in outputs {
        writers[bus] = index
        readers[bus] = []
      }
      depths.append(1 + (needs.map { depths[$0] }.max() ?? 0))
      longestWay = max(longestWay, depths[index])
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
