public import AudioTypes

extension UnitRules {
  /// A property is given a value of its type and range.
  public static let propertyValue = Rule(
    "PR0504", "property/value",
    "a property is given a value of its type and range",
    statuses: [.invalidPropertyValue, .invalidProperty],
    page: .init(
      "A property is given a value of its type and range, or the name of one of its values.",
      because: """
        The right property with a wrong value, or one of another size, is refused with -10851 and
        stays as it was. Presets are best written by name: on an iPod EQ number 0 is \"Disabled\", and
        \"Flat\" is 8.
        """,
      example: .patch(ExamplePatches.equalizer, wrong: ["\"Rock\"": "\"Rok\""])))
}
