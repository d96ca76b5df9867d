import AudioTypes
import AudioUnits

/// Both ends of a connection, the bus of a callback and that of a tap exist.
package enum ConnectedBusesExist {
  static let rule = UnitRules.element

  static func violation(
    _ node: GraphModel.Node, _ scope: Scope, _ element: Int, count: Int, at place: Violation.Place
  ) -> Violation? {
    guard element < 0 || element >= count else { return nil }
    let description = node.unit.description
    let settable = scope == .input ? description.inputs.settable : description.outputs.settable
    let there =
      count == 1 ? "its only \(scope) is 0" : "its \(scope)s are numbered 0 to \(count - 1)"
    return Violation(
      rule, status: .invalidElement,
      "'\(node.name)' has no \(scope) \(element): \(there)",
      at: place,
      help: settable?.contains(element + 1) == true
        ? ["give '\(node.name)' more of them: \"\(scope)Count\": \(element + 1)"] : [],
      remedies: settable?.contains(element + 1) == true && place.node == node.id
        ? [
          Remedy(
            "give '\(node.name)' \(element + 1) \(scope)s",
            [scope == .input ? .setInputCount(element + 1) : .setOutputCount(element + 1)])
        ] : [])
  }
}
