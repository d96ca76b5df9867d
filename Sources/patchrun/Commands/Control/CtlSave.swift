import ArgumentParser
import Control
import PatchSyntax

struct CtlSave: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "save",
    abstract: "Saves the changes to the patch's file.",
    discussion: """
      The file is replaced as a whole or not at all. It is not written if another program has \
      changed it since it was read, or if the patch came from standard input.

      EXAMPLES:
        patchrun ctl save

      EXIT STATUS:
        0  done
        1  refused: the file has been changed or cannot be written, or the
           running document has been changed meanwhile
        \(CtlTarget.failures)
      """)

  @Option(help: .tag)
  var ifMatch: String?

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let answer = try target.client().askJSON(
      ControlClient.Request(.post, "/save", ifMatch: ifMatch))
    try output("saved \(shown(answer["file"]))\n")
    return ExitStatus.success
  }
}
