package import AudioTypes
import AudioUnits

/// A graph asks for a bounded amount of what feeds it.
///
/// A unit that pulls at a pace of its own renders what feeds it within its own slice, on the stack
/// of the render thread, and reads ahead of it. In a row of them the depths of these pulls and
/// their look-aheads add up, and their speeds multiply.
package enum PacesBounded: NodeRule {
  /// The most units that pull at a pace of their own, one behind another. The stack of a thread, of
  /// 8 MB, holds 4,000.
  package static let maximumPulls = 256
  /// The most seconds of a source for a second of the graph: five units at the highest
  /// playbackRate, 4.
  package static let maximumSpeed = 1024.0

  package static let rule = Rule(
    "PR0321", "path/paces",
    "a graph asks for a bounded amount of what feeds it",
    statuses: [.failedInitialization],
    silencedBy: [.unreadNode, .session, .format, .feeds, .destination],
    page: .init(
      """
      At most 256 units that change the rate or the speed lie one behind another, and a second of the \
      graph takes at most 1,024 seconds of what feeds it.
      """,
      because: """
        A converter of rates, a Varispeed, and a 3DMixer whose inputs have other rates, pull what feeds \
        them when they need it, and read a little ahead. Behind one another, each reads ahead for all that \
        follow, and speeds multiply: six Varispeeds at four times the speed read 4,096 seconds of a file \
        for each second that is heard, and twenty would not end.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        """
        {
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
          "callbacks": { "tone": { "kind": "tone" } },
          "nodes": {
            "v1": {
              "component": "Varispeed", "parameters": { "playbackRate": 4 },
              "properties": { "maximumFramesPerSlice": 4096 }
            },
            "v2": {
              "component": "Varispeed", "parameters": { "playbackRate": 4 }
            },
            "v3": {
              "component": "Varispeed", "parameters": { "playbackRate": 4 }
            },
            "v4": {
              "component": "Varispeed", "parameters": { "playbackRate": 4 }
            },
            "v5": {
              "component": "Varispeed", "parameters": { "playbackRate": 4 }
            },
            "v6": {
              "component": "Varispeed", "parameters": { "playbackRate": 1 }
            },
            "out": { "component": "GenericOutput" }
          },
          "connections": [
            { "from": "tone", "to": "v6" }, { "from": "v6", "to": "v5" },
            { "from": "v5", "to": "v4" }, { "from": "v4", "to": "v3" },
            { "from": "v3", "to": "v2" }, { "from": "v2", "to": "v1" },
            { "from": "v1", "to": "out" }
          ]
        }
        """, wrong: ["\"playbackRate\": 1 }": "\"playbackRate\": 4 }"])))

  static func violation(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, in graph: SettledGraph
  ) -> Violation? {
    guard graph.domains.havePulledInputs, graph.pulled.contains(node.id) else { return nil }
    let outer = graph.domains.reach(of: graph.domains.domain(of: node.id))
    for input in node.unit.pulledInputs(in: configuration).keys.sorted() {
      let reach = graph.domains.reach(of: .input(BusKey(node: node.id, bus: input)))
      let place = Violation.Place(node: node.id, .feed(input))
      if reach.pulls > maximumPulls, outer.pulls <= maximumPulls {
        return Violation(
          rule, status: .failedInitialization,
          "\(maximumPulls) units that change the rate or the speed lie behind "
            + "'\(node.name)', and it is one more", at: place,
          help: ["take some of them out: a rate, or a speed, can be changed once for all of them"])
      }
      if reach.speed > maximumSpeed, outer.speed <= maximumSpeed {
        return Violation(
          rule, status: .failedInitialization,
          "a second of the graph takes \(Int(reach.speed)) seconds of what feeds '\(node.name)', "
            + "and at most \(Int(maximumSpeed)) are allowed", at: place,
          help: [
            "speeds of units behind one another multiply: "
              + "set the 'playbackRate' of '\(node.name)' to 1, or take it out"
          ])
      }
    }
    return nil
  }
}
