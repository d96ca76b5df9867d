import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics

extension GraphBuilder {
  /// Reports the notes of the units: remarks on what they do, not mistakes.
  mutating func reportNotes(_ configurations: [NodeID: UnitConfiguration]) {
    for id in graph.nodes {
      guard let configuration = configurations[id], let info = try? graph.nodeInfo(id),
        let unit = info.unit?.unit
      else { continue }
      for note in unit.notes(on: quoted(info.name), in: configuration) { report(note.at(node: id)) }
    }
  }
}
