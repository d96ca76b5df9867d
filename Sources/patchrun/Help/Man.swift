import ArgumentParser
import PatchReference

struct Man: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "man",
    abstract: "Prints a page of the manual, for man.",
    discussion: """
      Section 1 is patchrun(1), this program; section 5 is patchrun-patch(5), the language of \
      patches. They are written in mdoc, and generated from the program's own descriptions.

      EXAMPLES:
        patchrun man | man -l -
        patchrun man 5 | man -l -
        patchrun man 5 > patchrun-patch.5

      EXIT STATUS:
        0  it has been printed
        2  there is no such section
      """)

  @Argument(help: ArgumentHelp("1 or 5.", valueName: "section"), completion: .list(["1", "5"]))
  var section = 1

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    guard section == 1 || section == 5 else {
      throw ValidationError("the manual has a section 1 and a section 5, and no \(section)")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let release = "patchrun \(Patchrun.version)"
    try output(
      section == 1
        ? ProgramManual().text()
        : PatchManual.text(date: Patchrun.versionDate, release: release))
    return ExitStatus.success
  }
}
