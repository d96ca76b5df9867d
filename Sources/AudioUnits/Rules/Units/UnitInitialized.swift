public import AudioTypes

extension UnitRules {
  /// A unit that renders is initialized, and so is everything upstream of it.
  public static let unitInitialized = Rule(
    "PR0513", "unit/initialized",
    "a unit that renders is initialized, and so is all that feeds it",
    statuses: [.uninitialized],
    page: .init(
      "A unit that renders is initialized, and so is all that feeds it.",
      because: """
        Initialization takes the memory that rendering needs. Outside of a graph each unit is initialized
        by itself, after its formats have been set.
        """,
      example: .swift(
        wrong: """
          let unit = UnitInstance(GenericOutput.self)
          try unit.start()
          """,
        right: """
          let unit = UnitInstance(GenericOutput.self)
          try unit.initialize()
          try unit.start()
          """)))
}
