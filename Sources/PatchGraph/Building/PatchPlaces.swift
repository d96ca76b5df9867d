import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax
import Synchronization

/// Where in the text the parts of a graph are written.
///
/// A patch without findings looks up no place. So places are only recorded, and the first lookup
/// makes a table of them. Copies share the records.
struct PatchPlaces {
  private let records: PlaceRecords
  /// The definitions of the callbacks that feed an input, and of the taps.
  var callbacks: [Violation.Place: JSONValue] = [:]
  var taps: [Violation.Place: JSONValue] = [:]
  let root: JSONValue
  /// How many bytes of text may still be written to find edits: each edit is made in a copy of the
  /// whole text.
  var bytesLeftToEdit = 16 << 20

  /// - Parameters:
  ///   - nodes: The nodes of the document.
  ///   - connections: Its connections.
  init(
    root: JSONValue, nodes: [PatchDocument.Member<PatchDocument.Node>] = [],
    connections: [PatchDocument.Connection] = []
  ) {
    self.root = root
    records = PlaceRecords(nodes, connections)
  }

  /// Records where a place is written, unless it has been recorded before.
  func recordFirst(_ json: JSONValue, for place: Violation.Place) {
    records.add(.first(place, json))
  }

  /// Records where a place is written.
  func record(_ json: JSONValue, for place: Violation.Place) { records.add(.place(place, json)) }

  /// Records the places of the connection at an index of the document: its input, and its output
  /// unless that has been recorded before.
  func record(connection index: Int, from source: NodeID, to destination: NodeID) {
    records.add(.connection(index, from: source, to: destination))
  }

  /// Records all places of the node at an index of the document.
  func record(_ unit: UnitInstance, at index: Int, as id: NodeID) {
    records.add(.node(id, unit, index))
  }

  /// The value that a place is written in; where it is not written, the value around it.
  func value(_ place: Violation.Place) -> JSONValue {
    if let exact = records[place] { return exact }
    guard let node = place.node else { return root["nodes"] ?? root }
    switch place.part {
    case .streamFormat(let scope, let element), .property(_, let scope, let element),
      .parameter(_, let scope, let element):
      if let bus = records[.init(node: node, .bus(scope, element))] { return bus }
    case .callback(let input, _):
      if let feed = records[.init(node: node, .feed(input))] { return feed }
    case .whole, .feed, .tap, .bus, .elementCount: break
    }
    return records[.init(node: node, .whole)] ?? root
  }
}

/// The records that copies of ``PatchPlaces`` share. Safe to use from any thread.
private final class PlaceRecords: Sendable {
  enum Record {
    // Boxed: most records are of nodes and connections.
    indirect case place(Violation.Place, JSONValue)
    /// A place, unless it has been recorded before.
    indirect case first(Violation.Place, JSONValue)
    /// The places of the connection at an index of the document.
    case connection(Int, from: NodeID, to: NodeID)
    /// All places of the node at an index of the document.
    case node(NodeID, UnitInstance, Int)
  }

  private struct State {
    var records: [Record] = []
    /// The table of the first `tabulatedCount` records.
    var table: [Violation.Place: JSONValue] = [:]
    var tabulatedCount = 0
  }

  private let nodes: [PatchDocument.Member<PatchDocument.Node>]
  private let connections: [PatchDocument.Connection]
  private let state = Mutex(State())

  init(
    _ nodes: [PatchDocument.Member<PatchDocument.Node>], _ connections: [PatchDocument.Connection]
  ) {
    self.nodes = nodes
    self.connections = connections
    state.withLock { $0.records.reserveCapacity(nodes.count + connections.count) }
  }

  func add(_ record: Record) { state.withLock { $0.records.append(record) } }

  subscript(place: Violation.Place) -> JSONValue? {
    state.withLock { state in
      while state.tabulatedCount < state.records.count {
        switch state.records[state.tabulatedCount] {
        case .place(let place, let json): state.table[place] = json
        case .first(let place, let json):
          if state.table[place] == nil { state.table[place] = json }
        case .connection(let index, let source, let destination):
          record(connections[index], source, destination, in: &state.table)
        case .node(let id, let unit, let index): record(nodes[index], unit, id, in: &state.table)
        }
        state.tabulatedCount += 1
      }
      return state.table[place]
    }
  }

  private func record(
    _ connection: PatchDocument.Connection, _ source: NodeID, _ destination: NodeID,
    in table: inout [Violation.Place: JSONValue]
  ) {
    if let to = connection.to {
      table[.init(node: destination, .feed(to.value.bus ?? 0))] = to.json
    }
    if let from = connection.from {
      let output = Violation.Place(node: source, .bus(.output, from.value.bus ?? 0))
      if table[output] == nil { table[output] = from.json }
    }
  }

  private func record(
    _ member: PatchDocument.Member<PatchDocument.Node>, _ unit: UnitInstance, _ id: NodeID,
    in table: inout [Violation.Place: JSONValue]
  ) {
    let node = member.value
    table[.init(node: id, .whole)] = member.key.json
    for field in node.properties {
      guard let info = unit.info(named: field.name) else { continue }
      table[.init(node: id, .property(info.id, .global, 0))] = field.value
    }
    for field in node.parameters {
      guard let info = unit.parameterInfo(named: field.name, .global) else { continue }
      table[.init(node: id, .parameter(info.id, .global, 0))] = field.value
    }
    for (number, band) in (node.bands?.value ?? []).enumerated() {
      for field in band.parameters {
        guard let info = unit.bandParameter(named: field.name, of: number) else { continue }
        table[.init(node: id, .parameter(info.id, .global, 0))] = field.value
      }
    }
    for (scope, elements) in [(Scope.input, node.inputs), (.output, node.outputs)] {
      for element in elements {
        let bus = element.bus.value
        // A bus that a preset sets has no place in the patch's own text.
        if element.bus.json.tree === node.json.tree {
          table[.init(node: id, .bus(scope, bus))] = element.bus.json
        }
        if let format = element.streamFormat?.json ?? element.sampleRate?.json {
          table[.init(node: id, .streamFormat(scope, bus))] = format
        }
        for field in element.properties {
          guard let info = unit.info(named: field.name) else { continue }
          table[.init(node: id, .property(info.id, scope, bus))] = field.value
          // The input and the output scope of an element share the map.
          if info.id == .channelMap {
            table[.init(node: id, .property(info.id, .output, bus))] = field.value
          }
        }
        for field in element.parameters {
          guard let info = unit.parameterInfo(named: field.name, scope) else { continue }
          table[.init(node: id, .parameter(info.id, scope, bus))] = field.value
        }
      }
    }
    if let count = node.inputCount {
      table[.init(node: id, .elementCount(.input))] = count.json
    }
    if let count = node.outputCount {
      table[.init(node: id, .elementCount(.output))] = count.json
    }
  }
}

extension Violation {
  /// The diagnostic of a violation in the text of a patch.
  ///
  /// - Parameter primary: The value to point to; `nil` for the one that the place is written in.
  func diagnostic(
    in places: PatchPlaces, at primary: JSONValue? = nil
  ) -> Diagnostic {
    var value = primary ?? places.value(place)
    let definition: JSONValue? =
      switch rule {
      case CallbacksReady.rule, LiveSettingsMove.rule, MemoryFits.response: places.callbacks[place]
      case TapsReady.rule: status == .invalidElement ? nil : places.taps[place]
      default: nil
      }
    if let definition {
      value = setting.flatMap { definition[$0] } ?? definition["path"] ?? definition
    }
    let range = value.markRange
    let notes = notes.compactMap { note -> Diagnostic.Note? in
      let noteRange = places.value(note.place).markRange
      return noteRange == range ? nil : .init(.init(note.message), at: noteRange)
    }
    return rule.diagnostic(
      .init(message), status: status, at: range, pointer: value.pointer.description,
      notes: notes, help: help,
      fixes: remedies.compactMap {
        RemedyEdits(places: places, node: place.node, primary: primary).fix($0)
      })
  }
}
