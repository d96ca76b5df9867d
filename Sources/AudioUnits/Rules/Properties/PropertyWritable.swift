public import AudioTypes

extension UnitRules {
  /// A property that is set is not read-only.
  public static let propertyWritable = Rule(
    "PR0505", "property/writable",
    "a property that is set is not read-only",
    statuses: [.propertyNotWritable],
    page: .init(
      "A property that is set is not read-only.",
      because: """
        Latency, the list of factory presets or a parameter's description are the unit's to say. In a
        patch they are no settings at all: PR0501.
        """,
      example: .swift(
        wrong: """
          let unit = try graph.unit(mixer)
          try unit.setProperty(.latency, to: .float64(0.01))
          """,
        right: """
          let unit = try graph.unit(mixer)
          _ = try unit.property(.latency)
          """)))
}
