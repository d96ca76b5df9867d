package import AudioTypes
import AudioUnits

/// The destination of a connection takes the stream format of its source.
package enum ConnectionFormats {
  package static let rule = Rule(
    "PR0409", "connection/format",
    "the destination of a connection takes its source's format",
    statuses: [.formatNotSupported, .propertyNotWritable],
    silencedBy: [.unreadNode, .format],
    page: .init(
      "The destination of a connection takes the format of its source.",
      because: """
        On initialize, AUGraph sets the format of the source's output on the destination's input. If
        the unit does not take it there, the graph is not initialized. A FormatConverter between the
        two changes rate, channels and sample type.
        """,
      example: .patch(
        intoSpace,
        wrong: [
          "{ \"from\": \"eq\", \"to\": \"converter\" },\n    { \"from\": \"converter\", \"to\": \"space\" }":
            "{ \"from\": \"eq\", \"to\": \"space\" }",
          converterNode: "",
        ])))

  private static let converterNode = """
        "converter": {
          "component": "FormatConverter",
          "properties": { "maximumFramesPerSlice": 4096 },
          "outputs": {
            "0": { "streamFormat": { "sample": "int16", "channels": 1, "sampleRate": 44100 } }
          }
        },

    """

  /// An equalizer into a 3DMixer.
  private static let intoSpace = """
    {
      "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "eq": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
        },

    """ + converterNode + """
          "space": { "component": "3DMixer", "properties": { "maximumFramesPerSlice": 4096 } },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "tone", "to": "eq" },
          { "from": "eq", "to": "converter" },
          { "from": "converter", "to": "space" },
          { "from": "space", "to": "io" }
        ]
      }
      """

  static func violation(
    _ connection: Connection, _ format: StreamFormat, in model: GraphModel
  ) -> Violation? {
    guard let destination = model.node(connection.destination),
      let source = model.node(connection.source),
      HardwareSides.violation(outOf: source, connection) == nil
    else { return nil }
    guard
      let refusal = destination.unit.violation(
        of: format, scope: .input, element: connection.input)
    else { return nil }
    let converter = FormatsGiven.formats(at: format.sampleRate).first {
      destination.unit.violation(of: $0, scope: .input, element: connection.input) == nil
    }
    return Violation(
      rule, status: .formatNotSupported,
      "'\(model.address(connection.source, connection.output))' puts out \(format.summary), which "
        + "'\(destination.name)' does not take: \(refusal.message)",
      at: .init(node: connection.destination, .feed(connection.input)),
      notes: [
        .init(
          "the format comes from here",
          at: .init(node: connection.source, .streamFormat(.output, connection.output)))
      ],
      help: converter.map {
        ["put a FormatConverter between the two, which puts out \($0.summary)"]
      } ?? refusal.help,
      remedies: converter.map {
        [Remedy("put a FormatConverter between", [.insertConverter(connection.input, $0)])]
      } ?? [])
  }

  /// The destination is initialized and has another format.
  static func violation(
    fixed connection: Connection, _ format: StreamFormat, _ present: StreamFormat,
    in model: GraphModel
  ) -> Violation? {
    guard format != present else { return nil }
    return Violation(
      rule, status: .propertyNotWritable,
      "input \(connection.input) of '\(model.name(connection.destination))' was initialized with "
        + "\(present.summary) and cannot change to \(format.summary)",
      at: .init(node: connection.destination, .feed(connection.input)))
  }
}
