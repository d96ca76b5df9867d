import ArgumentParser
import Control
import Diagnostics
import PatchSyntax

struct CtlPatch: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "patch",
    abstract: "Changes several values of the running patch together, all or none.",
    discussion: """
      An array is a JSON Patch (RFC 6902), as 'patchrun diff --json' prints it. An object is a \
      merge patch (RFC 7386): its values replace those of the document, and null removes them.

      EXAMPLES:
        echo '{ "title": "Another title" }' | patchrun ctl patch -
        patchrun diff --json old.json new.json | patchrun ctl patch -

      EXIT STATUS:
        0  done
        1  refused: the patch would be wrong, or has been changed meanwhile
        \(CtlTarget.failures)
      """)

  @Argument(
    help: ArgumentHelp("The changes; '-' is standard input.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var file: String

  @Option(help: .tag)
  var ifMatch: String?

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let source = try PatchFile(file).source
    let reading = JSONReader.read(source, dialect: .json)
    guard !reading.hasErrors, let root = reading.tree?.root else {
      StandardStream.error.put(appearance.text(reading.diagnostics, in: source, for: .error))
      return ExitStatus.wrongPatch
    }
    guard root.kind == .array || root.kind == .object else {
      throw CommandFailure(
        ExitStatus.wrongPatch, "\(quoted(source.name)) is neither a JSON Patch nor a merge patch",
        help: ["an array of operations, or an object of what is different"])
    }
    let type =
      root.kind == .array ? "application/json-patch+json" : "application/merge-patch+json"
    try output(
      try target.client().change(
        ControlClient.Request(
          .patch, "/patch", body: String(decoding: source.bytes, as: UTF8.self),
          contentType: type, ifMatch: ifMatch)))
    return ExitStatus.success
  }
}
