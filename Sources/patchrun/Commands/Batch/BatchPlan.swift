import ArgumentParser
import Batches
import FileAccess
import SoundFiles

struct BatchPlanCommand: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Writes a manifest: every combination of patches, inputs and settings.",
    discussion: """
      A plan, NAME.batch.json, lists patches, patterns of input files, and settings. A setting is \
      a list of values, or an object that draws a random value, such as { "uniform": [-6, 6] }. \
      The drawn value depends only on the seed, the id of the job and the setting. A patch with \
      options can take the place of a plan. The manifest gets a job for every combination. Store \
      it in the folder of the plan or, without a plan, in the current folder.

      EXAMPLES:
        patchrun batch plan mix.json --duration 1 --draws 3 > jobs.jsonl
        patchrun batch plan mix.json --duration 1 --output '{id}.wav' \\
          --set '/nodes/mixer/outputs/0/parameters/volume=[0.5, 1]' > jobs.jsonl
        patchrun batch plan mix.json --duration 1 --as csv > jobs.csv

      EXIT STATUS:
        0  the manifest is written
        1  the plan is wrong, or results in no job
        2  wrong usage
        3  a file cannot be read or written
      """)

  /// The formats of a manifest.
  enum Shape: String, CaseIterable, ExpressibleByArgument {
    case jsonl, csv
  }

  @Argument(
    help: ArgumentHelp("A plan, or a patch.", valueName: "file"),
    completion: .file(extensions: ["json", "jsonc"]))
  var file: String

  @Option(
    name: .customLong("input"), parsing: .singleValue,
    help: ArgumentHelp(
      "The input files, one for each job: a pattern for the microphone, or "
        + "POINTER=PATTERN for the path at that JSON Pointer of the patch; repeatable.",
      valueName: "pattern"))
  var inputs: [String] = []

  @Option(
    name: .customLong("output"), parsing: .singleValue,
    help: ArgumentHelp(
      "The names of the outputs, with {id}, {input}, {folder}, {patch}, {draw} or {n}; "
        + "PLACE=PATTERN for the output of a bus, or of a tap by the JSON Pointer of its "
        + "path; repeatable.",
      valueName: "pattern"))
  var outputs: [String] = []

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "A value to set in the patch, as in a plan: POINTER=VALUE; repeatable.",
      valueName: "POINTER=VALUE"))
  var settings: [String] = []

  @Option(help: ArgumentHelp("How often each combination is drawn.", valueName: "count"))
  var draws: Int?

  @Option(help: ArgumentHelp("The seed of the drawn values.", valueName: "number"))
  var seed: Int?

  @Option(help: .duration, transform: Seconds.read)
  var duration: Seconds?

  @Option(
    help: ArgumentHelp(
      "What a sample becomes in the files: "
        + FileSampleType.allCases.map(\.rawValue).joined(separator: ", ") + ".",
      valueName: "type"),
    completion: .list(FileSampleType.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "Normalize each output to this loudness in LUFS, as far as its true peak stays "
        + "below -1 dBTP.",
      valueName: "LUFS"))
  var loudness: Double?

  @Option(
    help: ArgumentHelp(
      "What else is measured, with commas between: \(SoundMeasurement.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "names"))
  var measure: String?

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("The shape of the manifest: jsonl or csv.", valueName: "shape"))
  var shape = Shape.jsonl

  @Flag(name: [.customShort("q"), .long], help: "Print only errors and warnings.")
  var quiet = false

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if let draws, draws < 1 { throw ValidationError("'--draws' is 1 or more") }
    if let seed, seed < 0 { throw ValidationError("'--seed' is 0 or more") }
  }

  func perform() throws(CommandFailure) -> Int32 {
    do throws(JobFault) {
      let plan = try self.plan()
      let isPlan = BatchPlan.isPlan(file)
      let jobs = try PlannedJobs(plan, in: isPlan ? FilePolicy.folder(of: file) : "")
      var writer = try ManifestWriter(isCSV: shape == .csv, of: plan)
      var text = ""
      text.reserveCapacity(1 << 17)
      for number in 0..<jobs.count {
        try writer.add(try jobs.job(number), to: &text)
        if text.utf8.count >= 1 << 16 {
          do throws(CommandFailure) { try output(text) } catch { return error.status }
          text.removeAll(keepingCapacity: true)
        }
      }
      do throws(CommandFailure) { try output(text) } catch { return error.status }
      if !quiet {
        StandardStream.error.put("\(counted(jobs.count, "job")): \(jobs.summary)\n")
      }
      return ExitStatus.success
    } catch {
      throw CommandFailure(error, ExitStatus.wrongPatch)
    }
  }

  private func plan() throws(JobFault) -> BatchPlan {
    var plan = BatchPlan()
    if BatchPlan.isPlan(file) {
      plan = try BatchPlan(reading: file)
    } else {
      plan.patches = [file]
    }
    for input in inputs { plan.add(input: input) }
    for setting in settings { try plan.add(setting: setting) }
    for output in outputs { plan.add(output: output) }
    if plan.outputs.isEmpty { plan.outputs = [.init(BatchJob.device, "{id}.flac")] }
    if let draws { plan.draws = draws }
    if let seed { plan.seed = seed }
    if let duration { plan.common.duration = duration.value }
    try plan.add(format: format, loudness: loudness, measures: measure)
    return plan
  }
}
