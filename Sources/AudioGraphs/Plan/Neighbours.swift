/// What each of some nodes, by their numbers from 0 up, leads to.
struct Neighbours {
  /// Where the ones of a node begin in `numbers`, and behind the last where they end.
  private let begins: [Int]
  private let numbers: [Int]

  /// - Parameter count: How many nodes there are.
  init(_ links: [(Int, Int)], count: Int) {
    var begins = [Int](repeating: 0, count: count + 1)
    for (from, _) in links { begins[from + 1] += 1 }
    for node in 0..<count { begins[node + 1] += begins[node] }
    var numbers = [Int](repeating: 0, count: links.count)
    var next = begins
    for (from, to) in links {
      numbers[next[from]] = to
      next[from] += 1
    }
    self.begins = begins
    self.numbers = numbers
  }

  /// In the order of the links.
  func of(_ node: Int) -> ArraySlice<Int> { numbers[begins[node]..<begins[node + 1]] }

  /// Some nodes, each behind all that lead to it; those that wait in a circle, or behind one, are
  /// missing. Nodes of equal standing stay as they are given.
  static func order(_ nodes: [Int], _ links: [(Int, Int)], count: Int) -> [Int] {
    var waits = [Int](repeating: 0, count: count)
    for (_, to) in links { waits[to] += 1 }
    let takers = Neighbours(links, count: count)
    var ready = nodes.filter { waits[$0] == 0 }
    var next = 0
    while next < ready.count {
      for taker in takers.of(ready[next]) {
        waits[taker] -= 1
        if waits[taker] == 0 { ready.append(taker) }
      }
      next += 1
    }
    return ready
  }
}
