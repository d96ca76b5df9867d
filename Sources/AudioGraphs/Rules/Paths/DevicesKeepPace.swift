package import AudioTypes
import AudioUnits

/// What a device hears is not played faster or slower.
package enum DevicesKeepPace {
  package static let rule = Rule(
    "PR0320", "connection/devices-keep-pace",
    "what a device hears is not played at another pace",
    statuses: [.parameterError],
    silencedBy: [.unreadNode, .session, .format, .feeds, .destination],
    page: .init(
      "No Varispeed lies between a microphone and what is played.",
      because: """
        A microphone gives a second of sound in a second. A Varispeed at twice the rate takes two, and \
        at half the rate leaves half a second behind, again and again: there is nothing to play, or \
        ever more that is too old. It is for what is read as fast as it is wanted: files and \
        callbacks.
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

  /// - Parameter configuration: Settled.
  static func violation(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, in model: GraphModel
  ) -> Violation? {
    let demands = node.unit.pulledInputs(in: configuration)
    guard let head = model.head?.id, demands.values.contains(where: \.playsAtWill) else {
      return nil
    }
    for interaction in model.interactions(into: node.id)
    where demands[interaction.input]?.playsAtWill == true {
      var next = [interaction.link?.source].compactMap(\.self)
      var seen = Set(next)
      while let source = next.popLast() {
        if source == head {
          return Violation(
            rule, status: .parameterError,
            "'\(model.address(head, RemoteIO.inputElement))' feeds '\(node.name)', which plays at a pace "
              + "of its own: a microphone gives a second of sound in a second, and no more",
            at: .init(node: node.id, .feed(interaction.input)),
            help: ["take '\(node.name)' out of this path, or record first and play the file"])
        }
        for feed in model.interactions(into: source) {
          guard let link = feed.link, seen.insert(link.source).inserted else { continue }
          next.append(link.source)
        }
      }
    }
    return nil
  }
}
