extension RowStrands {
  /// Whether several threads would finish earlier than one: there must be enough work beside the
  /// heaviest chain of rows, or a mix that they can share. A row of weight 1 takes 6 µs for a slice of
  /// 1024 frames, a mix of 16 inputs with 4096 frames takes as long; synchronizing threads takes
  /// about one.
  func isWorthSharing(_ frameCount: Int) -> Bool {
    Self.isWorthSharing(weight, heaviestChain: heaviestChain, mix: largestMix, frameCount)
  }

  private static func isWorthSharing(
    _ weight: Int, heaviestChain: Int, mix inputCount: Int, _ frameCount: Int
  ) -> Bool {
    if inputCount * frameCount >= 16 * 4096 { return true }
    return 2 * weight >= 3 * heaviestChain && (weight - heaviestChain) * frameCount >= 8192
  }

  /// Whether the strands of rows, which take time to find, may be worth sharing. Only the heaviest
  /// chain of rows that read what the one before has written is looked at; no chain is lighter.
  static func maySave(_ rows: [some BusRow], busCount: Int, _ frameCount: Int) -> Bool {
    var chains = [Int](repeating: 0, count: busCount)
    var (weight, heaviestChain, largestMix) = (0, 0, 0)
    for index in rows.indices {
      var chain = 0
      for bus in rows[index].inputs { chain = max(chain, chains[bus]) }
      chain += rows[index].weight
      for bus in rows[index].outputs { chains[bus] = chain }
      heaviestChain = max(heaviestChain, chain)
      weight += rows[index].weight
      if rows[index].sharesMix { largestMix = max(largestMix, rows[index].inputs.count) }
    }
    return isWorthSharing(weight, heaviestChain: heaviestChain, mix: largestMix, frameCount)
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
