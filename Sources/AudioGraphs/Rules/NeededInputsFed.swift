package import AudioTypes
import AudioUnits

/// A pulled unit that needs an input is fed.
package enum NeededInputsFed {
  package static let rule = Rule(
    "PR0307", "graph/input-fed",
    "an input that a pulled unit needs is fed",
    statuses: [.noConnection],
    silencedBy: [.sides, .destination, .feeds],
    page: .init(
      "An effect, a converter or an output unit that is pulled has something at its input.",
      because: """
        AUGraphInitialize accepts it, and then every render fails: what one gets is silence and a
        status that few programs look at. A mixer may have inputs that nothing feeds. To record only,
        turn the loudspeaker side off.
        """,
      example: .patch(
        ExamplePatches.equalizer,
        wrong: [
          "{ \"from\": \"tone\", \"to\": \"eq\" },\n    ": "",
          "\n  \"callbacks\": { \"tone\": { \"kind\": \"tone\" } },": "",
        ])))

  static func violations(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, isHeard: Bool
  ) -> [Violation] {
    let followsInputs = node.unit.outputFormat(0, following: configuration.inputs) != nil
    if followsInputs || node.component.type == .effectType && configuration.inputs.count > 1 {
      return configuration.inputs.indices.filter { !configuration.inputs[$0].isUsed }.map { input in
        let address = input == 0 ? node.name : "\(node.name):\(input)"
        return Violation(
          rule, status: .noConnection,
          "nothing feeds '\(address)', but something takes from '\(node.name)'",
          at: .init(node: node.id, .whole),
          help: ["connect a node or a callback to it: { \"from\": \"…\", \"to\": \"\(address)\" }"])
      }
    }
    switch node.component.type {
    case .effectType, .formatConverterType:
      guard !configuration.inputs[0].isUsed else { return [] }
      return [
        Violation(
          rule, status: .noConnection,
          "nothing feeds '\(node.name)', but something takes from it",
          at: .init(node: node.id, .whole),
          help: [
            "connect a node or a callback to it: { \"from\": \"…\", \"to\": \"\(node.name)\" }"
          ])
      ]
    case .outputType:
      let isOutputOff = configuration.properties[PropertyPlace(.enableIO, .output, 0)] == .uint32(0)
      guard !configuration.inputs[0].isUsed && !isOutputOff else { return [] }
      return [
        Violation(
          rule, status: .noConnection, "nothing feeds the output unit '\(node.name)'",
          at: .init(node: node.id, .whole),
          help: isHeard
            ? [
              "to record only, turn the output off: "
                + "\"outputs\": { \"0\": { \"properties\": { \"enableIO\": false } } }"
            ]
            : ["connect a node or a callback to it: { \"from\": \"…\", \"to\": \"\(node.name)\" }"])
      ]
    default: return []
    }
  }
}
