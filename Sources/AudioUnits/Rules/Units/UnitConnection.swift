public import AudioTypes

extension UnitRules {
  /// Outside of a graph, too, an output feeds one input, and no unit feeds itself.
  public static let unitConnection = Rule(
    "PR0512", "unit/connection",
    "outside of a graph, too, an output feeds one input, and no unit feeds itself",
    statuses: [.invalidConnection, .propertyNotWritable, .noConnection],
    page: .init(
      "Outside of a graph, too, an output feeds one input, and no unit feeds itself.",
      because: """
        A unit renders a slice once, for the one that pulls it. A second would pull it again, and get the
        slice after that; in a circle nobody begins.
        """,
      statusNote: Rule.Page.undocumented,
      example: .swift(
        wrong: """
          let unit = UnitInstance(IPodEQ.self)
          try unit.setProperty(
            .makeConnection, .input, 0, to: .connection(UnitConnection(from: unit)))
          """,
        right: """
          let unit = UnitInstance(IPodEQ.self)
          let source = UnitInstance(IPodEQ.self)
          try unit.setProperty(
            .makeConnection, .input, 0, to: .connection(UnitConnection(from: source)))
          """)))
}
