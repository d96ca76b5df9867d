import Foundation
import PatchSyntax
import SoundFiles
import SoundMeasures
import Synchronization
import TestSupport
import Testing

@testable import Batches

struct RunTests {
  /// A manifest of `count` jobs, each with another gain.
  static func manifest(_ count: Int, ending: String = "wav") -> String {
    (1...count).map { number in
      #"{"id":"\#(number)","patch":"mix.json","#
        + #""settings":{"/nodes/mixer/inputs/0/parameters/volume":0.\#(100 + number)},"#
        + #""duration":0.05,"output":"sub/\#(number).\#(ending)"}"#
    }.joined(separator: "\n")
  }

  /// The output of a shell command.
  private func shell(_ line: String) throws -> String {
    let output = "/tmp/patchrun-batch-\(UUID().uuidString.prefix(8)).txt"
    defer { try? FileManager.default.removeItem(atPath: output) }
    let child = try ChildProcess(
      "/bin/sh", ["-c", line], environment: ["PATH": "/usr/bin:/bin"], output: output)
    #expect(child.wait() == 0)
    return try String(contentsOfFile: output, encoding: .utf8)
  }

  private func hashes(_ folder: BatchFolder) throws -> [String: Digest] {
    var found: [String: Digest] = [:]
    let out = folder.path("out/sub")
    for name in try FileManager.default.contentsOfDirectory(atPath: out) {
      found[name] = Hashing.digest(try folder.bytes("out/sub/" + name))
    }
    return found
  }

  @Test func `each job is rendered once, and a second run does nothing`() throws {
    let folder = try BatchFolder()
    try folder.write(Self.manifest(20), to: "jobs.jsonl")
    #expect(try folder.run("jobs.jsonl").done == 20)
    let first = try hashes(folder)
    #expect(first.count == 20 && Set(first.values).count == 20)
    let again = try folder.run("jobs.jsonl")
    #expect(again.done == 0 && again.present == 20)
    #expect(try folder.records().count == 20)
  }

  @Test func `a second run does what is missing or different, and nothing else`() throws {
    let folder = try BatchFolder()
    try folder.write(Self.manifest(6), to: "jobs.jsonl")
    try folder.run("jobs.jsonl")
    let before = try hashes(folder)
    try FileManager.default.removeItem(atPath: folder.path("out/sub/3.wav"))
    try FileManager.default.removeItem(atPath: folder.path("out/sub/4.wav"))
    try Data([1, 2, 3]).write(to: folder.url.appendingPathComponent("out/sub/4.wav"))
    // The new file was not written by patchrun.
    let summary = try folder.run("jobs.jsonl")
    #expect(summary.done == 1 && summary.present == 4 && summary.failed == 1)
    try FileManager.default.removeItem(atPath: folder.path("out/sub/4.wav"))
    let mended = try folder.run("jobs.jsonl")
    #expect(mended.done == 1 && mended.present == 5)
    #expect(try hashes(folder) == before)
    try folder.write(BatchFolder.patch.replacingOccurrences(of: "440", with: "450"), to: "mix.json")
    #expect(try folder.run("jobs.jsonl").done == 6)
    let after = try hashes(folder)
    #expect(before.allSatisfy { after[$0.key] != $0.value } && after.count == 6)
    // A comment changes the text, but not the patch.
    try folder.write(
      BatchFolder.patch.replacingOccurrences(of: "440", with: "450")
        .replacingOccurrences(of: "\"title\"", with: "\"comment\": \"c\", \"title\""),
      to: "mix.json")
    let same = try folder.run("jobs.jsonl")
    #expect(same.done == 0 && same.present == 6)
  }

  @Test func `an input that changes has its jobs done again`() throws {
    let folder = try BatchFolder()
    try folder.write(Self.manifest(2), to: "jobs.jsonl")
    try folder.run("jobs.jsonl")
    try folder.sound("in.wav", frequency: 500)
    #expect(try folder.run("jobs.jsonl").done == 2)
    #expect(try folder.run("jobs.jsonl").present == 2)
  }

  @Test func `a job that fails is a record with the reason, and the others go on`() throws {
    let folder = try BatchFolder()
    try folder.write("{ \"nodes\": ", to: "broken.json")
    try folder.write(
      BatchFolder.patch.replacingOccurrences(of: "in.wav", with: "gone.wav"), to: "lost.json")
    try folder.write(
      #"""
      {"id":"1","patch":"mix.json","duration":0.05,"output":"1.wav"}
      {"id":"2","patch":"none.json","duration":0.05,"output":"2.wav"}
      {"id":"3","patch":"broken.json","duration":0.05,"output":"3.wav"}
      {"id":"4","patch":"mix.json","output":"4.wav"}
      {"id":"5","patch":"mix.json","duration":0.05,"output":"5.xyz"}
      {"id":"6","patch":"mix.json","duration":0.05,"settings":{"/nodes/no/x":1},"output":"6.wav"}
      {"id":"7","patch":"mix.json","duration":0.05,"inputs":{"/callbacks/music/path":"no.wav"},"output":"7.wav"}
      {"id":"8","patch":"mix.json","duration":0.05,"output":"1.wav"}
      {"id":"1","patch":"mix.json","duration":0.05,"output":"9.wav"}
      {"id":"10"
      {"id":"11","patch":"mix.json","duration":0.05,"output":{"nod":"11.wav"}}
      {"id":"12","patch":"lost.json","duration":0.05,"output":"12.wav"}
      {"id":"13","patch":"mix.json","duration":0.05,"inputs":{"microphone":"in.wav"},"output":"13.wav"}
      {"id":"14","patch":"mix.json","duration":0.05,"output":"14.wav"}
      """#, to: "jobs.jsonl")
    let summary = try folder.run("jobs.jsonl", jobs: 1)
    #expect(summary.done == 2 && summary.failed == 12, "\(summary)")
    let codes = Dictionary(
      try folder.records().filter { $0.status == .failed }.map {
        ($0.line, $0.diagnostics.first?.code ?? "")
      }, uniquingKeysWith: { first, _ in first })
    #expect(
      codes == [
        2: "PR1202", 3: "PR1202", 4: "PR1206", 5: "PR1204", 6: "PR1205", 7: "PR1203", 8: "PR1208",
        9: "PR1208", 10: "PR1201", 11: "PR1204", 12: "PR1202", 13: "PR1203",
      ])
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
    #expect(Set(files) == ["1.wav", "14.wav", "records"])
    let again = try folder.run("jobs.jsonl", jobs: 1)
    #expect(again.present == 2 && again.failedBefore == 12 && again.failed == 0)
    try folder.sound("no.wav")
    try folder.sound("gone.wav")
    let mended = try folder.run("jobs.jsonl", jobs: 1)
    #expect(mended.done == 1 && mended.failedBefore == 11)
    let retried = try folder.run("jobs.jsonl", jobs: 1, retries: true)
    #expect(retried.done == 1 && retried.failed == 10, "\(retried)")
  }

  @Test func `buses and recordings are outputs, too`() throws {
    let folder = try BatchFolder()
    let tapped =
      BatchFolder.patch.dropLast(1)
      + ", \"taps\": { \"take\": { \"kind\": \"record\", \"at\": \"mixer\", \"path\": \"take.wav\" },"
      + " \"meter\": { \"kind\": \"meter\", \"at\": \"mixer\" } } }"
    try folder.write(String(tapped), to: "mix.json")
    try folder.write(
      #"{"id":"1","patch":"mix.json","duration":0.05,"output":{"device":"a.wav","mixer":"b.wav","#
        + #""/taps/take/path":"c.wav"},"measure":["truePeak","rms","clicks"]}"# + "\n"
        + #"{"id":"2","patch":"mix.json","duration":0.05,"output":"d.wav"}"#, to: "jobs.jsonl")
    #expect(try folder.run("jobs.jsonl", jobs: 1).done == 2)
    // A recording that is not an output of the job is not written.
    #expect(!FileManager.default.fileExists(atPath: folder.path("take.wav")))
    let sounds = try ["a", "b", "c", "d"].map { name in
      let reader = try SoundFileReader(path: folder.path("out/\(name).wav"))
      var samples = [Float](repeating: 0, count: reader.frameCount * reader.channelCount)
      _ = try reader.read(into: &samples)
      return samples
    }
    #expect(sounds[0].count == 4410 && sounds.allSatisfy { $0 == sounds[0] })
    let record = try #require(try folder.records().first { $0.id == "1" })
    let json = record.json
    #expect(record.outputs.map(\.path) == ["a.wav", "b.wav", "c.wav"])
    #expect(json.compact.contains("\"measured\":{\"truePeak\":["))
    #expect(json.compact.contains("\"taps\":{\"meter\":"))
    #expect(try folder.run("jobs.jsonl").present == 2)
  }

  @Test func `the outputs are what their records say, and a byte that is not is found`() throws {
    let folder = try BatchFolder()
    try folder.write(Self.manifest(5), to: "jobs.jsonl")
    try folder.run("jobs.jsonl")
    let store = try RecordStore(folder: folder.path("out"))
    func verify() throws -> BatchVerification {
      try BatchVerification(store) { count, body in (0..<count).map(body) }
    }
    #expect(try verify().findings.isEmpty)
    #expect(try verify().outputs == 5)
    var bytes = try folder.bytes("out/sub/2.wav")
    bytes[bytes.count - 1] ^= 1
    try Data(bytes).write(to: folder.url.appendingPathComponent("out/sub/2.wav"))
    try FileManager.default.removeItem(atPath: folder.path("out/sub/4.wav"))
    let findings = try verify().findings
    #expect(findings.map(\.path).sorted() == ["sub/2.wav", "sub/4.wav"])
    let sample = try BatchSample(
      of: 5, manifest: folder.path("jobs.jsonl"), in: folder.context, store)
    #expect(sample.rendered == 5 && sample.findings.isEmpty)
    try folder.sound("in.wav", frequency: 900)
    let other = try BatchSample(
      of: 2, manifest: folder.path("jobs.jsonl"), in: folder.context, store)
    #expect(other.rendered == 2 && other.findings.count == 2)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/records"))
    #expect(!left.contains { $0.contains("sample") })
  }

  /// The sound is longer than several windows of the peak search.
  @Test func `a sound that is too long for memory is normalized as a short one is`() throws {
    let folder = try BatchFolder()
    func line(_ id: String, peak: Double) -> String {
      #"{"id":"\#(id)","patch":"mix.json","duration":14,"output":"\#(id).wav","format":"float32","#
        + #""normalize":{"integratedLoudness":-30,"truePeakAtMost":\#(peak)}}"#
    }
    try folder.write(line("a", peak: 0) + "\n" + line("b", peak: -20), to: "short.jsonl")
    try folder.write(line("c", peak: 0) + "\n" + line("d", peak: -20), to: "long.jsonl")
    #expect(try folder.run("short.jsonl").done == 2)
    #expect(try folder.run("long.jsonl", mostSamples: 1000).done == 2)
    for (short, long) in [("a", "c"), ("b", "d")] {
      let sounds = try [short, long].map { name in
        let reader = try SoundFileReader(path: folder.path("out/\(name).wav"))
        var samples = [Float](repeating: 0, count: reader.frameCount * 2)
        var all: [Float] = []
        while case let count = try reader.read(into: &samples), count > 0 {
          all += samples[..<(2 * count)]
        }
        return all
      }
      #expect(sounds[0].count == sounds[1].count && sounds[0].count == 14 * 44_100 * 2)
      let largest = zip(sounds[0], sounds[1]).map { ($0 - $1).magnitude }.max() ?? 1
      #expect(largest < 1e-5, "\(short): \(largest)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
    #expect(Set(names) == ["a.wav", "b.wav", "c.wav", "d.wav", "records"])
  }

  // MARK: Records

  @Test func `a record that is torn is passed over, and its job done again`() throws {
    let folder = try BatchFolder()
    try folder.write(Self.manifest(4), to: "jobs.jsonl")
    try folder.run("jobs.jsonl")
    let records = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/records"))
      .filter { $0.hasSuffix(".jsonl") }
    let name = "out/records/" + (try #require(records.first))
    let text = String(decoding: try folder.bytes(name), as: UTF8.self)
    let bytes = Array((text.split(separator: "\n").prefix(4).joined(separator: "\n") + "\n").utf8)
    for cut in [1, 40, 200] {
      try Data(bytes.dropLast(cut)).write(to: folder.url.appendingPathComponent(name))
      let store = try RecordStore(folder: folder.path("out"))
      try store.load()
      #expect(try folder.records().count == 3)
    }
    let status = try BatchStatus(
      try RecordStore(folder: folder.path("out")),
      manifest: try ManifestReader(folder.path("jobs.jsonl")))
    #expect(status.done == 3 && status.missing == 1)
  }

  @Test func `what the manifest no longer has is not counted`() throws {
    let folder = try BatchFolder()
    try folder.write(
      Self.manifest(5) + "\n" + #"{"id":"bad","patch":"none.json","output":"a.wav"}"#,
      to: "old.jsonl")
    #expect(try folder.run("old.jsonl").done == 5)
    try folder.write(Self.manifest(3), to: "jobs.jsonl")
    let store = try RecordStore(folder: folder.path("out"))
    let all = try BatchStatus(store, manifest: nil)
    #expect(all.done == 5 && all.failed == 1 && all.missing == nil)
    let now = try BatchStatus(store, manifest: try ManifestReader(folder.path("jobs.jsonl")))
    #expect(now.done == 3 && now.failed == 0 && now.missing == 0 && now.examples.isEmpty)
  }

  /// Damage by a power failure is noticed if the file was not known to be on the disk.
  @Test func `what was not yet on the disk is looked at byte by byte`() throws {
    let folder = try BatchFolder()
    try folder.write(Self.manifest(4), to: "jobs.jsonl")
    try folder.run("jobs.jsonl")
    let before = try hashes(folder)
    func spoil() throws {
      let url = folder.url.appendingPathComponent("out/sub/2.wav")
      let file = try FileHandle(forWritingTo: url)
      try file.seek(toOffset: 1000)
      try file.write(contentsOf: Data([0, 0, 0, 0, 0, 0, 0, 0]))
      try file.close()
    }
    // The size is the same, and files that are known to be on the disk are checked by size only.
    try spoil()
    #expect(try folder.run("jobs.jsonl").present == 4)
    let records = folder.url.appendingPathComponent("out/records")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: records.path)
        .first { $0.hasSuffix(".jsonl") })
    let lines = try String(contentsOf: records.appendingPathComponent(name), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    #expect(lines.last == "{\"synchronized\":[4]}")
    for sure in [4, 3, 0] {
      let kept = lines.prefix(4) + (sure > 0 ? ["{\"synchronized\":[\(sure)]}"] : [])
      try Data((kept.joined(separator: "\n") + "\n").utf8).write(
        to: records.appendingPathComponent(name))
      let line = try #require(lines.firstIndex { $0.contains("\"id\":\"2\"") })
      let summary = try folder.run("jobs.jsonl")
      #expect(summary.done == (line < sure ? 0 : 1), "\(sure) sure, record \(line)")
      guard summary.done == 0 else { break }
    }
    #expect(try hashes(folder) == before)
  }

  @Test func `a table of records finds what is in it and nothing else`() {
    func digest(_ number: Int) -> ShortDigest {
      Hashing.digest(Array("\(number)".utf8)).short
    }
    var table = RecordTable()
    for number in 0..<1000 {
      table.add(
        RecordEntry(
          job: digest(number), outputKey: digest(-1 - number), sizes: UInt64(number), reads: 0,
          isDone: number % 3 != 0))
    }
    table.sort()
    for number in 1000..<1100 {
      table.addFresh(
        RecordEntry(
          job: digest(number), outputKey: digest(-1 - number), sizes: UInt64(number), reads: 0,
          isDone: true))
    }
    // Marks them done later. A finished record stays finished.
    for number in [0, 1] {
      table.addFresh(
        RecordEntry(
          job: digest(number), outputKey: digest(-1 - number), sizes: 5, reads: 0,
          isDone: number == 0))
    }
    for number in 2..<1100 {
      #expect(table.entry(ofJob: digest(number))?.sizes == UInt64(number))
      #expect(table.entry(outputKey: digest(-1 - number))?.sizes == UInt64(number))
    }
    #expect(table.entry(ofJob: digest(0))?.isDone == true)
    #expect(table.entry(ofJob: digest(1))?.isDone == true)
    #expect(table.entry(ofJob: digest(5000)) == nil)
  }

  // MARK: Claims

  @Test func `a job that somebody has claimed is left to him, until he has gone`() throws {
    let folder = try BatchFolder()
    let store = try RecordStore(folder: folder.path("out"))
    let job = Hashing.digest([1])
    let other = Hashing.digest([2])
    var mine: JobClaims? = JobClaims(store)
    let yours = JobClaims(store)
    #expect(mine?.take(job) == true)
    #expect(!yours.take(job) && yours.take(other))
    mine = nil
    #expect(yours.take(job))
    yours.release(job)
    #expect(JobClaims(store).take(job))
  }

  @Test(arguments: [2, 4, 8])
  func `workers on one manifest do each job once`(workers: Int) throws {
    let folder = try BatchFolder()
    try folder.write(Self.manifest(60), to: "jobs.jsonl")
    let done = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      let summary = try? folder.run("jobs.jsonl", jobs: 1)
      done.withLock { $0 += summary?.done ?? -1000 }
    }
    #expect(done.withLock { $0 } == 60)
    #expect(try hashes(folder).count == 60)
    let records = try folder.records()
    #expect(Set(records.map(\.id)).count == 60)
  }

  // MARK: Archives

  @Test func `archives are read by tar, and by offsets`() throws {
    let folder = try BatchFolder()
    let long = String(repeating: "long/name.of.a/", count: 10)
    let manifest =
      Self.manifest(9) + "\n"
      + Self.manifest(1).replacingOccurrences(of: "\"id\":\"1\"", with: "\"id\":\"long\"")
      .replacingOccurrences(of: "sub/1.wav", with: long + "x.y.wav")
    try folder.write(manifest, to: "jobs.jsonl")
    #expect(try folder.run("jobs.jsonl", archiveLimit: 60_000).done == 10)
    let shards = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/shards"))
    #expect(shards.count > 1 && shards.allSatisfy { $0.hasSuffix(".tar") && !$0.contains("unf") })
    var names: [String] = []
    for shard in shards {
      let listing = try shell(
        "cd \(folder.path("out/shards")) && tar xvf \(shard)")
      names += listing.split(separator: "\n").map(String.init)
    }
    #expect(names.count == 20 && Set(names).count == 20)
    #expect(names.contains(long + "x_y.wav") && names.contains(long + "x_y.json"))
    for record in try folder.records() {
      let output = record.outputs[0]
      let archive = try folder.bytes("out/" + (try #require(output.archive)))
      let start = try #require(output.offset)
      let inside = Array(archive[start..<start + output.bytes])
      let name = TarShards.name(of: output.path)
      #expect(inside == (try folder.bytes("out/shards/" + name)))
      #expect(Hashing.digest(inside).description == output.sha256)
    }
    #expect(try folder.run("jobs.jsonl", archiveLimit: 60_000).present == 10)
    let store = try RecordStore(folder: folder.path("out"))
    let verification = try BatchVerification(store) { count, body in (0..<count).map(body) }
    #expect(verification.findings.isEmpty && verification.outputs == 10)
  }

  @Test func `an archive that was cut off is finished by the next run`() throws {
    let folder = try BatchFolder()
    try folder.write(Self.manifest(5), to: "jobs.jsonl")
    try folder.run("jobs.jsonl", archiveLimit: 1 << 30)
    let shards = folder.path("out/shards") + "/"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: shards).first)
    // The state after a process was killed while adding a member: half a member and no end mark.
    var bytes = try folder.bytes("out/shards/" + name).dropLast(1024)
    bytes += TarShards.header("half.wav", size: 100_000) + [1, 2, 3]
    let unfinished = name.replacingOccurrences(of: ".tar", with: ".unfinished.tar")
    try Data(bytes).write(to: URL(fileURLWithPath: shards + unfinished))
    try FileManager.default.removeItem(atPath: shards + name)
    #expect(try folder.run("jobs.jsonl", archiveLimit: 1 << 30).present == 5)
    let listing = try shell("tar tf \(shards + name)")
    #expect(listing.split(separator: "\n").count == 10)
    #expect(try FileManager.default.contentsOfDirectory(atPath: shards) == [name])
  }
}
