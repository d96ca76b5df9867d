import ArgumentParser
import Diagnostics
import PatchGraph
import PatchSyntax

struct PresetSave: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "save",
    abstract: "Writes the settings of a node of a patch as a preset.",
    discussion: """
      The preset has the settings that differ from those of a new unit, without stream formats, \
      counts and connections. The settings of a running patch can be saved, too: 'patchrun ctl \
      get' prints its current document.

      EXAMPLES:
        patchrun preset save mix.json mixer -o loud.json
        patchrun preset save mix.json mixer --title "As it was on Friday"
        patchrun ctl get | patchrun preset save - mixer

      EXIT STATUS:
        0  done
        1  the patch is wrong
        2  wrong usage, such as a node that the patch does not have
        3  a file cannot be read or written
      """)

  @Argument(help: .patch, completion: .file(extensions: ["json", "jsonc"]))
  var file: String

  @Argument(help: ArgumentHelp("The name of the node; of one in a sub-graph, 'strip/eq'."))
  var node: String

  @Option(help: ArgumentHelp("The title of the preset.", valueName: "text"))
  var title: String?

  @Option(name: .output, help: .newFile, completion: .file(extensions: ["json"]))
  var output: String?

  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var policy: PolicyOptions

  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let source = try policy.patchFile(file)
    let patch = PatchBuilder.build(
      source.read(overrides), in: policy.surroundings(of: source), device: .assumed(.init()))
    guard !patch.hasErrors else {
      appearance.report(patch)
      return ExitStatus.wrongPatch
    }
    guard let preset = patch.preset(of: node, named: title) else {
      let names = patch.document?.nodes.map(\.name) ?? []
      throw CommandFailure(
        ExitStatus.wrongUsage, "the patch has no node \(quoted(node))",
        help: [didYouMean(node, among: names) ?? "it has \(listed(names))"])
    }
    try output(PatchFormatter.formatted(preset.compact), toNew: output)
    return ExitStatus.success
  }
}
