import ArgumentParser
import Diagnostics
import PatchGraph
import PatchImport

struct ExportCommand: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the filters of a patch in the format of another program.",
    discussion: """
      A chain of NBandEQs between a source and an output becomes a list of filters with the same \
      response, as AutoEq writes them and Equalizer APO reads them. If the patch is more than such \
      a chain, the node that cannot be exported is reported.

      EXAMPLES:
        patchrun export --to autoeq headphone.json > list.txt
        patchrun export --to equalizer-apo headphone.json -o config.txt

      EXIT STATUS:
        0  it has been written
        1  the patch is wrong, or more than a chain of filters
        2  wrong usage
        3  a file cannot be read or written
      """)

  @Argument(help: .patch, completion: .file(extensions: ["json", "jsonc"]))
  var file: String

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("The program: autoeq or equalizer-apo.", valueName: "program"),
    completion: .list(ExportedChain.Target.allCases.map(\.rawValue)),
    transform: { text in
      if let target = ExportedChain.Target(rawValue: text) { return target }
      throw ValidationError("it is one of autoeq and equalizer-apo")
    })
  var target: ExportedChain.Target

  @Option(name: .output, help: .newFile, completion: .file(extensions: ["txt"]))
  var output: String?

  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var policy: PolicyOptions

  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let source = try policy.patchFile(file)
    let patch = PatchBuilder.build(
      source.read(overrides), in: policy.surroundings(of: source), device: .assumed(.init()))
    guard !patch.hasErrors, let document = patch.document else {
      appearance.report(patch)
      return ExitStatus.wrongPatch
    }
    var chain = ExportedChain(of: document)
    let text = chain.text(for: target)
    guard chain.diagnostics.isEmpty else {
      StandardStream.error.put(
        appearance.text(chain.diagnostics.inDocumentOrder(), in: patch.source, for: .error))
      return ExitStatus.wrongPatch
    }
    try output(text, toNew: output)
    return ExitStatus.success
  }
}
