import Diagnostics
import PatchSyntax

/// The knobs of sub-graphs, which are declared in other files.
extension OpenPatch {
  /// The knobs of a sub-graph by the name of its node, from the last check.
  func knobs(of node: String) -> [PatchDocument.TurnedKnob] {
    subgraphs.first { $0.name == node }?.knobs ?? []
  }

  /// The settings that a knob sets, and its range.
  static func summary(of knob: PatchDocument.TurnedKnob) -> String {
    let places = knob.places.map { $0.tokens.dropFirst().joined(separator: " ") }
    let range = knob.range.map {
      ", from \(Quantity.text($0.lowerBound)) to \(Quantity.text($0.upperBound))"
    }
    return places.isEmpty
      ? "a knob" : "a knob: turns " + places.joined(separator: ", ") + (range ?? "")
  }

  /// The knob that the cursor is at: one that a node sets, or the target of a ramp's pointer.
  func knob(at cursor: Cursor) -> (
    subgraph: PatchDocument.Subgraph, knob: PatchDocument.TurnedKnob
  )? {
    let path = cursor.path
    var tokens = path
    if path.count == 4, path[0] == "timeline", path[2] == "ramp", path[3] == "path",
      let text = value(path)?.string, let pointer = JSONPointer(parsing: text)
    {
      tokens = pointer.tokens
    }
    guard tokens.count >= 4, tokens[0] == "nodes" else { return nil }
    var name = tokens[1]
    var rest = tokens.dropFirst(2)
    while rest.first == "nodes", rest.count > 2, let inner = rest.dropFirst().first {
      name += "/" + inner
      rest = rest.dropFirst(2)
    }
    guard rest.count == 2, rest.first == "parameters", let key = rest.last,
      let subgraph = subgraphs.first(where: { $0.name == name }),
      let knob = subgraph.knobs.first(where: { $0.name == key })
    else { return nil }
    return (subgraph, knob)
  }

  /// The name in the declaration of the knob at a cursor; `nil` for a cursor elsewhere.
  func declaration(ofKnobAt cursor: Cursor) -> SourceRange? {
    guard let (subgraph, knob) = knob(at: cursor) else { return nil }
    let declared = subgraph.tree?.root["knobs"]?.members.first { $0.key.string == knob.name }
    return declared?.key.range
  }
}
