import ArgumentParser
import Control
import PatchSyntax

struct CtlHistory: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Prints the changes since the run began.",
    discussion: """
      It prints the number of each step, its age, who asked for it, and its changes. The newest \
      step is the last. Undone steps are marked.

      EXAMPLES:
        patchrun ctl history

      EXIT STATUS:
        0  done
        \(CtlTarget.failures)
      """)

  @Flag(help: "Print it as JSON.")
  var json = false

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let text = try target.client().ask(ControlClient.Request(.get, "/history"))
    if json {
      try output(text)
      return ExitStatus.success
    }
    let steps = try readAnswer(text)["steps"].map { Array($0.elements) } ?? []
    guard !steps.isEmpty else {
      try output("nothing has been changed since the run began\n")
      return ExitStatus.success
    }
    try output(steps.map(Self.text).joined())
    return ExitStatus.success
  }

  /// A step: a line for the step and one for each change in it.
  private static func text(_ step: JSONValue) -> String {
    let isUndone = step["isUndone"]?.bool == true
    let head =
      "\(step["number"]?.integer ?? 0)  \(age(step["age"]?.number ?? 0)), by \(shown(step["by"]))"
      + (isUndone ? ", undone" : "")
    let changes = CtlText.changes(in: step)
    let lines = changes.isEmpty ? ["nothing that is heard"] : changes
    return head + "\n" + lines.map { "   \($0)\n" }.joined()
  }

  private static func age(_ seconds: Double) -> String {
    switch seconds {
    case ..<60: "\(Int(seconds)) s ago"
    case ..<3600: "\(Int(seconds / 60)) min ago"
    default: "\(Int(seconds / 3600)) h \(Int(seconds / 60) % 60) min ago"
    }
  }
}
