/// A graph in layers whose edges all go from one layer to the next, ordered so that few of them
/// cross.
struct LayeredOrder: Sendable {
  /// An edge between neighbouring layers.
  struct Segment: Sendable {
    var from: Int
    var to: Int
    /// Where the segment leaves and arrives: 0 is the top of an item, 1 its bottom.
    var fromPlace: Double
    var toPlace: Double
  }

  /// The items of each layer, from top to bottom.
  private(set) var layers: [[Int]]
  private let segments: [Segment]
  /// The indices of the segments that lead to each item (`incoming`) and that leave it
  /// (`outgoing`), sorted by their places there.
  private let incoming: [[Int]]
  private let outgoing: [[Int]]
  private let layerOf: [Int]

  /// - Parameter layerOf: The layer of each item.
  init(layerOf: [Int], segments: [Segment]) {
    self.layerOf = layerOf
    self.segments = segments
    var incoming = [[Int]](repeating: [], count: layerOf.count)
    var outgoing = incoming
    for (index, segment) in segments.enumerated() {
      incoming[segment.to].append(index)
      outgoing[segment.from].append(index)
    }
    for item in layerOf.indices {
      incoming[item].sort { segments[$0].toPlace < segments[$1].toPlace }
      outgoing[item].sort { segments[$0].fromPlace < segments[$1].fromPlace }
    }
    self.incoming = incoming
    self.outgoing = outgoing
    layers = [[Int]](repeating: [], count: (layerOf.max() ?? -1) + 1)
    orderByDepth()
    reduceCrossings()
  }

  /// Orders the items from the outputs, bus by bus, back to the sources. The edges of a tree then
  /// do not cross.
  private mutating func orderByDepth() {
    var isPlaced = [Bool](repeating: false, count: layerOf.count)
    let ends = layerOf.indices.filter { outgoing[$0].isEmpty }
    var stack = Array(ends.reversed())
    while let item = stack.popLast() {
      guard !isPlaced[item] else { continue }
      isPlaced[item] = true
      layers[layerOf[item]].append(item)
      for index in incoming[item].reversed() { stack.append(segments[index].from) }
    }
  }

  /// Sorts each layer by the mean place of its neighbours, forward and back, and keeps the best
  /// order.
  private mutating func reduceCrossings() {
    var best = layers
    var fewest = crossings()
    for round in 0..<8 where fewest > 0 {
      let isForward = round % 2 == 0
      let order = isForward ? Array(layers.indices) : layers.indices.reversed()
      for layer in order { sort(layer, isForward: isForward) }
      let found = crossings()
      if found < fewest {
        fewest = found
        best = layers
      }
    }
    layers = best
  }

  private mutating func sort(_ layer: Int, isForward: Bool) {
    var position: [Int: Double] = [:]
    let neighbour = isForward ? layer - 1 : layer + 1
    guard layers.indices.contains(neighbour) else { return }
    for (index, item) in layers[neighbour].enumerated() { position[item] = Double(index) }
    var means: [Int: Double] = [:]
    for (index, item) in layers[layer].enumerated() {
      let some = isForward ? incoming[item] : outgoing[item]
      let places = some.map { index in
        let segment = segments[index]
        return isForward
          ? (position[segment.from] ?? 0) + segment.fromPlace
          : (position[segment.to] ?? 0) + segment.toPlace
      }
      means[item] =
        places.isEmpty ? Double(index) : places.reduce(0, +) / Double(places.count)
    }
    // Items with equal means keep their order.
    layers[layer] = layers[layer].enumerated().sorted { left, right in
      let (low, high) = (means[left.element] ?? 0, means[right.element] ?? 0)
      return low == high ? left.offset < right.offset : low < high
    }.map(\.element)
  }

  /// The number of pairs of edges that cross.
  func crossings() -> Int {
    var total = 0
    var position = [Int](repeating: 0, count: layerOf.count)
    for layer in layers {
      for (index, item) in layer.enumerated() { position[item] = index }
    }
    for layer in layers.dropLast() {
      // Edges sorted by where they leave cross where their arrivals are out of order.
      let arrivals = layer.flatMap { item in outgoing[item].map { segments[$0] } }
        .map { Double(position[$0.to]) + $0.toPlace }
      total += Self.inversions(arrivals)
    }
    return total
  }

  /// The number of pairs that are out of order, counted by a merge sort.
  private static func inversions(_ values: [Double]) -> Int {
    var values = values
    var buffer = values
    var total = 0
    var width = 1
    while width < values.count {
      var start = 0
      while start < values.count {
        let middle = min(start + width, values.count)
        let end = min(start + 2 * width, values.count)
        var (left, right) = (start, middle)
        for place in start..<end {
          if left < middle && (right >= end || values[left] <= values[right]) {
            buffer[place] = values[left]
            left += 1
          } else {
            buffer[place] = values[right]
            total += middle - left
            right += 1
          }
        }
        start = end
      }
      swap(&values, &buffer)
      width *= 2
    }
    return total
  }
}
