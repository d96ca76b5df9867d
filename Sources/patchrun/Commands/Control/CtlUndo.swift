import ArgumentParser
import Control
import PatchSyntax

struct CtlUndo: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Takes the last change back, while the patch plays.",
    discussion: """
      The document before the change plays again, by the way of every change: it is checked, and \
      what is different fades over. Each further undo goes one step further back. Changes of the \
      file that were read again are steps, too; what the timeline does is none.

      EXAMPLES:
        patchrun ctl set /title Louder && patchrun ctl undo
        patchrun ctl set /title Softer && patchrun ctl undo --to 0

      EXIT STATUS:
        0  done; what is different is printed
        1  refused: there is no such step, or what it needs is gone
        2  wrong usage, or several patches are running and none was named
        3  no patch is running
        4  the patch went away meanwhile
      """)

  @Option(
    help: ArgumentHelp(
      "Back, or forth, to what was heard after this step of 'ctl history'; 0 is the beginning.",
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
    abstract: "Does again what 'ctl undo' took back.",
    discussion: """
      A change that is made meanwhile takes the place of what was undone.

      EXAMPLES:
        patchrun ctl set /title Louder && patchrun ctl undo && patchrun ctl redo

      EXIT STATUS:
        0  done; what is different is printed
        1  refused: nothing was undone, or what it needs is gone
        2  wrong usage, or several patches are running and none was named
        3  no patch is running
        4  the patch went away meanwhile
      """)

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    try output(try target.client().change(ControlClient.Request(.post, "/redo")))
    return ExitStatus.success
  }
}
