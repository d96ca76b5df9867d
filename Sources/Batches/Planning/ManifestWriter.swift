import Diagnostics
import FileAccess
import PatchSyntax
import SoundFiles

/// Writes the jobs of a plan as a manifest.
public struct ManifestWriter {
  /// The columns of CSV; `nil` for JSON lines.
  private var columns: [String]?
  /// Hashes of ids and of output paths.
  private var seen: Set<Int> = []
  private var number = 0

  public init(isCSV: Bool, of plan: BatchPlan) throws(JobFault) {
    guard isCSV else { return }
    var columns = ["id", "patch"]
    columns += plan.settings.map(\.pointer)
    columns += plan.inputs.map { "input:" + $0.place }
    columns += plan.outputs.map { $0.place == BatchJob.device ? "output" : "output:" + $0.place }
    let common = plan.common
    if common.duration != nil { columns.append("duration") }
    if common.format != nil { columns.append("format") }
    if common.quality != nil { columns.append("quality") }
    if common.normalizing != nil { columns += ["integratedLoudness", "truePeakAtMost"] }
    if !common.measures.isEmpty { columns.append("measure") }
    self.columns = columns
  }

  /// Adds the line of a job to `text`.
  ///
  /// - Throws: If another job has the same id or output.
  public mutating func add(_ job: BatchJob, to text: inout String) throws(JobFault) {
    number += 1
    guard seen.insert("id \(job.id)".hashValue).inserted else {
      throw JobFault(
        BatchRules.repeated, "two jobs of the plan are called \(quoted(job.id))",
        help: ["two files have one name, or a list has a value twice"])
    }
    for output in job.outputs where !seen.insert("output \(output.path)".hashValue).inserted {
      throw JobFault(
        BatchRules.repeated, "two jobs of the plan write \(quoted(output.path))",
        help: ["{id} is different in each job: \"output\": \"{id}.flac\""])
    }
    guard let columns else {
      text += job.json.compact + "\n"
      return
    }
    if number == 1 { text += columns.map(CSVHeader.cell).joined(separator: ",") + "\n" }
    text += columns.map { CSVHeader.cell(Self.value($0, of: job)) }.joined(separator: ",") + "\n"
  }

  private static func value(_ column: String, of job: BatchJob) -> String {
    func text(_ number: Double?) -> String { number.map { JSONText.number($0).compact } ?? "" }
    switch column {
    case "id": return job.id
    case "patch": return job.patch
    case "output": return job.outputs.first { $0.place == BatchJob.device }?.path ?? ""
    case "duration": return text(job.duration)
    case "format": return job.format?.rawValue ?? ""
    case "quality": return text(job.quality)
    case "integratedLoudness": return text(job.normalizing?.integratedLoudness)
    case "truePeakAtMost": return text(job.normalizing?.truePeakAtMost)
    case "measure": return job.measures.joined(separator: " ")
    default:
      if let input = job.inputs.first(where: { "input:" + $0.place == column }) {
        return input.path
      }
      if let output = job.outputs.first(where: { "output:" + $0.place == column }) {
        return output.path
      }
      return job.settings.first { $0.name == column }?.value.compact ?? ""
    }
  }
}

extension BatchPlan {
  /// Whether a path is that of a plan: NAME.batch.json.
  public static func isPlan(_ path: String) -> Bool {
    path.hasSuffix(".batch.json") || path.hasSuffix(".batch.jsonc")
  }

  /// Reads the plan in a file.
  ///
  /// - Throws: If the file cannot be read or the plan has a mistake.
  public init(reading path: String) throws(JobFault) {
    let bytes: [UInt8]
    do throws(FileRefusal) {
      bytes = try FilePolicy.user.read(path, limit: PatchLimits.standard.bytes).bytes
    } catch {
      throw JobFault(BatchRules.plan, error.message(for: path), help: [error.help])
    }
    try self.init(SourceText(name: path, bytes: bytes))
  }

  /// Adds an output from `--output`: a path, or `PLACE=PATH`.
  public mutating func add(output text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let file =
      parts.count == 2
      ? BatchJob.File(String(parts[0]), String(parts[1])) : BatchJob.File(BatchJob.device, text)
    outputs.removeAll { $0.place == file.place }
    outputs.append(file)
  }

  /// Adds the members from options that all jobs share.
  ///
  /// - Throws: If one of them is wrong.
  public mutating func add(
    format: String?, loudness: Double?, measures: String?
  ) throws(JobFault) {
    if let format { common.format = try JobReader.format(format) }
    if let loudness {
      let text: JSONText = ["integratedLoudness": .number(loudness)]
      let source = SourceText(name: "--loudness", text: text.compact)
      if let root = JSONReader.read(source, dialect: .json).tree?.root {
        common.normalizing = try JobReader.normalizing(root)
      }
    }
    if let measures { common.measures = measures.split(separator: ",").map(String.init) }
  }
}
