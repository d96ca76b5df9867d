import ArgumentParser
import Diagnostics
import PatchGraph

struct PresetList: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists presets with their units and names.",
    discussion: """
      In a folder every preset in a .json or .jsonc file is listed, also in its subfolders; other \
      files are skipped. A file that is named has to be a preset.

      EXAMPLES:
        patchrun preset list .
        patchrun preset list

      EXIT STATUS:
        0  done
        1  a preset has mistakes
        2  wrong usage
        3  a file cannot be read
      """)

  @Argument(
    help: ArgumentHelp("Presets and folders; the working folder if none is named."),
    completion: .file(extensions: ["json", "jsonc"]))
  var paths: [String] = []

  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    var status = ExitStatus.success
    var lines: [(unit: String, name: String, path: String)] = []
    for item in PatchPaths.items(paths.isEmpty ? ["."] : paths) {
      do throws(CommandFailure) {
        switch item {
        case .failure(_, let failure): throw failure
        case .leftOut: break
        case .file(let path, let files):
          let source = try PatchFile(path, files: files).source
          guard let preset = SavedPreset(source) else {
            guard paths.contains(path) else { continue }
            throw CommandFailure(ExitStatus.wrongPatch, "\(quoted(path)) is no preset")
          }
          if preset.diagnostics.hasErrors { status = max(status, ExitStatus.wrongPatch) }
          if !preset.diagnostics.isEmpty {
            StandardStream.error.put(
              appearance.text(preset.diagnostics, in: preset.source, for: .error))
          }
          lines.append((preset.unit ?? "-", preset.name ?? "-", path))
        }
      } catch {
        status = max(status, error.status)
        appearance.report("error", error.message, help: error.help)
      }
    }
    func width(_ texts: [String]) -> Int { texts.map(\.count).max() ?? 0 }
    let (first, second) = (width(lines.map(\.unit)), width(lines.map(\.name)))
    for line in lines {
      let unit = line.unit + String(repeating: " ", count: first - line.unit.count)
      let name = line.name + String(repeating: " ", count: second - line.name.count)
      try output("\(unit)  \(printable(name))  \(printable(line.path))\n")
    }
    return status
  }
}
