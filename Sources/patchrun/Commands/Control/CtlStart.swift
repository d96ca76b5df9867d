import ArgumentParser
import Control

struct CtlStart: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Has a patch that pauses go on where it is.",
    discussion: """
      A patch that plays plays on.

      EXAMPLES:
        patchrun ctl start

      EXIT STATUS:
        0  done
        2  wrong usage, or several patches are running and none was named
        3  no patch is running
        4  the patch went away meanwhile
      """)

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    _ = try target.client().ask(ControlClient.Request(.post, "/start"))
    return ExitStatus.success
  }
}
