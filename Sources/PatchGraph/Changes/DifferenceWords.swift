import AudioGraphs
import Diagnostics
import PatchSyntax
import RenderCore

extension BuiltPatch {
  /// The ramps of the timeline, each with the name of its node.
  var ramps: [(node: String, ramp: ParameterRamp)] {
    guard let ramps = graph?.ramps, !ramps.isEmpty else { return [] }
    let names = Dictionary(uniqueKeysWithValues: layout.nodes.map { ($1, $0) })
    return ramps.compactMap { ramp in names[ramp.node].map { ($0, ramp) } }
  }
}

extension PatchLayout.BusName {
  /// The bus in quotes: `mixer:1`, or `mixer` for bus 0.
  var text: String { quoted(bus == 0 ? node : "\(node):\(bus)") }
}

extension PatchLayout.Tap {
  /// Whether the kind and the settings are the same; the bus may differ.
  func isSame(as other: PatchLayout.Tap) -> Bool { kind == other.kind && values == other.values }

  /// The file that it writes; `nil` for none.
  var path: String? {
    if case .text(let path)? = values["path"] { path } else { nil }
  }

  /// The file that it continues in where it cannot continue in its own; `nil` for a tap that writes
  /// no file.
  var nextPath: String? {
    guard let path else { return nil }
    return Takes.nextPath(of: path)
  }
}

extension PatchLayout.Feed {
  var text: String {
    switch self {
    case .output(let name): name.text
    case .chain(let chain): quoted(chain.name)
    }
  }
}
