package import AudioTypes
import AudioUnits

/// A graph has exactly one output unit: the one that pulls it.
package enum OneOutputUnit {
  package static let rule = Rule(
    "PR0302", "graph/one-output-unit",
    "a graph has exactly one output unit",
    statuses: [.outputNode],
    silencedBy: [.gaps],
    page: .init(
      "A graph has one output unit: Remote I/O, Voice-Processing I/O or Generic Output.",
      because: """
        The output unit pulls the graph, so without one nothing is rendered, and with two nobody
        would know whose clock holds. AUGraphAddNode refuses the second. An I/O unit plays and hears
        at once: io:0 is the loudspeaker, io:1 the microphone.
        """,
      statusNote:
        "Documented for a second output unit; for a graph without one it is patchrun's choice.",
      example: .patch(
        ExamplePatches.microphone,
        wrong: [
          "\"nodes\": {\n": "\"nodes\": {\n    \"out\": { \"component\": \"remoteIO\" },\n",
          "\"to\": \"io:0\"": "\"to\": \"out\"",
        ])))

  /// Refuses a second output unit that is to be added.
  static func check(_ unit: any AudioUnit.Type, in model: GraphModel) throws(Violation) {
    guard let head = model.head, unit.description.isOutput else { return }
    let isDevice = head.isIO && unit.description.property(.enableIO) != nil
    throw Violation(
      rule, status: .outputNode,
      "a graph has one output unit, and '\(head.name)' is it", at: .graph,
      notes: [.init("the output unit", at: .init(node: head.id, .whole))],
      help: [
        isDevice
          ? "an I/O unit plays (element 0) and hears (element 1) at once: use both sides of one"
          : "connect everything to one of them: mix what is to be heard together"
      ])
  }

  /// No output unit, found at initialize. Core Audio documents no status.
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
