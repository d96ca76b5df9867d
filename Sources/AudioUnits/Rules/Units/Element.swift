public import AudioTypes

extension UnitRules {
  /// A named bus exists.
  public static let element = Rule(
    "PR0503", "unit/element",
    "a bus that is named exists",
    statuses: [.invalidElement],
    page: .init(
      "A bus that is named exists.",
      because: """
        Buses count from 0, so that a unit of two has no bus 2. A MultichannelMixer has 8 inputs until
        \"inputCount\" says otherwise, effects and converters have one, the elements of an I/O unit
        are 0 and 1. Connecting succeeds in Core Audio; initialize then fails with -10877, far from
        the line that is wrong.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["\"to\": \"mixer:0\"": "\"to\": \"mixer:8\""])))
}
