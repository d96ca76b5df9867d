import FileAccess
public import PatchSyntax

/// The totals of all records of a batch.
public struct BatchStatus: Sendable {
  public var done = 0
  public var failed = 0
  /// The number of jobs without a record; `nil` without a manifest.
  public var missing: Int?
  /// The duration of the rendered sounds, and the time that threads spent on it, in seconds.
  public var rendered = 0.0
  public var worked = 0.0
  /// The number of failed jobs for each code.
  public var codes: [String: Int] = [:]
  /// The first failed jobs, ten at most.
  public var examples: [BatchRecord] = []

  private static let mostExamples = 10

  /// Reads the records and, if there is one, the manifest. Records of jobs that are not in the
  /// manifest are ignored.
  ///
  /// - Throws: If the records or the manifest cannot be read.
  public init(_ store: RecordStore, manifest: ManifestReader?) throws(JobFault) {
    // Whether a job is done, by the hash of its id.
    var states: [Int: Bool] = [:]
    var failures: [Int: BatchRecord] = [:]
    var status = self
    var wanted: Set<Int>?
    if let manifest {
      var ids: Set<Int> = []
      while let line = manifest.next() {
        ids.insert(((try? JobReader.job(line: line.text).id) ?? "line \(line.number)").hashValue)
      }
      if let failure = manifest.failure { throw JobFault(BatchRules.line, failure) }
      wanted = ids
    }
    try store.readAll { record in
      let id = record.id.hashValue
      if let wanted, !wanted.contains(id) { return }
      status.worked += record.seconds
      let wasDone = states[id] == true
      if record.status == .done {
        states[id] = true
        failures[id] = nil
        if !wasDone, record.sampleRate > 0 {
          status.rendered += Double(record.frames) / record.sampleRate
        }
      } else if !wasDone {
        states[id] = false
        failures[id] = record
      }
    }
    status.done = states.values.count { $0 }
    status.failed = states.count - status.done
    for record in failures.values {
      status.codes[record.diagnostics.first?.code ?? "", default: 0] += 1
    }
    status.examples = Array(
      failures.values.sorted { ($0.line, $0.id) < ($1.line, $1.id) }.prefix(Self.mostExamples))
    status.missing = wanted.map { $0.count - states.count }
    self = status
  }

  public var json: JSONText {
    [
      "done": .number(done), "failed": .number(failed),
      "missing": missing.map { .number($0) } ?? .null, "rendered": .number(rendered),
      "worked": .number(worked),
      "codes": .object(codes.sorted { $0.key < $1.key }.map { .init($0.key, .number($0.value)) }),
    ]
  }
}

/// The comparison of all outputs of a batch with their records.
public struct BatchVerification: Sendable {
  /// An output that differs from its record.
  public struct Finding: Sendable, Hashable {
    public var id: String
    public var path: String
    /// The difference, such as `is missing`.
    public var problem: String
  }

  public var outputs = 0
  public var bytes = 0
  public var findings: [Finding] = []

  private struct Output: Sendable {
    var id: String
    var output: BatchRecord.Output
  }

  /// Reads every output. If a file has several records, the last one counts.
  ///
  /// - Parameter map: Calls the closure with each number below the count, possibly on several
  ///   threads, and returns the results in order.
  /// - Throws: If the records cannot be read.
  public init(
    _ store: RecordStore, map: (Int, @escaping @Sendable (Int) -> String?) -> [String?]
  ) throws(JobFault) {
    var last: [Int: Int] = [:]
    var number = 0
    try store.readAll { record in
      guard record.status == .done else { return }
      for output in record.outputs {
        last[output.path.hashValue] = number
        number += 1
      }
    }
    number = 0
    var batch: [Output] = []
    var verification = self
    let folder = store.folder
    func check() {
      let checked = batch
      let problems = map(checked.count) { Self.problem(checked[$0].output, in: folder) }
      for (output, problem) in zip(checked, problems) {
        verification.outputs += 1
        verification.bytes += max(0, output.output.bytes)
        guard let problem else { continue }
        verification.findings.append(
          Finding(id: output.id, path: output.output.path, problem: problem))
      }
      batch = []
    }
    try store.readAll { record in
      guard record.status == .done else { return }
      for output in record.outputs {
        if last[output.path.hashValue] == number {
          batch.append(Output(id: record.id, output: output))
        }
        number += 1
        if batch.count == 1024 { check() }
      }
    }
    check()
    self = verification
  }

  /// Whether the outputs of a record have the recorded bytes.
  static func isAsRecorded(_ record: BatchRecord, in folder: String) -> Bool {
    record.outputs.allSatisfy { problem($0, in: folder) == nil }
  }

  /// The difference of an output from its record; `nil` for none.
  private static func problem(_ output: BatchRecord.Output, in folder: String) -> String? {
    do throws(FileRefusal) {
      let found: (digest: Digest, size: Int)
      if let archive = output.archive, let offset = output.offset {
        let path = folder + "/" + archive
        let place =
          FolderListing.exists(path) ? path : String(path.dropLast(3)) + "unfinished.tar"
        found = try FileDigests.fresh(place, from: offset, count: output.bytes)
      } else {
        found = try FileDigests.fresh(folder + "/" + output.path)
      }
      guard found.size == output.bytes else {
        return "has \(found.size) bytes and not \(output.bytes)"
      }
      return found.digest.description == output.sha256 ? nil : "has other bytes"
    } catch {
      return error == .notFound ? "is missing" : error.message(for: output.path)
    }
  }
}
