public import AudioTypes

extension PatchRules {
  /// A repetition has a number of copies, and each copy a name.
  public static let repetition = Rule(
    "PR0120", "patch/repetition",
    "what is repeated says how often, and calculates in braces",
    page: .init(
      "`\"count\": 8` repeats what it stands in, with the number of each copy in the place of `{i}`.",
      because: """
        Nodes, callbacks, connections, taps, buses, bands and steps of the timeline may have a `"count"`. Copies
        are numbered from 0, as buses are. In their names and texts `{i}` is the number; a text that is all braces
        is a number: `"{i}"`, `"{2 * i / 7 - 1}"`. In braces stand numbers, constants, parentheses and `+ - * / ^`.
        In a repetition inside of another the inner number is `{j}`. Two copies cannot have one name.
        """,
      example: .patch(
        ExamplePatches.copies, wrong: ["mixer:{i}": "mixer:{x}"])))
}
