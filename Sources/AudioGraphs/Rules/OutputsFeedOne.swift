package import AudioTypes

/// One output element feeds one input element: a second would render it twice.
package enum OutputsFeedOne {
  package static let rule = Rule(
    "PR0305", "connection/output-feeds-one",
    "an output feeds one input",
    statuses: [.invalidConnection],
    page: .init(
      "An output feeds one input.",
      because: """
        A unit renders once for each pull. Pulled by two, it would go through its sound twice as
        fast, and its buffer would be overwritten while the other reads it (QA1174). A Splitter gives it
        to two, a MultiSplitter to more. A callback that makes its own sound may feed several inputs,
        each of which hears it from the beginning.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.twoEqualizers,
        wrong: [
          "{ \"from\": \"two\", \"to\"": "{ \"from\": \"one\", \"to\"",
          "    { \"from\": \"tone\", \"to\": \"two\" },\n": "",
          """
          ,
              "two": {
                "component": "iPodEQ",
                "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Flat" }
              }
          """: "",
        ])))

  static func violation(_ connection: Connection, in model: GraphModel) -> Violation? {
    guard let first = model.outputLinks[BusKey(node: connection.source, bus: connection.output)]
    else {
      return nil
    }
    // The feed of that very input is replaced.
    if first.destination == connection.destination && first.input == connection.input { return nil }
    let source = model.address(connection.source, connection.output)
    return Violation(
      rule, status: .invalidConnection,
      "'\(source)' already feeds '\(model.address(first.destination, first.input))', "
        + "and an output feeds one input only",
      at: .init(node: connection.destination, .feed(connection.input)),
      notes: [
        .init("it is taken here", at: .init(node: first.destination, .feed(first.input)))
      ],
      help: [
        "put a splitter behind '\(source)': \"nodes\": { \"split\": { \"component\": \"Splitter\" } }, and "
          + "{ \"from\": \"\(source)\", \"to\": \"split\" }, { \"from\": \"split:0\", \"to\": "
          + "\"\(model.address(first.destination, first.input))\" }, { \"from\": \"split:1\", \"to\": "
          + "\"\(model.address(connection.destination, connection.input))\" }",
        "a MultiSplitter feeds more than two; a tap watches without taking",
      ],
      remedies: [
        Remedy(
          "put a splitter behind '\(source)'", [.insertSplitter(connection.input)], isSafe: true)
      ])
  }
}
