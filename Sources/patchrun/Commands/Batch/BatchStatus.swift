import ArgumentParser
import Batches
import Diagnostics
import PatchSyntax

struct BatchStatusCommand: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Prints the progress and the failures of a batch.",
    discussion: """
      It reads the records in a folder, from all processes, also while the batch is running. With \
      the manifest it also counts the jobs that have no record yet.

      EXAMPLES:
        patchrun batch plan mix.json --duration 1 > jobs.jsonl \\
          && patchrun batch run jobs.jsonl --out out \\
          && patchrun batch status out jobs.jsonl

      EXIT STATUS:
        0  nothing has failed, and with a manifest nothing is missing
        1  something has failed or is missing
        2  wrong usage
        3  the records or the manifest cannot be read
      """)

  @Argument(help: .records, completion: .directory)
  var out: String

  @Argument(
    help: ArgumentHelp("The manifest.", valueName: "manifest"),
    completion: .file(extensions: ["jsonl", "csv"]))
  var manifest: String?

  @Flag(help: "Print the numbers as JSON.")
  var json = false

  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let store = try RecordStore.opened(out)
    let status: BatchStatus
    do throws(JobFault) {
      let reader = try manifest.map { path throws(JobFault) in try ManifestReader(path) }
      status = try BatchStatus(store, manifest: reader)
    } catch {
      throw CommandFailure(error)
    }
    try output(json ? status.json.document : text(status))
    return status.failed + (status.missing ?? 0) > 0 ? ExitStatus.wrongPatch : ExitStatus.success
  }

  private func text(_ status: BatchStatus) -> String {
    var lines = ["done     \(status.done)", "failed   \(status.failed)"]
    if let missing = status.missing { lines.append("missing  \(missing)") }
    lines.append(
      "\(fixed(status.rendered, 1)) s of sound in \(fixed(status.worked, 1)) s of one processor")
    for (code, count) in status.codes.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      lines.append("\(counted(count, "job")) by \(code)")
    }
    for record in status.examples {
      let fault = record.diagnostics.first
      lines.append(
        printable(
          "  line \(record.line), \(quoted(record.id)): \(fault?.code ?? "") \(fault?.message ?? "")"
        ))
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension RecordStore {
  /// Opens the records in a folder from the command line.
  static func opened(_ folder: String) throws(CommandFailure) -> RecordStore {
    guard let store = RecordStore(existing: folder) else {
      throw CommandFailure(
        ExitStatus.unavailable, "there are no records of a batch in \(quoted(folder))",
        help: ["'patchrun batch run MANIFEST --out DIR' writes them"])
    }
    return store
  }
}
