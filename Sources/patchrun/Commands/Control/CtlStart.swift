import ArgumentParser
import Control

struct CtlStart: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Resumes a paused patch at its position.",
    discussion: """
      A patch that is not paused plays on.

      EXAMPLES:
        patchrun ctl start

      EXIT STATUS:
        0  done
        \(CtlTarget.failures)
      """)

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    _ = try target.client().ask(ControlClient.Request(.post, "/start"))
    return ExitStatus.success
  }
}
