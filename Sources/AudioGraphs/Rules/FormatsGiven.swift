import AudioTypes
import AudioUnits

/// A bus whose stream format nothing else decides has been given one.
enum FormatsGiven {
  static let rule = UnitRules.formatGiven

  static func violation(_ node: GraphModel.Node, _ scope: Scope, _ element: Int) -> Violation {
    let why =
      scope == .input
      ? "a callback feeds it, and a callback has no format of its own"
      : node.isOutput
        ? "it is what the graph hears, and the device does not decide that"
        : "an effect does not take it from its input"
    let scopeKey = scope == .input ? "inputs" : "outputs"
    return Violation(
      rule, status: .formatNotSupported,
      "\(scope) \(element) of '\(node.name)' has no stream format: \(why)",
      at: .init(node: node.id, .streamFormat(scope, element)),
      help: [
        "give it one: \"\(scopeKey)\": { \"\(element)\": { \"streamFormat\": … } }, "
          + "or give the patch a \"streamFormat\" for every such bus"
      ])
  }

  /// A format without a rate.
  static func violation(
    rateless node: GraphModel.Node, _ scope: Scope, _ element: Int
  ) -> Violation {
    let scopeKey = scope == .input ? "inputs" : "outputs"
    return Violation(
      rule, status: .formatNotSupported,
      "\(scope) \(element) of '\(node.name)' has a stream format without a rate",
      at: .init(node: node.id, .streamFormat(scope, element)),
      help: ["give it a rate: \"\(scopeKey)\": { \"\(element)\": { \"sampleRate\": … } }"])
  }
}
