package import AudioTypes
import AudioUnits

/// Nothing is connected to the outer side of an output unit, which belongs to the device.
package enum HardwareSides {
  package static let rule = Rule(
    "PR0313", "connection/hardware-side",
    "nothing in a graph feeds the microphone itself or takes from the loudspeaker itself",
    statuses: [.propertyNotWritable, .invalidConnection],
    page: .init(
      "Nothing is connected to what belongs to the device: inputs/1 and outputs/0.",
      because: """
        The microphone itself feeds io:1, and io:0 gives to the loudspeaker itself. A graph takes
        from io:1 and gives to io:0: the mnemonic is that 1 looks like the I of input, 0 like the O
        of output.
        """,
      statusNote: """
        -10865 was reported for the microphone side. For the loudspeaker side Core Audio documents no
        status; that one is patchrun's choice.
        """,
      example: .patch(
        ExamplePatches.recording,
        wrong: [
          "  \"taps\"": """
            "callbacks": { "tone": { "kind": "tone" } },
            "connections": [ { "from": "tone", "to": "io:1" } ],
            "taps"
          """
        ])))

  /// A connection into the microphone's side, which would set a format that the device decides.
  static func violation(into node: GraphModel.Node, _ input: Int) -> Violation? {
    guard node.isIO, input == RemoteIO.inputElement else {
      return nil
    }
    return Violation(
      rule, status: .propertyNotWritable,
      "input 1 of '\(node.name)' is the microphone itself: only the device feeds it",
      at: .init(node: node.id, .feed(input)),
      help: ["what is to be played goes to input 0: \"to\": \"\(node.name)\""])
  }

  /// A connection out of the loudspeaker's side. Core Audio documents no status for it.
  static func violation(outOf node: GraphModel.Node, _ connection: Connection) -> Violation? {
    guard node.isOutput, connection.output == RemoteIO.outputElement else {
      return nil
    }
    let isIO = node.isIO
    return Violation(
      rule, status: .invalidConnection,
      "output 0 of '\(node.name)' goes to \(isIO ? "the loudspeaker" : "whoever renders the graph"): "
        + "nothing else can take from it",
      at: .init(node: connection.source, .bus(.output, connection.output)),
      notes: [
        .init("taken here", at: .init(node: connection.destination, .feed(connection.input)))
      ],
      help: isIO
        ? ["the microphone is output 1: \"from\": \"\(node.name):1\""]
        : ["take from the node that feeds '\(node.name)'"])
  }
}
