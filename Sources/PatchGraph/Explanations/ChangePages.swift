import Diagnostics

extension Explanation {
  /// PR09xx: changes of a document.
  static let changePages: [Explanation] = [
    Explanation(
      "PR0901", "An operation is one of those of a JSON Patch (RFC 6902).",
      because: """
        They are add, remove, replace, move, copy and test. Each has a "path"; add, replace and test
        have a "value", move and copy a "from".
        """,
      example: .patch(updated, wrong: ["\"op\": \"replace\"": "\"op\": \"set\""])),
    Explanation(
      "PR0902", "An operation names a place that the document has by then.",
      because: """
        Operations are made one after the other, on the document as those before have left it. What is
        replaced, removed, moved, copied or tested has to be there. What is added needs the object or
        array it belongs to: in an array the index of an element, before which it goes, or '-' for the
        end. Where one operation cannot be made, none is.
        """,
      example: .patch(
        updated, wrong: ["/nodes/mixer/inputs/0/parameters/volume": "/nodes/mixr/parameters/volume"]
      )),
    Explanation(
      "PR0903", "A test finds the value that it expects.",
      because: """
        A test guards a change that was made for another state of the document: where it fails, none of
        the operations is made. Numbers are compared as numbers, and the members of objects in any
        order.
        """,
      example: .patch(tested, wrong: ["\"value\": 0.8": "\"value\": 0.7"])),
    Explanation(
      "PR0904", "Nothing is moved into itself.",
      because: """
        What is moved is taken away first, and then there is no place in it left to put it. "copy" leaves
        it where it is.
        """,
      example: .patch(
        moved,
        wrong: ["\"path\": \"/callbacks/beat\"": "\"path\": \"/callbacks/tone/beat\""])),
    Explanation(
      "PR0905", "Operations make no document that is too deep or too long.",
      because: """
        Values are nested 512 deep at most, and all of the operations together copy 64 MiB at most: a few
        that copy what those before have copied would ask for more memory than there is.
        """,
      example: .none("An example would be too long to show.")),
  ]

  /// A change that looks before it leaps.
  static let tested = ExamplePatches.mixer(
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

  /// A callback that gets another name.
  static let moved = ExamplePatches.mixer(
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
