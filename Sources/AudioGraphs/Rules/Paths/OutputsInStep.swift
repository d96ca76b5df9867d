package import AudioTypes
import AudioUnits

/// All readers of a unit with several outputs pull at one pace.
package enum OutputsInStep: NodeRule {
  package static let rule = Rule(
    "PR0318", "connection/outputs-in-step",
    "the outputs of one unit are pulled at one pace",
    statuses: [.parameterError],
    silencedBy: [.unreadNode, .session, .format, .feeds, .destination],
    page: .init(
      """
      What takes from the outputs of one unit runs at one pace: none of them, or all by way of one unit, \
      goes through a converter of rates or a Varispeed.
      """,
      because: """
        A splitter renders once in a cycle, and each of its outputs gives that. A FormatConverter \
        between two rates, or an input of a 3D Mixer at another rate, pulls what is upstream of it at \
        a pace of its own: more frames, or fewer, at other times than the rest of the graph. Convert \
        ahead of the splitter.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.split,
        wrong: [
          """
          "eq": {
                "component": "iPodEQ",
                "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
              }
          """: """
          "eq": {
                "component": "FormatConverter",
                "properties": { "maximumFramesPerSlice": 4096 },
                "outputs": {
                  "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 } }
                }
              },
              "back": {
                "component": "FormatConverter", "properties": { "maximumFramesPerSlice": 4096 }
              }
          """,
          "{ \"from\": \"eq\", \"to\": \"sum:1\" }":
            "{ \"from\": \"eq\", \"to\": \"back\" },\n    { \"from\": \"back\", \"to\": \"sum:1\" }",
        ])))

  static func violation(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, in graph: SettledGraph
  ) -> Violation? {
    guard !node.isOutput, configuration.outputs.count > 1, graph.pulled.contains(node.id) else {
      return nil
    }
    let model = graph.model
    var first: (output: Int, domain: RateDomains.Domain)?
    for output in configuration.outputs.indices {
      let key = BusKey(node: node.id, bus: output)
      guard let domain = graph.domains.domain(taking: key, in: model, graph.pulled) else {
        continue
      }
      guard let before = first else {
        first = (output, domain)
        continue
      }
      guard domain != before.domain, let taker = model.outputLinks[key],
        let other = model.outputLinks[BusKey(node: node.id, bus: before.output)]
      else { continue }
      return Violation(
        rule, status: .parameterError,
        "'\(model.address(node.id, output))' is pulled at another pace than "
          + "'\(model.address(node.id, before.output))': between them is a converter of rates, or a Varispeed",
        at: .init(node: taker.destination, .feed(taker.input)),
        notes: [
          .init(
            "this one goes at the other pace",
            at: .init(node: other.destination, .feed(other.input)))
        ],
        help: ["convert the rate ahead of '\(node.name)', or convert each branch in the same unit"])
    }
    return nil
  }
}
