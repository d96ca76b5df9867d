import AudioTypes
import Diagnostics
public import PatchSyntax

/// What came of a job: a line of the records, and of what `batch run` prints.
public struct BatchRecord: Sendable {
  public enum Status: String, Sendable, CaseIterable {
    case done, failed
  }

  /// A file that was written.
  public struct Output: Sendable, Hashable {
    public var place: String
    /// Below the folder of the batch.
    public var path: String
    public var bytes: Int
    /// 64 hexadecimal digits.
    public var sha256: String
    /// The archive that it is in, and where; `nil` for a file of its own.
    public var archive: String?
    public var offset: Int?
  }

  public var id: String
  /// The number of its line in the manifest, from 1.
  public var line: Int
  public var status: Status
  /// Of the job as it is written, with what it reads.
  var job: Digest
  /// Of its key and the names of its outputs.
  var placed: Digest
  /// What decides about the bytes: 64 hexadecimal digits, empty where the job was not as far as that.
  public var key: String
  public var patch = ""
  public var outputs: [Output] = []
  /// Files that it has read beside its patch and its inputs, and their digests.
  var reads: [(path: String, digest: String)] = []
  public var diagnostics: [JobFault] = []
  /// How long it took.
  public var seconds = 0.0
  public var frames = 0
  public var sampleRate = 0.0
  /// In LUFS, integrated; `nil` where it cannot be measured.
  public var loudness: Double?
  /// In dBFS; `nil` for silence.
  public var peak: Double?
  /// More members: what was measured, what was made of the level, what taps have read.
  public var more: [JSONText.Member] = []
  /// Where in its archive what belongs to the job ends.
  var archiveEnd: Int?
  /// What made it.
  public var version = ""
  public var kernel = ""
  /// The text of the line as it was written down; of one that was read.
  public var written: JSONText?

  init(id: String, line: Int, status: Status, job: Digest, placed: Digest, key: String) {
    self.id = id
    self.line = line
    self.status = status
    self.job = job
    self.placed = placed
    self.key = key
  }

  /// With the members that tables need in front.
  public var json: JSONText {
    if let written { return written }
    var members: [JSONText.Member] = [
      .init("job", .string(job.description)), .init("placed", .string(placed.description)),
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

  /// The same for whoever reads the sound, without what only the books need.
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

  /// Reads a line of the records; `nil` where it is none.
  init?(line bytes: [UInt8]) {
    let reading = JSONReader.read(SourceText(name: "record", bytes: bytes), dialect: .json)
    guard !reading.hasErrors, let json = reading.tree?.root, json.kind == .object,
      let job = json["job"]?.string.flatMap({ Digest($0.utf8) }),
      let placed = json["placed"]?.string.flatMap({ Digest($0.utf8) }),
      let status = json["status"]?.string.flatMap(Status.init)
    else { return nil }
    self.init(
      id: json["id"]?.string ?? "", line: json["line"]?.integer ?? 0, status: status, job: job,
      placed: placed, key: json["key"]?.string ?? "")
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
