import ArgumentParser
import Diagnostics
import PatchGraph
import PatchSyntax

struct Diff: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Prints the differences between two patches, and how the change sounds.",
    discussion: """
      It prints a line for each difference, with its JSON Pointer: '+' for an addition, '-' for a \
      removal, '~' for a change. Values are compared: blanks, comments in .jsonc and the order of \
      keys make no difference. If both patches are valid, it then prints how a playing patch \
      changes from OLD to NEW, and how that sounds: ramp, at once, crossfade, re-initialize, or a \
      restart with a gap. For this the meaning of the patches is compared: a new definition of a \
      stream format changes every bus with that format.

      EXAMPLES:
        patchrun diff old.json new.json
        patchrun diff --format patch old.json new.json
        git show HEAD:./mix.json | patchrun diff - mix.json

      EXIT STATUS:
        0  the patches are equal
        1  the patches differ
        2  wrong usage
        3  a patch cannot be read, or is not JSON
      """)

  @Argument(
    help: ArgumentHelp("The patch as it was; '-' is standard input.", valueName: "old"),
    completion: .file(extensions: ["json", "jsonc"]))
  var old: String

  @Argument(
    help: ArgumentHelp("The patch as it is; '-' is standard input.", valueName: "new"),
    completion: .file(extensions: ["json", "jsonc"]))
  var new: String

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, patch
  }

  @Option(
    help: ArgumentHelp(
      "text; json: the operations and how they sound; or patch: a JSON Patch (RFC 6902) "
        + "that turns OLD into NEW."))
  var format = Format.text

  @Flag(help: "The same as --format patch.")
  var json = false

  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var policy: PolicyOptions

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if old == "-" && new == "-" {
      throw ValidationError("standard input can be one of the two patches, not both")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let before = try read(old)
    let after = try read(new)
    guard let before, let after else { return ExitStatus.unavailable }
    let difference = PatchDifference(from: before.tree, to: after.tree)
    switch json ? .patch : format {
    case .patch: try output(difference.jsonPatch)
    case .text:
      try output(difference.text)
      guard !difference.isEmpty else { break }
      if let comparison = comparison(before, after) { try output("\n" + comparison.text) }
    case .json:
      let comparison = comparison(before, after)
      let heard = comparison.map { "\"\($0.heard.rawValue)\"" } ?? "null"
      let changes = comparison.map { indented($0.json.document) } ?? "null"
      try output(
        """
        {
          "heard": \(heard),
          "changes": \(changes),
          "operations": \(indented(difference.jsonPatch))
        }

        """)
    }
    return difference.isEmpty ? ExitStatus.success : ExitStatus.wrongPatch
  }

  /// A document that the command line names.
  private struct Document {
    var path: String
    var file: PatchFile
    var tree: JSONTree
  }

  /// How the change sounds; `nil` if one of the patches has errors, which are reported.
  private func comparison(_ old: Document, _ new: Document) -> PatchComparison? {
    let readings = [old, new].map {
      ($0.file.read(), policy.surroundings(of: $0.file))
    }
    if let comparison = PatchComparison(
      from: readings[0], to: readings[1], assuming: hardware.assumption)
    {
      return comparison
    }
    let wrong = zip([old, new], readings).first { _, reading in
      PatchBuilder.build(
        reading.0, in: reading.1, device: .assumed(hardware.assumption)
      ).hasErrors
    }
    let path = (wrong?.0 ?? new).path
    appearance.report(
      "note", "how the change is heard cannot be said: \(quoted(path)) is wrong",
      help: path == "-" ? [] : ["'patchrun validate \(path)' says what is wrong with it"])
    return nil
  }

  private func indented(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: "\n  ")
  }

  /// Reads a document; `nil` if it is not JSON, in which case the errors are reported.
  private func read(_ path: String) throws(CommandFailure) -> Document? {
    let file = try policy.patchFile(path)
    let source = file.source
    let reading = JSONReader.readStrictly(source)
    if reading.tree == nil {
      let renderer = TextRenderer(
        source: source, color: appearance.color.colors(.error),
        width: StandardStream.error.columns ?? 120)
      StandardStream.error.put(
        renderer.render(reading.diagnostics) + renderer.summary(of: reading.diagnostics) + "\n")
    }
    return reading.tree.map { Document(path: path, file: file, tree: $0) }
  }
}
