import ArgumentParser
import Diagnostics
import PatchGraph
import PatchReference

struct New: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Writes a patch to begin with, after a design pattern.",
    discussion: """
      There is one for each pattern of Apple's hosting guide, with comments; it runs as it is. \
      Without a pattern they are listed.

      EXAMPLES:
        patchrun new
        patchrun new mixer-host -o begin.json
        patchrun new spatial | patchrun render - --duration 3 -o spatial.wav

      EXIT STATUS:
        0  it has been written
        2  there is no such pattern
        3  the file is there already, or cannot be written
      """)

  @Argument(
    help: ArgumentHelp("Which pattern.", valueName: "pattern"),
    completion: .custom(CompletionValues.patterns))
  var pattern: String?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "The file to write, which must not be there yet; otherwise, standard output.",
      valueName: "file"),
    completion: .file(extensions: ["json", "jsonc"]))
  var output: String?

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if pattern == nil && output != nil {
      throw ValidationError("'--output' needs a pattern: 'patchrun new' lists them")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    guard let pattern else {
      let names = StarterPatch.all.map(\.name)
      let width = names.map(\.count).max() ?? 0
      for patch in StarterPatch.all {
        let blanks = String(repeating: " ", count: width - patch.name.count + 2)
        try output("\(patch.name)\(blanks)\(patch.summary)\n")
      }
      return ExitStatus.success
    }
    guard let patch = StarterPatch.named(pattern) else {
      let names = StarterPatch.all.map(\.name)
      throw CommandFailure(
        ExitStatus.wrongUsage, "there is no pattern \(quoted(pattern))",
        help: [
          didYouMean(pattern, among: names) ?? "", "they are: " + names.joined(separator: ", "),
        ])
    }
    try output(patch.text, toNew: output)
    return ExitStatus.success
  }
}
