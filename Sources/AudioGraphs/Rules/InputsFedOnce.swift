import AudioTypes
import AudioUnits

/// One input element is fed by one connection or one callback.
///
/// It is a rule of documents, where a second feed is a mistake. From Swift it takes the place of the
/// first, as in Core Audio's units.
enum InputsFedOnce {
  static let rule = Rule(
    "PR0304", "connection/input-fed-once", "An input is fed once: by a connection or a callback.")

  static func violation(_ node: NodeID, _ input: Int, in model: GraphModel) -> Violation? {
    guard let first = model.feeds[BusKey(node: node, bus: input)] else { return nil }
    let feeder = first.connection.map { "'\(model.address($0.source, $0.output))'" } ?? "a callback"
    let isMixer = model.node(node)?.component.type == .mixerType
    return Violation(
      rule, status: .invalidConnection,
      "input \(input) of '\(model.name(node))' is already fed by \(feeder)",
      at: .init(node: node, .feed(input)),
      notes: [.init("it is fed here", at: .init(node: node, .feed(input)))],
      help: [
        isMixer
          ? "give this one another input of the mixer"
          : "to hear both, mix them: feed two inputs of a MultichannelMixer, and it this input"
      ])
  }
}
