import AudioTypes

/// A graph has exactly one output unit: the one that pulls it.
enum OneOutputUnit {
  static let rule = Rule(
    "PR0302", "graph/one-output-unit", "A graph has exactly one output unit.")

  /// A second output unit, refused when it is added.
  static func violation(
    adding name: String, isDevice: Bool, in model: GraphModel
  ) -> Violation? {
    guard let head = model.head else { return nil }
    let isDevice = head.isIO && isDevice
    return Violation(
      rule, status: .outputNode,
      "a graph has one output unit, and '\(head.name)' is it", at: .graph,
      notes: [.init("the output unit", at: .init(node: head.id, .whole))],
      help: [
        isDevice
          ? "an I/O unit plays (element 0) and hears (element 1) at once: use both sides of one"
          : "connect everything to one of them: mix what is to be heard together"
      ])
  }

  /// No output unit, found at initialize. Core Audio documents no code.
  static func violations(in model: GraphModel) -> [Violation] {
    guard model.head == nil else { return [] }
    return [
      Violation(
        rule, status: .outputNode, "the graph has no output unit, so nothing pulls it", at: .graph,
        help: [
          "add a node with the component \"remoteIO\" to play and hear, "
            + "or \"GenericOutput\" to render to a file"
        ])
    ]
  }
}
