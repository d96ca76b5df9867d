import ArgumentParser
import Control

struct CtlGet: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Prints the document that plays, or a value of it.",
    discussion: """
      Values that the document does not set, and that therefore have their defaults, are not \
      printed.

      EXAMPLES:
        patchrun ctl get > now.json
        patchrun ctl get /nodes/mixer/inputs/0/parameters/volume

      EXIT STATUS:
        0  done
        1  the document has no such value
        \(CtlTarget.failures)
      """)

  @Argument(
    help: ArgumentHelp("The JSON Pointer of the value.", valueName: "pointer"),
    completion: .custom(CompletionValues.runningPointers))
  var pointer: String?

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let query = pointer.map { ["pointer": $0] } ?? [:]
    let text = try target.client().ask(ControlClient.Request(.get, "/patch", query: query))
    try output(text.hasSuffix("\n") ? text : text + "\n")
    return ExitStatus.success
  }
}
