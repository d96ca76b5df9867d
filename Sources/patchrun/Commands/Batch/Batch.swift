import ArgumentParser
import Batches
import Diagnostics
import FileAccess
import RenderCore
import RenderTaps

struct Batch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Renders many files, on one machine or on many.",
    discussion: """
      A manifest has one job on each line: a patch, the values to set in it, its input files and \
      its output file. 'batch plan' writes a manifest. 'batch run' renders its jobs on all \
      processors: each job once, even if processes are killed, and even if several processes work \
      on the same manifest. If one machine is not enough, 'batch on' distributes parts of the \
      manifest with an engine such as Slurm.

      EXAMPLES:
        patchrun batch plan mix.json --duration 1 --draws 3 > jobs.jsonl
        patchrun batch run jobs.jsonl --out out
        patchrun batch status out jobs.jsonl
        patchrun batch verify out jobs.jsonl --render 1
        patchrun batch on slurm jobs.jsonl --out out --shards 4 --dry-run

      EXIT STATUS:
        0  every job is done
        1  some jobs have failed, or an output differs from its record
        2  wrong usage
        3  a file cannot be read or written
        4  a failure on the way: no record can be written
        130  interrupted

      FILES:
        DIR/records  the results of the jobs: JSON lines, a file for each process
        DIR/shards  archives of outputs, with --pack
      """,
    subcommands: [
      BatchPlanCommand.self, BatchRun.self, BatchStatusCommand.self, BatchVerify.self,
      BatchRetry.self, BatchOn.self,
    ])
}

/// The options that choose a part of a manifest.
struct BatchPart: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The i-th of n parts of the manifest; 'auto' or 'auto/n' takes i from the engine "
        + "that has started this process: Slurm, Kubernetes, HyperQueue.",
      valueName: "i/n"))
  var shard: String?

  @Option(help: ArgumentHelp("The first line, from 1.", valueName: "line"))
  var fromLine: Int?

  @Option(help: ArgumentHelp("The last line.", valueName: "line"))
  var toLine: Int?

  func validate() throws {
    do throws(CommandFailure) { _ = try selection() } catch { throw ValidationError(error.message) }
  }

  func selection() throws(CommandFailure) -> LineSelection {
    var selection = LineSelection()
    if fromLine != nil || toLine != nil {
      let (first, last) = (fromLine ?? 1, toLine ?? .max)
      guard 1 <= first, first <= last else {
        throw CommandFailure(
          ExitStatus.wrongUsage, "'--from-line' and '--to-line' are lines from 1 up, in this order")
      }
      selection.lines = first...last
    }
    guard let shard else { return selection }
    let parts = shard.split(separator: "/", omittingEmptySubsequences: false)
    let isAuto = parts[0] == "auto"
    let found = isAuto ? Self.task : nil
    guard parts.count == 2 || isAuto && parts.count == 1,
      let count = parts.count == 2 ? Int(parts[1]) : found?.count,
      let part = isAuto ? found?.part : Int(parts[0]), count >= 1, (1...count).contains(part)
    else {
      throw CommandFailure(
        ExitStatus.wrongUsage,
        isAuto
          ? "'--shard \(shard)' finds no engine that says which part this is, and of how many"
          : "'--shard' is i/n, the i-th of n parts, and not \(quoted(shard))")
    }
    selection.shard = (part, count)
    return selection
  }

  /// The part that the engine has assigned to this process, from 1, and the number of parts: read
  /// from the environment.
  private static var task: (part: Int, count: Int?)? {
    func number(_ text: String?) -> Int? { text.flatMap { Int($0) } }
    if let task = number(environmentVariable("SLURM_ARRAY_TASK_ID")) {
      let first = number(environmentVariable("SLURM_ARRAY_TASK_MIN")) ?? 1
      return (task - first + 1, number(environmentVariable("SLURM_ARRAY_TASK_COUNT")))
    }
    if let index = number(environmentVariable("JOB_COMPLETION_INDEX")) { return (index + 1, nil) }
    if let task = number(environmentVariable("HQ_TASK_ID")) { return (task, nil) }
    return nil
  }
}

extension BatchContext {
  /// The context of the jobs in a manifest from the command line.
  init(
    manifest: String, out: String, _ policy: PolicyOptions, _ native: NativeOptions
  ) {
    var wider = policy
    wider.allowPath.append(out)
    let options = wider
    let code = native.nativeCode
    self.init(
      manifestFolder: manifest == "-" ? "" : FilePolicy.folder(of: manifest), outputFolder: out,
      version: Program.version, kernel: VectorMath.name, limits: policy.limits
    ) { directory in
      // Each job has its own `Takes`, so that jobs do not number each other's files.
      options.surroundings(in: directory, code, takes: Takes(.replaceOwn))
    }
  }
}

extension ManifestReader {
  /// Counts the selected lines of a manifest by reading it.
  static func lineCount(
    of manifest: String, _ selection: LineSelection = LineSelection()
  ) throws(CommandFailure) -> Int {
    do throws(JobFault) {
      let reader = try ManifestReader(manifest, selection)
      var count = 0
      while reader.next() != nil { count += 1 }
      return count
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension CommandFailure {
  /// A failure because a batch cannot begin or continue.
  init(_ fault: JobFault, _ status: Int32 = ExitStatus.unavailable) {
    self.init(status, "\(fault.code): \(fault.message)", help: fault.help)
  }
}
