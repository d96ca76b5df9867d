import ArgumentParser
import Batches
import Diagnostics
import Glibc
import Jobs

struct BatchOn: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "on",
    abstract: "Renders a manifest with an engine that distributes its parts.",
    discussion: """
      It writes the script or the manifest of the engine into the current folder and submits it: \
      GNU parallel, HyperQueue, an array of Slurm, Dask, Snakemake, or an Indexed Job of \
      Kubernetes. The engine distributes the parts of the manifest, and restarts parts that were \
      killed; each job is still rendered only once. If a part takes half a minute or more, the \
      cost of the engine cannot be measured.

      EXAMPLES:
        patchrun batch plan mix.json --duration 1 > jobs.jsonl \\
          && patchrun batch on slurm jobs.jsonl --out out --shards 40 --dry-run
        patchrun batch on k8s jobs.jsonl --out out --image patchrun --dry-run

      EXIT STATUS:
        0  every job is done, or the file of the engine was printed
        1  jobs have failed
        2  wrong usage
        3  the engine is not installed, or a file cannot be written
        4  the engine has failed

      FILES:
        batch-ENGINE.sh, batch-ENGINE.py, batch.smk, batch-k8s.yaml  the input
             of the engine; existing files are replaced
      """)

  @Argument(
    help: ArgumentHelp(
      "\(BatchEngine.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "engine"),
    completion: .list(BatchEngine.allCases.map(\.rawValue)))
  var engine: BatchEngine

  @Argument(
    help: ArgumentHelp("The manifest, as the workers see it.", valueName: "manifest"),
    completion: .file(extensions: ["jsonl", "csv"]))
  var manifest: String

  @Option(
    help: ArgumentHelp(
      "The folder for outputs and records, as the workers see it.", valueName: "dir"),
    completion: .directory)
  var out: String

  @Option(
    help: ArgumentHelp(
      "How many parts the manifest has; by default one for every 1,000 jobs, but at least "
        + "one for each worker.",
      valueName: "count"))
  var shards: Int?

  @Option(
    help: ArgumentHelp(
      "How many parts run at once; by default the number of processors of this machine.",
      valueName: "count"))
  var workers: Int?

  @Option(
    help: ArgumentHelp("The program, as the workers call it.", valueName: "path"),
    completion: .file())
  var program = "patchrun"

  @Option(
    help: ArgumentHelp("For Kubernetes: the image of the container.", valueName: "image"))
  var image = "patchrun"

  @Option(
    help: ArgumentHelp(
      "For Kubernetes: the claim of the volume with manifest, patches and outputs.",
      valueName: "name")
  )
  var claim = "patchrun-data"

  @Option(help: ArgumentHelp("The same as for 'batch run'.", valueName: "tar=size"))
  var pack: String?

  @Flag(help: "Print the file for the engine and the command that would submit it, and do nothing.")
  var dryRun = false

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if let shards, !(1...1_000_000).contains(shards) {
      throw ValidationError("'--shards' is 1 to 1000000, not \(shards)")
    }
    if let workers, !(1...100_000).contains(workers) {
      throw ValidationError("'--workers' is 1 to 100000, not \(workers)")
    }
    if let pack, BatchRunOptions.archiveLimit(pack) == nil {
      throw ValidationError("'--pack' is tar=SIZE, as in tar=1GiB, and not \(quoted(pack))")
    }
    if manifest == "-" {
      throw ValidationError("the manifest is a file that all parts of the work can read")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let workers = workers ?? processorCount
    var shards = max(1, self.shards ?? 0)
    if self.shards == nil {
      shards = max(workers, (try ManifestReader.lineCount(of: manifest) + 999) / 1000)
    }
    let submission = engine.submission(
      .init(
        program: program, manifest: manifest, out: out, shards: shards, workers: workers,
        options: pack.map { ["--pack", $0] } ?? [], image: image, claim: claim))
    let command = submission.command.map(shellWord).joined(separator: " ")
    if dryRun {
      try output(submission.text)
      StandardStream.error.put("would be submitted by: \(printable(command))\n")
      return ExitStatus.success
    }
    if let name = submission.name { try FileOutput.write(submission.text, to: name) }
    StandardStream.error.put("\(printable(command))\n")
    let status = try EngineProcess.run(submission.command)
    guard status == 0 else {
      throw CommandFailure(
        ExitStatus.failedRunning, "\(quoted(submission.command[0])) has ended with \(status)",
        help: ["'patchrun batch status \(out) \(manifest)' says what is done"])
    }
    return try isDone() ? ExitStatus.success : ExitStatus.wrongPatch
  }

  /// Whether every job is done. Always true for Kubernetes, because the command does not wait for
  /// it, and if the records are not visible on this machine.
  private func isDone() throws(CommandFailure) -> Bool {
    guard engine != .k8s, let store = RecordStore(existing: out) else { return true }
    let status: BatchStatus
    do throws(JobFault) {
      status = try BatchStatus(store, manifest: try ManifestReader(manifest))
    } catch {
      throw CommandFailure(error)
    }
    let missing = status.missing ?? 0
    guard status.failed + missing > 0 else { return true }
    appearance.report(
      "error", "\(counted(status.failed, "job")) failed, \(missing) missing",
      help: ["'patchrun batch status \(out) \(manifest)' says which"])
    return false
  }
}

/// A child process of another program, with our standard streams.
enum EngineProcess {
  /// Runs a command to its end. Returns its exit status, or 128 plus the number of the signal that
  /// ended it.
  static func run(_ command: [String]) throws(CommandFailure) -> Int32 {
    var pointers = unsafe command.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    var process: pid_t = 0
    let number = unsafe posix_spawnp(&process, command[0], nil, nil, &pointers, environ)
    guard number == 0 else {
      throw CommandFailure(
        ExitStatus.unavailable,
        "\(quoted(command[0])) cannot be started: \(systemMessage(number))",
        help: ["'--dry-run' prints what it would be given"])
    }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }
}
