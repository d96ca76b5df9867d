import ArgumentParser
import Diagnostics
import PatchSyntax

struct Diff: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Says what two patches differ in.",
    discussion: """
      A line for each difference, in the patch's terms and with its JSON Pointer: '+' for what has \
      come, '-' for what is gone, '~' for what is different. Values are compared: blanks, comments \
      in .jsonc and the order of keys make no difference.

      EXAMPLES:
        patchrun diff old.json new.json
        git show HEAD:mix.json | patchrun diff - mix.json
        patchrun diff --json old.json new.json

      EXIT STATUS:
        0 when they say the same, 1 when they differ, 3 where one cannot be read
      """)

  @Argument(
    help: ArgumentHelp("The patch as it was; '-' is standard input.", valueName: "old"),
    completion: .file(extensions: ["json", "jsonc"]))
  var old: String

  @Argument(
    help: ArgumentHelp("The patch as it is; '-' is standard input.", valueName: "new"),
    completion: .file(extensions: ["json", "jsonc"]))
  var new: String

  @Flag(help: "Print a JSON Patch (RFC 6902) that turns OLD into NEW.")
  var json = false

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if old == "-" && new == "-" {
      throw ValidationError("standard input can be one of the two patches, not both")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let before = try read(old)
    let after = try read(new)
    guard let before, let after else { return ExitStatus.worldRefused }
    let difference = PatchDifference(from: before, to: after)
    try output(json ? difference.jsonPatch : difference.text)
    return difference.isEmpty ? ExitStatus.success : ExitStatus.wrongPatch
  }

  /// The document; `nil` where what is wrong with it has been reported.
  private func read(_ path: String) throws(CommandFailure) -> JSONTree? {
    let source = try PatchFile(path).source
    let reading = PatchDifference.read(source)
    if reading.tree == nil {
      let renderer = TextRenderer(
        source: source, color: appearance.color.colors(.error),
        width: StandardStream.error.columns ?? 120)
      StandardStream.error.put(
        renderer.render(reading.diagnostics) + renderer.summary(of: reading.diagnostics) + "\n")
    }
    return reading.tree
  }
}
