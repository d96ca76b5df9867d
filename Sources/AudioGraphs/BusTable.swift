import AudioTypes

/// Values by buses of one scope. A graph looks up buses more often than anything else, and numbers its nodes itself:
/// so rows are found by the number of the node, and a row has the value of one bus, as most nodes have no more.
///
/// Its memory is linear in the number of values. Nodes that come and go while a graph plays have ever higher numbers:
/// those far above the number of values are in a dictionary.
struct BusTable<Value: Sendable>: Sendable {
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

  /// Reserves room for nodes, whose numbers begin at 1.
  mutating func reserveCapacity(nodes count: Int) { rows.reserveCapacity(count + 1) }

  subscript(key: BusKey) -> Value? {
    get {
      let (place, bus) = (Int(key.node.rawValue), key.bus)
      guard rows.indices.contains(place) else { return rest.isEmpty ? nil : rest[key] }
      return rows[place].bus == bus ? rows[place].value : rows[place].others[bus]
    }
    set {
      let place = Int(key.node.rawValue)
      if !rows.indices.contains(place) {
        let most = 2 * (count + rest.count) + 64
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
