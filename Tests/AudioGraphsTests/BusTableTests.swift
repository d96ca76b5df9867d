import AudioTypes
import TestSupport
import Testing

@testable import AudioGraphs

struct BusTableTests {
  @Test(arguments: 1...50)
  func `a table of buses holds what a dictionary holds`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var table = BusTable<Int>()
    var model: [BusKey: Int] = [:]
    // Few nodes with many buses, many with few, and some whose numbers are high, since others have come and gone.
    let (nodes, buses) = [(1...6, 0...9), (1...300, 0...1), (1...5000, 0...2)][Int(seed % 3)]
    if seed % 2 == 0 { table.reserveCapacity(nodes: nodes.count) }
    for step in 0..<3000 {
      let highest = seed % 5 == 0 ? nodes.upperBound : min(nodes.upperBound, 5 + step)
      let key = BusKey(
        node: NodeID(rawValue: Int32(Int.random(in: 1...highest, using: &generator))),
        bus: Int.random(in: buses, using: &generator))
      if step % 7 == 0 {
        table.change(key, from: -1) { $0 += 1 }
        model[key, default: -1] += 1
        continue
      }
      let value = Bool.random(using: &generator) ? step : nil
      table[key] = value
      model[key] = value
    }
    #expect(Dictionary(table.all.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }) == model)
    #expect(table.all.count == model.count)
    // Also of nodes and buses that there are not.
    for node in -3...(nodes.upperBound + 3) {
      for bus in (buses.lowerBound - 1)...(buses.upperBound + 1) {
        let key = BusKey(node: NodeID(rawValue: Int32(node)), bus: bus)
        #expect(table[key] == model[key])
      }
    }
  }
}
