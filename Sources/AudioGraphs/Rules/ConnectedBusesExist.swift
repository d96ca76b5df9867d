import AudioTypes
import AudioUnits

/// Both ends of a connection, the bus of a callback and that of a tap exist.
package enum ConnectedBusesExist {
  static let rule = UnitRules.element

  static func violation(
    _ node: GraphModel.Node, _ scope: Scope, _ element: Int, count: Int, at place: Violation.Place
  ) -> Violation? {
    guard element < 0 || element >= count else { return nil }
    var violation = missing(
      [element], scope, of: node.name, node.unit.description, count: count, at: place)
    if place.node != node.id { violation.remedies = [] }
    return violation
  }

  /// The violation that a node does not have some buses.
  ///
  /// - Parameters:
  ///   - elements: Their numbers, in rising order; one at least.
  ///   - count: The number of buses that it has.
  package static func missing(
    _ elements: [Int], _ scope: Scope, of name: String, _ unit: UnitDescription, count: Int,
    at place: Violation.Place
  ) -> Violation {
    let needed = (elements.last ?? count) + 1
    let there =
      count == 1 ? "its only \(scope) is 0" : "its \(scope)s are numbered 0 to \(count - 1)"
    let settable = scope == .input ? unit.inputs.settable : unit.outputs.settable
    let mayHaveMore = settable?.contains(needed) == true
    return Violation(
      rule, status: .invalidElement,
      "'\(name)' has no \(scope)\(elements.count == 1 ? "" : "s") \(elements.listedByRange): \(there)",
      at: place,
      help: mayHaveMore
        ? ["give '\(name)' more of them: \"\(scope)Count\": \(needed)"]
        : settable.map { ["it has at most \($0.upperBound) \(scope)s"] } ?? [],
      remedies: mayHaveMore
        ? [
          Remedy(
            "give '\(name)' \(needed) \(scope)s",
            [scope == .input ? .setInputCount(needed) : .setOutputCount(needed)])
        ] : [])
  }
}
