public import AudioTypes

extension ChangeRules {
  /// An operation names a place that the document has at its turn.
  public static let place = Rule(
    "PR0902", "change/place",
    "an operation names a place that the document has by then",
    page: .init(
      "An operation names a place that the document has by then.",
      because: """
        Operations are made one after the other, on the document as those before have left it. What is
        replaced, removed, moved, copied or tested has to be there. What is added needs the object or
        array it belongs to: in an array the index of an element, before which it goes, or '-' for the
        end. Where one operation cannot be made, none is.
        """,
      example: .patch(
        ExamplePatches.updated,
        wrong: ["/nodes/mixer/inputs/0/parameters/volume": "/nodes/mixr/parameters/volume"]
      )))
}
