public import AudioTypes

extension UnitRules {
  /// A property is one that the unit has.
  public static let propertyKnown = Rule(
    "PR0501", "property/known",
    "a property is one that the unit has",
    statuses: [.invalidProperty, .propertyNotWritable, .invalidScope],
    page: .init(
      "A property is one that the unit has, and that a patch sets under \"properties\".",
      because: """
        AudioUnitSetProperty returns -10879 for an id that the unit does not know; a program that does
        not look goes on with the default. `patchrun units NAME` lists what there is. Stream formats,
        the number of buses and connections have places of their own in a patch, and what a unit
        measures is read and not set.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"parameters\": { \"volume\": 0.8 }", with: "\"properties\": { \"meteringMode\": true }"),
        wrong: ["\"meteringMode\"": "\"meterMode\""])))
}
