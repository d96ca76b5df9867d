import AudioTypes

/// Values by buses of one scope. A graph looks up buses more often than anything else, and numbers its nodes itself:
/// so rows are found by the number of the node, and a row has the value of one bus, as most nodes have no more.
///
/// Its memory is linear in the number of values. Nodes that come and go while a graph plays have ever higher numbers:
/// those far above the number of values are in a dictionary.
package struct BusTable<Value: Sendable>: Sendable {
  private struct Row {
    var bus = 0
    /// The value of `bus`; where it is `nil`, no other bus has one.
    var value: Value?
    var others: [Int: Value] = [:]
  }

  /// By the number of the node.
  private var rows: [Row] = []
  private var rest: [BusKey: Value] = [:]
  /// The number of values in `rows`.
  private var count = 0

  package init() {}

  /// Reserves room for nodes, whose numbers begin at 1.
  package mutating func reserveCapacity(nodes count: Int) { rows.reserveCapacity(count + 1) }

  package subscript(key: BusKey) -> Value? {
    get {
      let (place, bus) = (Int(key.node.rawValue), key.bus)
      guard rows.indices.contains(place) else { return rest.isEmpty ? nil : rest[key] }
      return rows[place].bus == bus ? rows[place].value : rows[place].others[bus]
    }
    set {
      let place = Int(key.node.rawValue)
      if !rows.indices.contains(place) {
        let most = 2 * (count + rest.count) + 64
        if place == rows.count, place < most, rest.isEmpty, newValue != nil {
          // The next node, as most are while a graph is made.
          rows.append(Row(bus: key.bus, value: newValue))
          count += 1
          return
        }
        guard newValue != nil, (0..<most).contains(place), rest.isEmpty || most >= 2 * rows.count
        else {
          rest[key] = newValue
          return
        }
        // By doubling where the dictionary has to be searched for what belongs into the new rows.
        makeRows(rest.isEmpty ? place + 1 : most)
      }
      set(newValue, of: key.bus, in: place)
    }
  }

  /// Changes the value of a bus in place, as far as it is the only one of its node.
  ///
  /// - Parameter initial: What is changed where there is no value.
  mutating func change(
    _ key: BusKey, from initial: @autoclosure () -> Value, _ body: (inout Value) -> Void
  ) {
    let place = Int(key.node.rawValue)
    if rows.indices.contains(place), rows[place].bus == key.bus, rows[place].value != nil {
      body(&rows[place].value!)
    } else {
      var value = self[key] ?? initial()
      body(&value)
      self[key] = value
    }
  }

  /// All buses that have a value, with their values.
  package var all: [(key: BusKey, value: Value)] {
    var all = rest.map { (key: $0.key, value: $0.value) }
    for (place, row) in rows.enumerated() {
      guard let value = row.value else { continue }
      let node = NodeID(rawValue: Int32(place))
      all.append((BusKey(node: node, bus: row.bus), value))
      all += row.others.map { (BusKey(node: node, bus: $0.key), $0.value) }
    }
    return all
  }

  private mutating func makeRows(_ most: Int) {
    let first = rows.count
    while rows.count < most { rows.append(Row()) }
    for key in rest.keys.filter({ (first..<most).contains(Int($0.node.rawValue)) }) {
      set(rest.removeValue(forKey: key), of: key.bus, in: Int(key.node.rawValue))
    }
  }

  private mutating func set(_ value: Value?, of bus: Int, in place: Int) {
    if rows[place].value == nil { rows[place].bus = bus }
    guard rows[place].bus == bus else {
      let before = rows[place].others.count
      rows[place].others[bus] = value
      count += rows[place].others.count - before
      return
    }
    count += (value == nil ? 0 : 1) - (rows[place].value == nil ? 0 : 1)
    rows[place].value = value
    guard value == nil, let next = rows[place].others.popFirst() else { return }
    (rows[place].bus, rows[place].value) = next
  }
}
