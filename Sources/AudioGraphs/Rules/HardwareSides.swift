import AudioTypes
import AudioUnits

/// What belongs to the device is not connected: the outer side of an output unit.
enum HardwareSides {
  static let rule = Rule(
    "PR0313", "connection/hardware-side",
    "Nothing in a graph feeds the microphone itself or takes from the loudspeaker itself.")

  /// The connection would set the format of a side that the device decides.
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

  /// Core Audio documents no code for this one.
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
