import ArgumentParser
import Batches
import Diagnostics
import Jobs
import PatchSyntax
import RenderHost
import Synchronization
import TerminalScreen

struct BatchRun: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Renders the jobs of a manifest that are not done yet.",
    discussion: """
      The key of a job is computed from the meaning of its patch, the bytes of its inputs, the \
      version and the kernel class. A job with a record and an output is not rendered again, so a \
      killed run can simply be started again. Several processes may work on one manifest and one \
      folder at the same time, also on several machines. A failed job gets a record with the \
      reason, and the other jobs go on. Paths in the manifest are relative to the manifest; \
      outputs are below DIR.

      EXAMPLES:
        patchrun batch plan mix.json --duration 1 > jobs.jsonl \\
          && patchrun batch run jobs.jsonl --out out
        patchrun batch run jobs.jsonl --out out --shard 1/2 --json
        patchrun batch run jobs.jsonl --out packed --pack tar=1GiB

      EXIT STATUS:
        0  every job is done
        1  some jobs have failed, without --allow-failures
        2  wrong usage
        3  the manifest cannot be read, or the folder cannot be written
        4  a failure on the way: no record can be written
        130  interrupted: the finished jobs have records

      ENVIRONMENT:
        SLURM_ARRAY_TASK_ID  with SLURM_ARRAY_TASK_MIN and SLURM_ARRAY_TASK_COUNT
                             the part for '--shard auto' in an array of Slurm
        SLURM_ARRAY_TASK_MIN  the number of the first task of the array
        SLURM_ARRAY_TASK_COUNT  the number of tasks of the array
        JOB_COMPLETION_INDEX  the part for '--shard auto' in an Indexed Job of
                              Kubernetes, from 0
        HQ_TASK_ID  the part for '--shard auto' in an array of HyperQueue, from 1
      """)

  @OptionGroup var work: BatchRunOptions
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    try work.perform(appearance, retries: false)
  }
}

/// The arguments of `batch run` and `batch retry`.
struct BatchRunOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The manifest: JSON lines, CSV (.csv), or '-' for standard input.", valueName: "manifest"),
    completion: .file(extensions: ["jsonl", "csv"]))
  var manifest: String

  @Option(
    help: ArgumentHelp("The folder for outputs and records.", valueName: "dir"),
    completion: .directory)
  var out: String

  @Option(
    help: ArgumentHelp(
      "How many jobs are rendered at once; by default the number of processors.",
      valueName: "count"))
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      "Put outputs into archives of about this size, as in tar=1GiB. Beside each sound is "
        + "a JSON file with its measurements, as WebDataset reads it.",
      valueName: "tar=size"))
  var pack: String?

  @Flag(help: "Print the result of each job as a line of JSON.")
  var json = false

  @Flag(help: "End with 0 even if jobs have failed; their failures are in the records.")
  var allowFailures = false

  @Flag(name: [.customShort("q"), .long], help: "Print only errors and warnings.")
  var quiet = false

  @OptionGroup var part: BatchPart
  @OptionGroup var kernel: KernelOptions
  @OptionGroup var native: NativeOptions
  @OptionGroup var policy: PolicyOptions

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) {
      throw ValidationError("'--jobs' is 1 to 256, not \(jobs)")
    }
    if let pack, Self.archiveLimit(pack) == nil {
      throw ValidationError("'--pack' is tar=SIZE, as in tar=1GiB, and not \(quoted(pack))")
    }
  }

  /// Parses `tar=1GiB` to bytes.
  static func archiveLimit(_ text: String) -> Int? {
    guard text.hasPrefix("tar=") else { return nil }
    let size = text.dropFirst(4)
    let digits = size.prefix { $0.isASCII && $0.isNumber }
    let units = ["": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = size.dropFirst(digits.count)
    let letter = String(unit.prefix(1))
    guard let number = Int(digits), number > 0, let factor = units[letter],
      ["", "K", "M", "G", "KiB", "MiB", "GiB"].contains(unit)
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : bytes
  }

  /// - Parameter retries: Whether only the jobs that have failed before are rendered.
  func perform(
    _ appearance: any Appearance, retries: Bool
  ) throws(CommandFailure) -> Int32 {
    try kernel.apply()
    let selection = try part.selection()
    let signals = try Signals()
    let context = BatchContext(manifest: manifest, out: out, policy, native)
    var options = BatchRunner.Options()
    options.jobs = jobs ?? processorCount
    options.archiveLimit = pack.flatMap(Self.archiveLimit)
    options.retries = retries
    let line = TerminalLine(appearance)
    let progress = BatchProgress(
      line, appearance, isQuiet: quiet, printsJSON: json,
      total: quiet || !line.isPossible || manifest == "-"
        ? nil : try ManifestReader.lineCount(of: manifest, selection))
    let summary: BatchRunner.Summary
    do throws(JobFault) {
      let reader = try ManifestReader(manifest, selection)
      let store = try RecordStore(folder: out)
      try store.load()
      let runner = try BatchRunner(
        reader, in: context, store, options, isCancelled: { signals.interruptedBy != nil },
        report: { progress.take($0, $1) })
      do throws(JobFault) { summary = try runner.run() } catch {
        progress.finish()
        throw error
      }
    } catch {
      throw CommandFailure(
        error, progress.hasBegun ? ExitStatus.failedRunning : ExitStatus.unavailable)
    }
    progress.finish()
    if !quiet { StandardStream.error.put(progress.summary(summary) + "\n") }
    if progress.outputFailed { return ExitStatus.unavailable }
    if let signal = signals.interruptedBy { return ExitStatus.interrupted(by: signal) }
    return summary.failed + summary.failedBefore > 0 && !allowFailures
      ? ExitStatus.wrongPatch : ExitStatus.success
  }
}

/// Prints the progress and the failures of a batch.
///
/// May be called from any thread.
final class BatchProgress: Sendable {
  private struct State {
    var line: TerminalLine
    var failures = 0
    var hasBegun = false
    var outputFailed = false
    var lastShown: UInt64 = 0
    var first: UInt64 = 0
  }

  private let state: Mutex<State>
  private let appearance: any Appearance
  private let isQuiet: Bool
  private let printsJSON: Bool
  private let total: Int?
  private let begin = monotonicNanoseconds()
  private static let mostFailures = 20

  init(
    _ line: TerminalLine, _ appearance: any Appearance, isQuiet: Bool, printsJSON: Bool,
    total: Int?
  ) {
    state = Mutex(State(line: line))
    self.appearance = appearance
    self.isQuiet = isQuiet
    self.printsJSON = printsJSON
    self.total = total
  }

  var hasBegun: Bool { state.withLock { $0.hasBegun } }
  var outputFailed: Bool { state.withLock { $0.outputFailed } }

  func take(_ record: BatchRecord?, _ summary: BatchRunner.Summary) {
    let now = monotonicNanoseconds()
    state.withLock { state in
      state.hasBegun = true
      if let record {
        if state.first == 0 { state.first = begin }
        if printsJSON {
          let number = StandardStream.output.put(result: record.measured.compact + "\n")
          if number != 0 { state.outputFailed = true }
        }
        if record.status == .failed { reportFailure(record, &state) }
      }
      guard let total, now - state.lastShown > 100_000_000 else { return }
      state.lastShown = now
      let seconds = Double(now - begin) / 1e9
      state.line.show { width, set in Self.grid(summary, total, seconds, width, set) }
    }
  }

  private func reportFailure(_ record: BatchRecord, _ state: inout State) {
    state.failures += 1
    guard state.failures <= Self.mostFailures else { return }
    state.line.clear()
    let fault = record.diagnostics.first
    appearance.report(
      "error",
      "line \(record.line), job \(quoted(record.id)): \(fault?.code ?? "") \(fault?.message ?? "")",
      help: fault?.help ?? [])
    if state.failures == Self.mostFailures {
      appearance.report("note", "of more that fail nothing is said here: they are in the records")
    }
  }

  /// One row: a bar, the number of jobs, jobs a second, the time left.
  private static func grid(
    _ summary: BatchRunner.Summary, _ total: Int, _ seconds: Double, _ width: Int, _ set: DrawingSet
  ) -> ScreenGrid {
    var grid = ScreenGrid(columns: width, rows: 1)
    let share = total > 0 ? min(1, Double(summary.total) / Double(total)) : 1
    let worked = summary.done + summary.failed
    let rate = Double(worked) / max(1e-9, seconds)
    var text = "\(summary.total) of \(total)  \(fixed(rate, rate < 10 ? 1 : 0)) jobs/s"
    if worked > 0, seconds > 1 {
      text += "  \(clock(Double(max(0, total - summary.total)) / max(rate, 1e-9))) left"
    }
    let failed = summary.failed + summary.failedBefore
    if failed > 0 { text += "  \(failed) failed" }
    let room = min(40, width - text.count - 1)
    var column = 0
    if room >= 5 {
      grid.putBar(share, row: 0, column: 0, columns: room, set) { _ in CellStyle(.green) }
      column = room + 1
    }
    grid.put(text, row: 0, column: column, failed > 0 ? TopScreen.bad : .plain)
    return grid
  }

  func finish() { state.withLock { $0.line.clear() } }

  func summary(_ summary: BatchRunner.Summary) -> String {
    let seconds = Double(monotonicNanoseconds() - begin) / 1e9
    var parts = ["\(counted(summary.done, "job")) rendered"]
    if summary.present > 0 { parts.append("\(summary.present) there already") }
    let failed = summary.failed + summary.failedBefore
    if failed > 0 {
      parts.append(
        summary.failedBefore > 0
          ? "\(failed) failed, \(summary.failedBefore) of them before ('batch retry' tries again)"
          : "\(failed) failed")
    }
    parts.append("\(fixed(summary.rendered, 1)) s of sound in \(fixed(seconds, 1)) s")
    return parts.joined(separator: ", ")
  }
}
