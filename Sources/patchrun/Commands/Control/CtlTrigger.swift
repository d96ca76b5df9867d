import ArgumentParser
import Control
import Diagnostics

struct CtlTrigger: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "trigger",
    abstract: "Restarts the sound of a callback.",
    discussion: """
      A file, a sweep, an impulse and an expression that pulls nothing can be
      restarted. The sound plays from its first frame, while the sound before it
      fades out in 5 ms. The name of a callback in a sub-graph includes the node:
      strip/song.

      EXAMPLES:
        patchrun ctl trigger beats

      EXIT STATUS:
        0  done
        1  refused: there is no such callback, or it cannot be restarted
        \(CtlTarget.failures)
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
