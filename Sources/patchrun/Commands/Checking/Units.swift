import ArgumentParser
import PatchReference

struct Units: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "units",
    abstract: "Lists the audio units, or describes one.",
    discussion: """
      NAME is a name from the list, a kAudio name, or a four-character code.

      EXAMPLES:
        patchrun units
        patchrun units iPodEQ
        patchrun units --json
        patchrun units NBandEQ --markdown
        patchrun units --pages reference

      EXIT STATUS:
        0  it has been printed
        2  there is no such unit
        3  a page cannot be written
      """)

  @Argument(
    help: ArgumentHelp("A unit.", valueName: "name"), completion: .custom(CompletionValues.units))
  var name: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print the page of the unit, or the overview, in Markdown.")
  var markdown = false

  @Option(
    help: ArgumentHelp(
      "Write all pages of the reference to this folder, in Markdown.", valueName: "folder"),
    completion: .directory)
  var pages: String?

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if json && markdown { throw ValidationError("--json and --markdown exclude each other") }
    if pages != nil && (json || markdown || name != nil) {
      throw ValidationError("--pages writes all pages: it takes no name, --json or --markdown")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let listing = UnitListing()
    if let pages {
      try write(to: pages)
      return ExitStatus.success
    }
    guard let name else {
      try output(
        json ? listing.json() : markdown ? ReferencePages.overview.text : listing.text())
      return ExitStatus.success
    }
    guard let component = listing.component(named: name) else {
      throw CommandFailure(ExitStatus.wrongUsage, listing.unknown(name))
    }
    try output(
      json
        ? listing.json(of: component)
        : markdown ? ReferencePages.page(of: component).text : listing.text(of: component))
    return ExitStatus.success
  }

  private func write(to folder: String) throws(CommandFailure) {
    try FileOutput.makeFolder(folder + "/units")
    for page in ReferencePages.pages {
      try FileOutput.write(page.text, to: "\(folder)/\(page.path)")
    }
  }
}
