import AudioGraphs
import AudioTypes
import Diagnostics
import PatchSyntax

/// Where in the text the parts of a graph are written.
struct PatchPlaces {
  private var places: [Violation.Place: JSONValue] = [:]
  /// The definitions of the callbacks that feed an input, and of the taps.
  var callbacks: [Violation.Place: JSONValue] = [:]
  var taps: [Violation.Place: JSONValue] = [:]
  let root: JSONValue
  /// How many bytes of text may still be written to find edits: each edit is tried on the whole text.
  var bytesLeftToEdit = 16 << 20

  /// - Parameter count: How many places there may be, about.
  init(root: JSONValue, count: Int = 0) {
    self.root = root
    places.reserveCapacity(count)
  }

  /// Notes a place that may have been noted better already.
  mutating func noteFirst(_ json: JSONValue, for place: Violation.Place) {
    if places[place] == nil { places[place] = json }
  }

  mutating func note(_ json: JSONValue, for place: Violation.Place) { places[place] = json }

  /// The value that a place is written at or, where nothing is written there, the next larger one.
  func value(_ place: Violation.Place) -> JSONValue {
    if let exact = places[place] { return exact }
    guard let node = place.node else { return root["nodes"] ?? root }
    switch place.part {
    case .streamFormat(let scope, let element), .property(_, let scope, let element),
      .parameter(_, let scope, let element):
      if let bus = places[.init(node: node, .bus(scope, element))] { return bus }
    case .callback(let input, _):
      if let feed = places[.init(node: node, .feed(input))] { return feed }
    case .whole, .feed, .tap, .bus, .elementCount: break
    }
    return places[.init(node: node, .whole)] ?? root
  }
}

extension Violation {
  /// The same, said of a text.
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
