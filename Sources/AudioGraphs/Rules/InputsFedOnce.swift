package import AudioTypes

/// One connection or one callback feeds an input element.
///
/// This is a rule for patches, in which a second feed is a mistake. In Swift a second feed replaces
/// the first, as in Core Audio's units.
package enum InputsFedOnce {
  package static let rule = Rule(
    "PR0304", "connection/input-fed-once",
    "an input is fed once: by a connection or a callback",
    statuses: [.invalidConnection],
    page: .init(
      "An input is fed once: by one connection, or by one callback.",
      because: """
        An input has one source, and pulls one buffer from it. Two sounds on one bus have to be
        mixed, which is what a mixer's inputs are for.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        twoTones, wrong: ["\"to\": \"mixer:1\"": "\"to\": \"mixer:0\""])))

  /// Two tones, mixed.
  private static let twoTones = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "low": { "kind": "tone" }, "high": { "kind": "tone", "frequency": 660 } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "low", "to": "mixer:0" },
        { "from": "high", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """

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
