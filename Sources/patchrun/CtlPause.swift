import ArgumentParser
import Control

struct CtlPause: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Has the patch fade out and stay where it is.",
    discussion: """
      Nothing is rendered until 'patchrun ctl start'; recordings wait, too.
      """)

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    _ = try target.client().ask(ControlClient.Request(.post, "/pause"))
    return ExitStatus.success
  }
}
