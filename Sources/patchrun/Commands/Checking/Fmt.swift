import ArgumentParser
import Diagnostics
import FileAccess
import PatchSyntax

struct Fmt: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt",
    abstract: "Formats patches in one canonical way.",
    discussion: """
      The indentation is two spaces a level, and short values are on one line. Keys keep their \
      order, strings and numbers their spelling, comments their places. In a folder every .json \
      and .jsonc file is formatted, also in its subfolders. A document with mistakes is not \
      changed.

      EXAMPLES:
        patchrun fmt mix.json
        patchrun fmt --check .
        patchrun fmt - < mix.json

      EXIT STATUS:
        0  all documents are formatted
        1  a document has mistakes or, with --check, is not formatted
        2  wrong usage
        3  a file cannot be read or written
      """)

  @Argument(
    help: ArgumentHelp(
      "Patches, folders, or '-' for standard input, which is written to standard output.",
      valueName: "path"),
    completion: .file(extensions: ["json", "jsonc"]))
  var paths: [String]

  @Flag(help: "Change nothing: list what would change.")
  var check = false

  @Flag(help: "Write the formatted text to standard output, and do not change the files.")
  var stdout = false

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if check && stdout {
      throw ValidationError("'--check' and '--stdout' cannot be given together")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    var status = ExitStatus.success
    func note(_ new: Int32) { status = max(status, new) }
    let items = PatchPaths.items(paths)
    PatchPaths.note(leftOut: items, appearance)
    for item in items {
      do throws(CommandFailure) {
        switch item {
        case .failure(_, let failure): throw failure
        case .leftOut: break
        case .file(let path, let files): note(try format(path, files))
        }
      } catch {
        note(error.status)
        appearance.report("error", error.message, help: error.help)
      }
    }
    return status
  }

  private func format(_ path: String, _ files: FilePolicy) throws(CommandFailure) -> Int32 {
    let source = try PatchFile(path, files: files).source
    if files.folder != nil, PatchFolder.isOtherJSON(source) {
      PatchFolder.noteOtherJSON(path, appearance)
      return ExitStatus.success
    }
    let result = PatchFormatter.format(source)
    guard let text = result.text else {
      let renderer = TextRenderer(
        source: source, color: appearance.color.colors(.error),
        width: StandardStream.error.columns ?? 120)
      StandardStream.error.put(
        renderer.render(result.diagnostics) + renderer.summary(of: result.diagnostics) + "\n")
      return ExitStatus.wrongPatch
    }
    let isChanged = text != source.bytes
    if check {
      if isChanged { try output(printable(source.name) + "\n") }
      return isChanged ? ExitStatus.wrongPatch : ExitStatus.success
    }
    if stdout || path == "-" {
      try output(String(decoding: text, as: UTF8.self))
    } else if isChanged {
      try AtomicFile.replace(path, with: text, files: files)
      try output("formatted \(printable(path))\n")
    }
    return ExitStatus.success
  }
}
