import ArgumentParser
import Control
import Diagnostics

struct CtlTrigger: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "trigger",
    abstract: "Has the sound of a callback begin again.",
    discussion: """
      A file, a sweep, an impulse and an expression that pulls nothing have a
      beginning. It is heard whole from its first frame on, while what the callback
      has played until then fades out in 5 ms. A callback in a sub-graph is called
      strip/song.

      EXAMPLES:
        patchrun ctl trigger beats

      EXIT STATUS:
        0  done
        1  refused: the patch has no such callback, or it has no beginning
        2  wrong usage, or several patches are running and none was named
        3  no patch is running
        4  the patch went away meanwhile
      """)

  @Argument(help: "The name of the callback.")
  var callback: String

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let query = percentEncoded(callback)
    _ = try target.client().ask(ControlClient.Request(.post, "/trigger?callback=\(query)"))
    return ExitStatus.success
  }
}
