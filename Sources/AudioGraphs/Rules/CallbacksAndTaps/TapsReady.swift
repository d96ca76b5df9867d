package import AudioTypes
import RenderCore

/// A tap can watch its bus.
package enum TapsReady {
  package static let rule = Rule(
    "PR0702", "tap/ready",
    "a tap can watch its bus",
    statuses: [
      .unsupportedFileType, .unsupportedDataFormat, .invalidElement, .formatNotSupported,
      .fileNotFound, .filePermission, .parameterError,
    ],
    page: .init(
      "A tap can watch its bus, and write its file.",
      because: """
        A tap hears what a node puts out. What an I/O unit gives to the loudspeaker leaves the graph:
        watch the node that feeds it. The extension of the path says the type of a recording, and whether
        a picture is an SVG or a PNG. Loudness is defined for one to six channels; a spectrum is made
        of a number of frames that a transform takes quickly, of a channel that the bus has. A picture
        has the settings of what it shows, and room for sixteen channels.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.tapped, wrong: ["\"mix.wav\"": "\"mix.xyz\""])))

  static func violations(_ tap: GraphModel.Tap, format: StreamFormat) -> [Violation] {
    tap.tap.problems(for: format).map { problem in
      Violation(
        problem.kind == .notOwn ? TakesOwn.rule : rule, status: problem.status, problem.message,
        at: tap.place, setting: problem.setting,
        help: problem.help.isEmpty ? [] : [problem.help])
    }
  }

  /// The violation of a tap that cannot begin.
  static func refusal(_ problem: CallbackProblem, _ tap: GraphModel.Tap) -> Violation {
    Violation(
      problem.kind == .notOwn ? TakesOwn.rule : rule, status: problem.status, problem.message,
      at: tap.place, help: problem.help.isEmpty ? [] : [problem.help])
  }

  static func atLoudspeaker(_ node: GraphModel.Node, _ tap: GraphModel.Tap) -> Violation {
    Violation(
      rule, status: .invalidElement,
      "a tap watches what a node puts out; '\(node.name)' gives bus \(tap.output) to its device",
      at: tap.place,
      help: ["put the tap at the node that feeds '\(node.name)'"])
  }
}
