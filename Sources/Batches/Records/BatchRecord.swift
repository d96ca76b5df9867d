import AudioTypes
import Diagnostics
public import PatchSyntax

/// The result of a job: a line of the records, and of `batch run --json`.
public struct BatchRecord: Sendable {
  public enum Status: String, Sendable, CaseIterable {
    case done, failed
  }

  /// A file that the job has written.
  public struct Output: Sendable, Hashable {
    public var place: String
    /// The path below the folder of the batch.
    public var path: String
    public var bytes: Int
    /// The SHA-256 as 64 hexadecimal digits.
    public var sha256: String
    /// The archive that contains the file, and the offset of its bytes; `nil` for a file of its
    /// own.
    public var archive: String?
    public var offset: Int?
  }

  public var id: String
  /// The number of its line in the manifest, from 1.
  public var line: Int
  public var status: Status
  /// The digest of the line and of everything that it reads.
  var job: Digest
  /// The digest of the key and the paths of the outputs.
  var outputKey: Digest
  /// The key, which determines the bytes: 64 hexadecimal digits; empty if the job failed before its
  /// key was known.
  public var key: String
  public var patch = ""
  public var outputs: [Output] = []
  /// The digests of files that the job reads besides its patch and its inputs.
  var reads: [(path: String, digest: String)] = []
  public var diagnostics: [JobFault] = []
  /// The seconds that the job took on its thread.
  public var seconds = 0.0
  public var frames = 0
  public var sampleRate = 0.0
  /// Integrated loudness in LUFS; `nil` if it cannot be measured.
  public var loudness: Double?
  /// The peak in dBFS; `nil` for silence.
  public var peak: Double?
  /// Further members: measurements, the normalization, the readings of taps.
  public var more: [JSONText.Member] = []
  /// The end of the job's files in their archive.
  var archiveEnd: Int?
  /// The version and the kernel class that rendered it.
  public var version = ""
  public var kernel = ""
  /// The text of a record that was read.
  public var written: JSONText?

  init(id: String, line: Int, status: Status, job: Digest, outputKey: Digest, key: String) {
    self.id = id
    self.line = line
    self.status = status
    self.job = job
    self.outputKey = outputKey
    self.key = key
  }

  /// The record as JSON. The members that `RecordEntry` parses come first.
  public var json: JSONText {
    if let written { return written }
    var members: [JSONText.Member] = [
      .init("job", .string(job.description)), .init("placed", .string(outputKey.description)),
      .init("status", .string(status.rawValue)),
      .init("sizes", .array(outputs.filter { $0.archive == nil }.map { .number($0.bytes) })),
      .init("reads", .object(reads.map { .init($0.path, .string($0.digest)) })),
      .init("id", .string(id)), .init("line", .number(line)), .init("key", .string(key)),
      .init("patch", .string(patch)),
      .init("outputs", .array(outputs.map(Self.json))),
      .init("duration", .number(sampleRate > 0 ? Double(frames) / sampleRate : 0)),
      .init("frames", .number(frames)), .init("sampleRate", .number(sampleRate)),
      .init("loudness", SoundMeasurement.level(loudness)),
      .init("peak", SoundMeasurement.level(peak)),
    ]
    members += more
    if let archiveEnd { members.append(.init("archiveEnd", .number(archiveEnd))) }
    members += [
      .init("diagnostics", .array(diagnostics.map(\.json))),
      .init("seconds", .number((seconds * 1e6).rounded() / 1e6)),
      .init("version", .string(version)), .init("kernel", .string(kernel)),
    ]
    return .object(members)
  }

  /// The record as JSON without the members that only the record files need.
  public var measured: JSONText {
    let left: Set<String> = ["job", "placed", "sizes", "reads", "archiveEnd"]
    return .object(json.members.filter { !left.contains($0.name) })
  }

  private static func json(_ output: Output) -> JSONText {
    var json: JSONText = [
      "place": .string(output.place), "path": .string(output.path),
      "bytes": .number(output.bytes), "sha256": .string(output.sha256),
    ]
    if let archive = output.archive { json = json.adding(["archive": .string(archive)]) }
    if let offset = output.offset { json = json.adding(["offset": .number(offset)]) }
    return json
  }

  /// Parses a line of a record file; `nil` if the line is not a record.
  init?(line bytes: [UInt8]) {
    let reading = JSONReader.read(SourceText(name: "record", bytes: bytes), dialect: .json)
    guard !reading.hasErrors, let json = reading.tree?.root, json.kind == .object,
      let job = json["job"]?.string.flatMap({ Digest($0.utf8) }),
      let outputKey = json["placed"]?.string.flatMap({ Digest($0.utf8) }),
      let status = json["status"]?.string.flatMap(Status.init)
    else { return nil }
    self.init(
      id: json["id"]?.string ?? "", line: json["line"]?.integer ?? 0, status: status, job: job,
      outputKey: outputKey, key: json["key"]?.string ?? "")
    patch = json["patch"]?.string ?? ""
    outputs =
      json["outputs"]?.elements.map { output in
        Output(
          place: output["place"]?.string ?? "", path: output["path"]?.string ?? "",
          bytes: output["bytes"]?.integer ?? -1, sha256: output["sha256"]?.string ?? "",
          archive: output["archive"]?.string, offset: output["offset"]?.integer)
      } ?? []
    archiveEnd = json["archiveEnd"]?.integer
    seconds = json["seconds"]?.number ?? 0
    frames = json["frames"]?.integer ?? 0
    sampleRate = json["sampleRate"]?.number ?? 0
    loudness = json["loudness"]?.number
    peak = json["peak"]?.number
    version = json["version"]?.string ?? ""
    kernel = json["kernel"]?.string ?? ""
    diagnostics =
      json["diagnostics"]?.elements.map { fault in
        JobFault(
          code: fault["code"]?.string ?? "",
          severity: fault["severity"]?.string.flatMap { .init(rawValue: $0) } ?? .error,
          fault["message"]?.string ?? "",
          help: fault["help"]?.elements.compactMap(\.string) ?? [])
      } ?? []
    written = JSONText(json)
  }
}
