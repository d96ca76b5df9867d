import AudioTypes

/// One output element feeds one input element: a second would render it twice.
enum OutputsFeedOne {
  static let rule = Rule(
    "PR0305", "connection/output-feeds-one", "An output feeds one input.")

  static func violation(_ connection: Connection, in model: GraphModel) -> Violation? {
    guard let first = model.takers[BusKey(node: connection.source, bus: connection.output)] else {
      return nil
    }
    // What feeds that very input is replaced.
    if first.destination == connection.destination && first.input == connection.input { return nil }
    let source = model.address(connection.source, connection.output)
    return Violation(
      rule, status: .invalidConnection,
      "'\(source)' already feeds '\(model.address(first.destination, first.input))', "
        + "and an output feeds one input only",
      at: .init(node: connection.destination, .feed(connection.input)),
      notes: [
        .init("it is taken here", at: .init(node: first.destination, .feed(first.input)))
      ],
      help: [
        "what a callback puts out may feed several inputs: put units behind the callback twice, or "
          + "mix first and let the mix go one way",
        "nothing splits what a unit puts out yet; a tap watches it without taking it",
      ],
      remedies: [Remedy("remove this connection", [.removeFeed(connection.input)])])
  }
}
