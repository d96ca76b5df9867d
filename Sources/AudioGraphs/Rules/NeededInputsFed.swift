import AudioTypes
import AudioUnits

/// A unit that is pulled and needs an input has something that feeds it.
enum NeededInputsFed {
  static let rule = Rule(
    "PR0307", "graph/input-fed", "An input that a pulled unit needs is fed.")

  static func violations(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, isHeard: Bool
  ) -> [Violation] {
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
