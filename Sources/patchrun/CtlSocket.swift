import ArgumentParser
import Control

struct CtlSocket: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "socket",
    abstract: "Prints the path of the control socket, for other programs.",
    discussion: """
      EXAMPLES:
        curl --unix-socket "$(patchrun ctl socket)" http://localhost/status
      """)

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    try output(try target.client().socketPath + "\n")
    return ExitStatus.success
  }
}
