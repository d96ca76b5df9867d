import ArgumentParser
import PatchGraph
import PatchReference

struct Units: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "units",
    abstract: "Lists the audio units, or says all about one.",
    discussion: """
      NAME is a name from the list, a kAudio name, or a four-character code.

      EXAMPLES:
        patchrun units
        patchrun units iPodEQ
        patchrun units --json

      EXIT STATUS:
        0  it has been printed
        2  there is no such unit
      """)

  @Argument(
    help: ArgumentHelp("A unit.", valueName: "name"), completion: .custom(CompletionValues.units))
  var name: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print the tables of the README, each between its marks.")
  var markdown = false

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if json && markdown { throw ValidationError("--json and --markdown exclude each other") }
    if markdown && name != nil {
      throw ValidationError("--markdown prints all tables, and takes no name")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let listing = UnitListing()
    guard let name else {
      try output(json ? listing.json() : markdown ? ReadmeTables.text() : listing.text())
      return ExitStatus.success
    }
    guard let component = listing.component(named: name) else {
      throw CommandFailure(ExitStatus.wrongUsage, listing.unknown(name))
    }
    try output(json ? listing.json(of: component) : listing.text(of: component))
    return ExitStatus.success
  }
}
