import AudioTypes

/// Values by buses of one scope. A graph looks up buses more often than anything else, and numbers its nodes itself:
/// so rows are found by the number of the node, and a row has the value of one bus, as most nodes have no more.
struct BusTable<Value: Sendable>: Sendable {
  private struct Row {
    var bus = 0
    /// The value of `bus`; where it is `nil`, no other bus has one.
    var value: Value?
    var others: [Int: Value] = [:]
  }

  private var rows: [Row] = []

  /// Reserves room for nodes, whose numbers begin at 1.
  mutating func reserveCapacity(nodes count: Int) { rows.reserveCapacity(count + 1) }

  subscript(key: BusKey) -> Value? {
    get {
      let (place, bus) = (Int(key.node.rawValue), key.bus)
      guard rows.indices.contains(place) else { return nil }
      return rows[place].bus == bus ? rows[place].value : rows[place].others[bus]
    }
    set {
      let (place, bus) = (Int(key.node.rawValue), key.bus)
      precondition(place >= 0, "the number of a node of the graph")
      guard rows.indices.contains(place) || newValue != nil else { return }
      while rows.count <= place { rows.append(Row()) }
      if rows[place].value == nil { rows[place].bus = bus }
      guard rows[place].bus == bus else {
        rows[place].others[bus] = newValue
        return
      }
      rows[place].value = newValue
      guard newValue == nil, let next = rows[place].others.popFirst() else { return }
      (rows[place].bus, rows[place].value) = next
    }
  }
}
