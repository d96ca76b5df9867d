public import AudioTypes

extension UnitRules {
  /// A property that is read has a value.
  public static let propertyInUse = Rule(
    "PR0507", "property/in-use",
    "a property that is read has a value",
    statuses: [.propertyNotInUse],
    page: .init(
      "A property that is read has a value.",
      because: """
        An element that was never named has no name, a channel layout that was never set is none. The
        property is there, and what it would return is not.
        """,
      example: .swift(
        wrong: """
          let unit = try graph.unit(mixer)
          _ = try unit.property(.elementName, .input, 0)
          """,
        right: """
          let unit = try graph.unit(mixer)
          try unit.setProperty(.elementName, .input, 0, to: .string("Drums"))
          _ = try unit.property(.elementName, .input, 0)
          """)))
}
