import ArgumentParser
import Control

struct CtlPause: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Pauses the patch: it fades out and keeps its position.",
    discussion: """
      Nothing is rendered until 'patchrun ctl start'; recordings pause, too.

      EXAMPLES:
        patchrun ctl pause

      EXIT STATUS:
        0  done
        \(CtlTarget.failures)
      """)

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    _ = try target.client().ask(ControlClient.Request(.post, "/pause"))
    return ExitStatus.success
  }
}
