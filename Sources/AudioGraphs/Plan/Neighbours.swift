/// Adjacency lists of nodes that are numbered from 0 up.
struct Neighbours {
  // An array with other labels would be copied, tuple by tuple.
  typealias Link = (source: Int, destination: Int)

  /// The beginning of each node's list in `numbers`, and at last the end of the last list.
  private let begins: [Int]
  private let numbers: [Int]

  /// - Parameter count: The number of nodes.
  init(_ links: [Link], count: Int) {
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

  /// The targets of a node, in the order of the links.
  func of(_ node: Int) -> ArraySlice<Int> { numbers[begins[node]..<begins[node + 1]] }

  /// The nodes in topological order. Nodes in a cycle, or downstream of one, are missing. Nodes
  /// that do not depend on each other keep the order in which they are given.
  static func order(_ nodes: [Int], _ links: [Link], count: Int) -> [Int] {
    var waits = [Int](repeating: 0, count: count)
    for (_, to) in links { waits[to] += 1 }
    let targets = Neighbours(links, count: count)
    var ready = nodes.filter { waits[$0] == 0 }
    var next = 0
    while next < ready.count {
      for taker in targets.of(ready[next]) {
        waits[taker] -= 1
        if waits[taker] == 0 { ready.append(taker) }
      }
      next += 1
    }
    return ready
  }
}
