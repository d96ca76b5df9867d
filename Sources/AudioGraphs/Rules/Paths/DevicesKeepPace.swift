package import AudioTypes
import AudioUnits

/// The input of a device is not played faster or slower.
package enum DevicesKeepPace: NodeRule {
  package static let rule = Rule(
    "PR0320", "connection/devices-keep-pace",
    "what a device hears is not played at another pace",
    statuses: [.parameterError],
    silencedBy: [.unreadNode, .session, .format, .feeds, .destination],
    page: .init(
      "No Varispeed, and no 3DMixer's playbackRate but 1, lies between a microphone and what is played.",
      because: """
        A microphone gives a second of sound in a second. A Varispeed at twice the rate takes two, and \
        at half the rate leaves half a second behind, again and again: there is nothing to play, or \
        ever more that is too old. The same holds for the playbackRate of a 3DMixer's input. Both are for \
        what is read as fast as it is wanted: files and callbacks.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.microphone,
        wrong: [
          """
          "inputs": { "1": { "properties": { "enableIO": true } } }
              }
          """: """
          "inputs": { "1": { "properties": { "enableIO": true } } }
              },
              "speed": { "component": "Varispeed", "properties": { "maximumFramesPerSlice": 4096 } }
          """,
          "{ \"from\": \"io:1\", \"to\": \"io:0\" }":
            "{ \"from\": \"io:1\", \"to\": \"speed\" }, { \"from\": \"speed\", \"to\": \"io:0\" }",
        ])))

  static func violation(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, in graph: SettledGraph
  ) -> Violation? {
    let demands = node.unit.pulledInputs(in: configuration)
    guard !demands.isEmpty, let head = graph.model.head?.id,
      demands.values.contains(where: { $0.hasVariableSpeed || $0.speed != 1 })
    else { return nil }
    let model = graph.model
    for interaction in model.interactions(into: node.id) {
      guard let demand = demands[interaction.input], demand.hasVariableSpeed || demand.speed != 1,
        let source = interaction.link?.source, hears(head, source, in: model)
      else { continue }
      let microphone = model.address(head, RemoteIO.inputElement)
      let (pace, cure) =
        demand.hasVariableSpeed
        ? ("a pace of its own", "take '\(node.name)' out of this path")
        : (
          "\(Float(demand.speed)) times its pace",
          "set the 'playbackRate' of input \(interaction.input) to 1"
        )
      return Violation(
        rule, status: .parameterError,
        "'\(microphone)' feeds '\(node.name)', which plays at \(pace): "
          + "a microphone gives a second of sound in a second, and no more",
        at: .init(node: node.id, .feed(interaction.input)),
        help: ["\(cure), or record first and play the file"])
    }
    return nil
  }

  /// Whether the sound of a device reaches a node's output.
  private static func hears(
    _ head: NodeID, _ source: NodeID, in model: GraphModel
  ) -> Bool {
    var next = [source]
    var seen = Set(next)
    while let source = next.popLast() {
      if source == head { return true }
      for feed in model.interactions(into: source) {
        guard let link = feed.link, seen.insert(link.source).inserted else { continue }
        next.append(link.source)
      }
    }
    return false
  }
}
