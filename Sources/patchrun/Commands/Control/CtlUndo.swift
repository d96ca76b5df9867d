import ArgumentParser
import Control

struct CtlUndo: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undoes the last change while the patch plays.",
    discussion: """
      The document before the change plays again. Like every change it is validated first, and the \
      sound fades over. Each further undo goes back one more step. A new version of the file that \
      was read counts as a step, too; changes by the timeline do not.

      EXAMPLES:
        patchrun ctl set /title Louder && patchrun ctl undo
        patchrun ctl set /title Softer && patchrun ctl undo --to 0

      EXIT STATUS:
        0  done; the differences are printed
        1  refused: there is no such step, or something that it needs is missing
        \(CtlTarget.failures)
      """)

  @Option(
    help: ArgumentHelp(
      "Go back, or forward, to the document after this step of 'ctl history'; 0 is the "
        + "beginning.",
      valueName: "step"))
  var to: Int?

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    guard (to ?? 0) >= 0 else { throw ValidationError("'--to' is a number from 0 on") }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let query = to.map { ["to": "\($0)"] } ?? [:]
    try output(try target.client().change(ControlClient.Request(.post, "/undo", query: query)))
    return ExitStatus.success
  }
}

struct CtlRedo: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Redoes the change that 'ctl undo' has undone.",
    discussion: """
      This is not possible after a new change: it replaces the undone changes.

      EXAMPLES:
        patchrun ctl set /title Louder && patchrun ctl undo && patchrun ctl redo

      EXIT STATUS:
        0  done; the differences are printed
        1  refused: nothing was undone, or something that it needs is missing
        \(CtlTarget.failures)
      """)

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    try output(try target.client().change(ControlClient.Request(.post, "/redo")))
    return ExitStatus.success
  }
}
