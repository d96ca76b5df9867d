import ArgumentParser
import Diagnostics
import FileAccess
import PatchReference
import PatchSyntax

struct New: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Writes a patch to begin with, after a design pattern.",
    discussion: """
      There is a commented patch for each pattern of Apple's hosting guide; it runs as it is. \
      Without a pattern the patterns are listed. If the folder of the new file or a folder above \
      it has a patch.schema.json or schema/patch.schema.json, the new patch names it as its \
      schema, for editors.

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
    help: ArgumentHelp("The pattern; see 'patchrun new' for the list.", valueName: "pattern"),
    completion: .custom(CompletionValues.patterns))
  var pattern: String?

  @Option(name: .output, help: .newFile, completion: .file(extensions: ["json", "jsonc"]))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The schema that the patch names in \"$schema\": a path from the new file, or a URI.",
      valueName: "path"),
    completion: .file(extensions: ["json"]))
  var schema: String?

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
    let schema = schema ?? output.flatMap { $0 == "-" ? nil : Self.schema(for: $0) }
    try output(Self.naming(schema, in: patch.text), toNew: output)
    return ExitStatus.success
  }

  /// Inserts `$schema` as the first key of a patch; returns the text unchanged for `nil`.
  private static func naming(_ schema: String?, in text: String) -> String {
    guard let schema, text.hasPrefix("{\n") else { return text }
    let key = JSONText.string("$schema").compact
    return "{\n  \(key): \(JSONText.string(schema).compact),\n" + text.dropFirst(2)
  }

  private static let mostFoldersAbove = 32

  /// The relative path from a new file to a schema in its folder or a folder above it; `nil` if
  /// there is none.
  private static func schema(for path: String) -> String? {
    let folder = FilePolicy.folder(of: path)
    var way = ""
    for _ in 0..<mostFoldersAbove {
      for name in ["patch.schema.json", "schema/patch.schema.json"] {
        let place = (folder.isEmpty ? "" : folder + "/") + way + name
        if FolderListing.exists(place) { return way.isEmpty ? "./" + name : way + name }
      }
      way += "../"
    }
    return nil
  }
}
