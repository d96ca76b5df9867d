import ArgumentParser
import Control

struct CtlStart: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Has a patch that pauses go on where it is.")

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    _ = try target.client().ask(ControlClient.Request(.post, "/start"))
    return ExitStatus.success
  }
}
