package import AudioTypes
import AudioUnits

/// The session's category permits the sides of the I/O unit that are used.
package enum CategoryPermits {
  package static let rule = Rule(
    "PR0516", "session/category-permits",
    "the category of a graph's session permits what its I/O unit does",
    statuses: [.incompatibleCategory],
    page: .init(
      "The category of a graph's session permits what its I/O unit does.",
      because: """
        A category says what an app's sound is for. One that only plays gives no microphone, and one that
        only records no loudspeaker; on a phone the unit would fail when it is initialized. In a patch it
        is PR0607.
        """,
      example: .swift(
        wrong: """
          graph.sessionCategory = .record
          try graph.initialize()
          """,
        right: """
          graph.sessionCategory = .playback
          try graph.initialize()
          """)))

  static func violations(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, _ category: SessionCategory
  ) -> [Violation] {
    let isHearing = configuration.isOn(.enableIO, .input, RemoteIO.inputElement)
    let isPlaying =
      configuration.inputs[RemoteIO.outputElement].isUsed
      || !isHearing && configuration.properties[PropertyPlace(.enableIO, .output, 0)] != .uint32(0)
    var found: [Violation] = []
    for (isUsed, isPermitted, scope, side) in [
      (isHearing, category.permitsInput, Scope.input, "the microphone side"),
      (isPlaying, category.permitsOutput, .output, "the loudspeaker side"),
    ] where isUsed && !isPermitted {
      found.append(
        Violation(
          rule, status: .incompatibleCategory,
          "the category \(category.rawValue) does not permit \(side) of '\(node.name)', which is on",
          at: .init(node: node.id, .property(.enableIO, scope, scope == .input ? 1 : 0)),
          help: ["take the category playAndRecord, or turn that side off"]))
    }
    return found
  }
}
