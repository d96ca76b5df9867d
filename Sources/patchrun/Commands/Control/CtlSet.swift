import ArgumentParser
import Control
import Diagnostics
import PatchSyntax

struct CtlSet: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Changes a value of the running patch.",
    usage: "patchrun ctl set [<options>] <pointer> <value>",
    discussion: """
      A VALUE that is not JSON is taken as a string. Missing objects of the pointer are created, \
      so that a parameter can be set that is not in the document yet.

      EXAMPLES:
        patchrun ctl set /nodes/mixer/inputs/0/parameters/volume 0.5
        patchrun ctl set /nodes/mixer/inputs/1/parameters/pan -0.3
        patchrun ctl set /title 'Another title'

      EXIT STATUS:
        0  done
        1  refused: the patch would be wrong
        \(CtlTarget.failures)
      """)

  @Argument(
    help: ArgumentHelp("The JSON Pointer of the value.", valueName: "pointer"),
    completion: .custom(CompletionValues.runningSettings))
  var pointer: String

  // An array with `.allUnrecognized`: otherwise the parser takes a negative number for an option.
  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("JSON, or a text.", valueName: "value"),
    completion: .custom(CompletionValues.runningValues))
  var values: [String]

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    guard values.count == 1 else {
      throw ValidationError(
        values.isEmpty ? "there is no value to set" : "'ctl set' takes one value: quote it")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    try output(
      try target.client().change(
        ControlClient.Request(
          .put, "/patch", query: ["pointer": pointer], body: Self.json(values[0]),
          contentType: "application/json")))
    return ExitStatus.success
  }

  /// The value as JSON text: unchanged if it parses, otherwise as a string.
  static func json(_ value: String) -> String {
    let reading = JSONReader.read(
      SourceText(name: "value", bytes: Array(value.utf8)), dialect: .json)
    return reading.hasErrors ? JSONText.string(value).compact : value
  }
}
