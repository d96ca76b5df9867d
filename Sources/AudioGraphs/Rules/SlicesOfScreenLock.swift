package import AudioTypes
import AudioUnits

/// With no input active slices grow to 4096 frames when an iPhone's screen is locked.
package enum SlicesOfScreenLock: NodeRule {
  package static let rule = Rule(
    "PR0311", "unit/slice-4096",
    "with no input active, a unit takes the 4096 frames of a slice while the screen is locked",
    severity: .warning,
    silencedBy: [.unreadNode, .sides, .formatElsewhere],
    page: .init(
      "With no input active, a unit of a patch that plays on behind a locked screen takes slices of "
        + "4096 frames.",
      because: """
        On an iPhone whose screen is locked, slices grow from 1024 to 4096 frames, unless the microphone is
        on. A unit that takes fewer then fails with kAudioUnitErr_TooManyFramesToProcess, and the music
        stops (QA1606). It does no harm to set it always.

        Only some categories play on when the screen is locked. So this is a warning where the patch says
        one of them ("playback", "playAndRecord" or "multiRoute"), and else a note, which `validate --notes`
        shows: that is patchrun's choice. On Linux no screen lengthens a slice; what a device grants is
        compared by PR0310.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "{\n  \"str", with: "{\n  \"session\": { \"category\": \"playback\" },\n  \"str"),
        wrong: ["      \"properties\": { \"maximumFramesPerSlice\": 4096 },\n": ""])))

  static func violation(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, in graph: SettledGraph
  ) -> Violation? {
    guard graph.isIO, !graph.isHearing, configuration.maximumFramesPerSlice < 4096,
      node.component.type != .outputType, graph.rendersWholeSlices(node),
      !SliceFits.exceeds(node, configuration, in: graph)
    else { return nil }
    return Violation(
      rule, status: .ok,
      "'\(node.name)' takes at most \(configuration.maximumFramesPerSlice) frames in a slice; on "
        + "an iPhone whose screen is locked slices have 4096, and the sound would stop (QA1606)",
      at: .init(node: node.id, .property(.maximumFramesPerSlice, .global, 0)),
      help: ["set \"properties\": { \"maximumFramesPerSlice\": 4096 }"],
      remedies: [
        Remedy(
          "set maximumFramesPerSlice to 4096",
          [.setProperty("maximumFramesPerSlice", .global, 0, "4096")])
      ])
  }
}
