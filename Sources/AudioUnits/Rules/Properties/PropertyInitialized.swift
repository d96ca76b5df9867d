public import AudioTypes

extension UnitRules {
  /// A property that shapes a unit is set before the unit is initialized.
  public static let propertyInitialized = Rule(
    "PR0506", "property/initialized",
    "a property that shapes a unit is set before the unit is initialized",
    statuses: [.initialized],
    page: .init(
      "What shapes a unit is set before it is initialized.",
      because: """
        A unit allocates for its number of buses and for its largest slice when it is initialized, and
        refuses to change them afterwards. Configure first, initialize last. patchrun does so.
        """,
      example: .swift(
        wrong: """
          try graph.initialize()
          try graph.unit(mixer).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
          """,
        right: """
          try graph.unit(mixer).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
          try graph.initialize()
          """)))
}
