import ArgumentParser
import Control
import Glibc

struct CtlStop: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Ends the patch: it fades out and finishes its files.",
    discussion: """
      It does not wait for the end, except with --wait: then recordings are complete when it \
      returns.

      EXAMPLES:
        patchrun ctl stop
        patchrun ctl stop --wait

      EXIT STATUS:
        0  done
        \(CtlTarget.failures)
      """)

  @Flag(help: "Wait until the patch has ended.")
  var wait = false

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let client = try target.client()
    _ = try client.ask(ControlClient.Request(.post, "/stop"))
    // The run removes its socket last.
    while wait, (try? client.ask(ControlClient.Request(.get, "/status"))) != nil {
      usleep(20_000)
    }
    return ExitStatus.success
  }
}
