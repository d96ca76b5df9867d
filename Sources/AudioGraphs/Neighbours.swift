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
}
