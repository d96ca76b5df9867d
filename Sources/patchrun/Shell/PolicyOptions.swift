import ArgumentParser
import Diagnostics
import PatchGraph
import PatchSyntax

/// The options for what a patch may read, write and cost: see "What a patch from a stranger can
/// do".
struct PolicyOptions: ParsableArguments, PatchPolicy {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Another folder that the patch may write to, and may read if it is confined; "
        + "repeatable.",
      valueName: "folder"),
    completion: .directory)
  var allowPath: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder for relative paths of files that taps write, instead of the patch's "
        + "folder.",
      valueName: "folder"),
    completion: .directory)
  var outputDir: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Keep the patch in its own folder: it reads and writes nowhere else.")
  var confined = false

  @Option(
    name: .customLong("limit"), parsing: .singleValue,
    help: ArgumentHelp(
      """
      Raise or lower a limit of what the patch may cost; repeatable. \
      \(PatchLimits.table.map { "\($0.name): \($0.summary), \($0.standard)" }
        .joined(separator: "; ")).
      """,
      valueName: "NAME=VALUE"),
    completion: .list(PatchLimits.table.map { "\($0.name)=\($0.standard)" }))
  var limit: [String] = []

  @Option(
    help: ArgumentHelp(
      "The number of findings of each kind to show; the rest are counted.", valueName: "count"))
  var maxFindings = Findings.standardLimit

  func validate() throws {
    var limits = PatchLimits.standard
    for text in limit {
      if let problem = limits.set(text) { throw ValidationError(problem) }
    }
    guard maxFindings >= 1 else {
      throw ValidationError("'--max-findings' is a whole number from 1 up")
    }
  }
}
