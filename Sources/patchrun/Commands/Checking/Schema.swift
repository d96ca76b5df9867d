import ArgumentParser
import PatchReference

struct Schema: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the JSON Schema of patches, or of test files.",
    discussion: """
      With the schema an editor completes and explains what is typed. It is JSON Schema draft-07, \
      made from the descriptions of the units.

      EXAMPLES:
        patchrun schema > patch.schema.json
        patchrun schema --tests > test.schema.json

      EXIT STATUS:
        0  it has been printed
        2  wrong usage
      """)

  @Flag(help: "Print the schema of test files, NAME.test.json.")
  var tests = false

  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    try output(tests ? TestSchema.text() : PatchSchema.text())
    return ExitStatus.success
  }
}
