public import AudioTypes

extension ChangeRules {
  /// A test finds the value that it expects.
  public static let test = Rule(
    "PR0903", "change/test",
    "a test finds the value that it expects",
    page: .init(
      "A test finds the value that it expects.",
      because: """
        A test guards a change that was made for another state of the document: where it fails, none of
        the operations is made. Numbers are compared as numbers, and the members of objects in any
        order.
        """,
      example: .patch(tested, wrong: ["\"value\": 0.8": "\"value\": 0.7"])))

  /// A change that tests a value first.
  private static let tested = ExamplePatches.mixer(
    with: """
      "timeline": [
        {
          "at": 1,
          "update": [
            { "op": "test", "path": "/nodes/mixer/inputs/0/parameters/volume", "value": 0.8 },
            { "op": "replace", "path": "/nodes/mixer/inputs/0/parameters/volume", "value": 0.5 }
          ]
        }
      ]
      """)
}
