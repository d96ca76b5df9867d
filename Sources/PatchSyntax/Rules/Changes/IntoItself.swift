public import AudioTypes

extension ChangeRules {
  /// Nothing is moved into itself.
  public static let intoItself = Rule(
    "PR0904", "change/into-itself",
    "nothing is moved into itself",
    page: .init(
      "Nothing is moved into itself.",
      because: """
        What is moved is taken away first, and then there is no place in it left to put it. "copy" leaves
        it where it is.
        """,
      example: .patch(
        moved,
        wrong: ["\"path\": \"/callbacks/beat\"": "\"path\": \"/callbacks/tone/beat\""])))

  /// A callback that gets another name.
  private static let moved = ExamplePatches.mixer(
    with: """
      "timeline": [
        {
          "at": 1,
          "update": [
            { "op": "move", "from": "/callbacks/tone", "path": "/callbacks/beat" },
            { "op": "replace", "path": "/connections/0/from", "value": "beat" }
          ]
        }
      ]
      """)
}
