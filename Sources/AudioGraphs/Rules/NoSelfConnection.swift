package import AudioTypes

/// No node feeds itself; the microphone side of an I/O unit may feed its loudspeaker side.
package enum NoSelfConnection {
  package static let rule = Rule(
    "PR0303", "connection/self",
    "a node does not feed itself, the two sides of an I/O unit apart",
    statuses: [.invalidConnection],
    page: .init(
      "A node does not feed itself. Only the two sides of an I/O unit may be connected.",
      because: """
        A unit would have to be pulled before it could be pulled. The microphone side of an I/O unit
        may feed its loudspeaker side, because they are two elements with a device between them.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.mixer,
        wrong: [
          "{ \"from\": \"tone\", ":
            "{ \"from\": \"mixer\", \"to\": \"mixer:1\" },\n    { \"from\": \"tone\", "
        ])))

  static func violation(_ connection: Connection, in model: GraphModel) -> Violation? {
    guard connection.source == connection.destination else { return nil }
    let isPassThrough =
      model.node(connection.source)?.isIO == true
      && connection.output == 1 && connection.input == 0
    guard !isPassThrough else { return nil }
    let name = model.name(connection.source)
    return Violation(
      rule, status: .invalidConnection, "'\(name)' cannot feed itself",
      at: .init(node: connection.destination, .feed(connection.input)),
      help: ["only an I/O unit's microphone side (io:1) may feed its own loudspeaker side (io:0)"])
  }
}
