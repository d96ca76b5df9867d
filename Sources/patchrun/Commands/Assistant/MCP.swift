import ArgumentParser
import Diagnostics
import PatchSyntax
import ToolServer

struct MCP: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serves an assistant that writes patches.",
    discussion: """
      It speaks the Model Context Protocol over standard input and output. The program that the \
      assistant runs in starts it. The assistant gets tools: a patch to begin with, the units, \
      validate, explain, show, render, measure, response, test, diff and fmt. The tools read and \
      write files in one folder only, and call no native code. Nothing is played.

      EXAMPLES:
        patchrun mcp
        patchrun mcp .

      EXIT STATUS:
        0  standard input has ended
        2  wrong usage
        3  there is no such folder, or standard input or output cannot be used
      """)

  @Argument(
    help: ArgumentHelp(
      "The folder that the assistant works in; not given, the current one.", valueName: "folder"),
    completion: .directory)
  var folder = "."

  @Option(
    help: ArgumentHelp(
      "How long one call of a tool may take. (default: 120)", valueName: "seconds"),
    transform: Seconds.read)
  var limitTime = Seconds(value: 120)

  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let number = OwnCommand.enter(folder)
    guard number == 0 else {
      throw CommandFailure(
        ExitStatus.unavailable, "\(quoted(folder)) cannot be entered: \(systemMessage(number))")
    }
    var session = ToolSession(
      server: ToolServer(version: Program.version), limit: limitTime.value,
      send: { text in
        do throws(CommandFailure) {
          try output(text.compact + "\n")
          return true
        } catch {
          return false
        }
      })
    return try session.serve()
  }
}
