package import AudioTypes
import AudioUnits

/// The largest slice that can occur is within each unit's maximum.
package enum SliceFits: NodeRule {
  package static let rule = Rule(
    "PR0310", "unit/slice-fits",
    "no slice is larger than a unit's maximumFramesPerSlice",
    statuses: [.tooManyFramesToProcess],
    silencedBy: [.unreadNode, .session],
    page: .init(
      "No slice is larger than a unit's maximumFramesPerSlice.",
      because: """
        A unit allocates its buffers for so many frames when it is initialized, and refuses to render
        more: the sound stops. A unit has 1024 until it is set; I/O units size their slices
        themselves.
        """,
      example: .patch(
        ExamplePatches.mixer,
        wrong: ["      \"properties\": { \"maximumFramesPerSlice\": 4096 },\n": ""],
        hardware: "frames=4096")))

  static func violation(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, in graph: SettledGraph
  ) -> Violation? {
    guard exceeds(node, configuration, in: graph) else { return nil }
    let largestSlice = graph.largestSlice
    let maximum = configuration.maximumFramesPerSlice
    return Violation(
      rule, status: .tooManyFramesToProcess,
      "a slice has up to \(largestSlice) frames, but '\(node.name)' takes at most \(maximum)",
      at: .init(node: node.id, .property(.maximumFramesPerSlice, .global, 0)),
      help: [
        "set \"properties\": { \"maximumFramesPerSlice\": \(max(4096, largestSlice)) }"
      ],
      remedies: [
        Remedy(
          "set maximumFramesPerSlice to \(max(4096, largestSlice))",
          [.setProperty("maximumFramesPerSlice", .global, 0, "\(max(4096, largestSlice))")])
      ])
  }

  /// Whether slices of the device are larger than a node takes. A unit upstream of one that pulls at a pace of
  /// its own is never asked for more frames than it takes: see `PlanCompiler`.
  static func exceeds(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, in graph: SettledGraph
  ) -> Bool {
    graph.largestSlice > configuration.maximumFramesPerSlice
      && !node.unit.description.sizesItsOwnSlices && graph.rendersWholeSlices(node)
  }
}
