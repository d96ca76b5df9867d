import ArgumentParser
import Control

struct CtlSocket: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "socket",
    abstract: "Prints the path of the control socket, for other programs.",
    discussion: """
      The socket speaks HTTP, and only its owner may open it.

      EXAMPLES:
        patchrun ctl socket
        curl --unix-socket "$(patchrun ctl socket)" http://localhost/status

      EXIT STATUS:
        0  done
        2  wrong usage, or several patches are running and none was named
        3  no patch is running
      """)

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    try output(try target.client().socketPath + "\n")
    return ExitStatus.success
  }
}
