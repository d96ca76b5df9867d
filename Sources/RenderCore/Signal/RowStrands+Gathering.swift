extension RowStrands {
  /// Whether several threads would finish earlier than one: there must be enough work beside the
  /// longest chain of rows. A row takes some microseconds per slice; synchronizing threads takes
  /// about one.
  func isWorthSharing(_ frameCount: Int) -> Bool {
    2 * workCount >= 3 * longestChain && (workCount - longestChain) * frameCount >= 8192
  }

  /// Joins successive strands that need no other, because taking a strand synchronizes threads. The
  /// last strands stay short, so that all threads finish at about the same time.
  mutating func gather(for threadCount: Int) {
    var gathered: [Strand] = []
    var numbers: [Int] = []
    numbers.reserveCapacity(strands.count)
    var end = 0
    while numbers.count < strands.count {
      let first = numbers.count
      end = max(end, first)
      while end < strands.count, strands[end].needs.isEmpty { end += 1 }
      let count = max(1, (end - first) / (4 * threadCount))
      // In the order of the plan, which decides which buses share memory.
      let rows = strands[first..<(first + count)].flatMap(\.rows).sorted()
      var needs: [Int] = []
      for need in strands[first].needs.map({ numbers[$0] }) where !needs.contains(need) {
        needs.append(need)
      }
      numbers += repeatElement(gathered.count, count: count)
      gathered.append(Strand(rows: rows, needs: needs))
    }
    strands = gathered
    strandOfRow = strandOfRow.map { numbers[$0] }
  }
}
