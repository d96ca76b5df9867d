import ArgumentParser
import Batches
import Diagnostics
import Jobs
import PatchSyntax

struct BatchVerify: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compares the outputs of a batch with their records.",
    discussion: """
      It reads every output and compares its size and its SHA-256 with the record. With --render \
      it also renders some jobs again, in a temporary folder: the same patch, inputs, version and \
      kernel class give the same bytes.

      EXAMPLES:
        patchrun batch plan mix.json --duration 1 > jobs.jsonl \\
          && patchrun batch run jobs.jsonl --out out \\
          && patchrun batch verify out
        patchrun batch verify out jobs.jsonl --render 1

      EXIT STATUS:
        0  all outputs match their records
        1  an output is missing or has other bytes
        2  wrong usage
        3  the records or the manifest cannot be read
      """)

  @Argument(help: .records, completion: .directory)
  var out: String

  @Argument(
    help: ArgumentHelp("The manifest, for --render.", valueName: "manifest"),
    completion: .file(extensions: ["jsonl", "csv"]))
  var manifest: String?

  @Option(
    help: ArgumentHelp(
      "How many jobs to render again, spread over the manifest.", valueName: "count"))
  var render: Int?

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @OptionGroup var kernel: KernelOptions
  @OptionGroup var native: NativeOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if let render, render < 1 { throw ValidationError("'--render' is 1 or more") }
    if render != nil && manifest == nil {
      throw ValidationError("'--render' takes the manifest, behind the folder")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    try kernel.apply()
    let store = try RecordStore.opened(out)
    var verification: BatchVerification
    var sample: BatchSample?
    do throws(JobFault) {
      verification = try BatchVerification(store) { count, body in parallelMap(count, body) }
      if let render, let manifest {
        let context = BatchContext(manifest: manifest, out: out, policy, native)
        let found = try BatchSample(of: render, manifest: manifest, in: context, store)
        verification.findings += found.findings
        sample = found
      }
    } catch {
      throw CommandFailure(error)
    }
    if json {
      try output(Self.json(verification, sample).document)
    } else {
      for finding in verification.findings.prefix(100) {
        try output(printable("\(finding.path): \(finding.problem)") + "\n")
      }
      let count = verification.findings.count
      try output(
        "\(counted(verification.outputs, "output")), \(verification.bytes) bytes"
          + (sample.map { ", \(counted($0.rendered, "job")) rendered anew" } ?? "")
          + (count == 0 ? ": all as recorded\n" : ": \(count) not as recorded\n"))
    }
    return verification.findings.isEmpty ? ExitStatus.success : ExitStatus.wrongPatch
  }

  private static func json(_ verification: BatchVerification, _ sample: BatchSample?) -> JSONText {
    [
      "outputs": .number(verification.outputs), "bytes": .number(verification.bytes),
      "renderedAnew": .number(sample?.rendered ?? 0),
      "findings": .array(
        verification.findings.map {
          [
            "id": .string($0.id), "path": .string($0.path), "problem": .string($0.problem),
          ]
        }),
    ]
  }
}
