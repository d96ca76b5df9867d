import AudioTypes
import Foundation
import PatchSyntax
import SoundFiles
import TestSupport

@testable import Batches

/// A temporary folder with a patch that plays a file.
///
/// `@unchecked Sendable`: all members are constants.
final class BatchFolder: TemporaryFolder, @unchecked Sendable {
  init() throws {
    try super.init(["mix.json": Self.patch])
    try sound("in.wav")
  }

  static let patch = """
    {
      "title": "A file, softer",
      "constants": { "level": "-6 dB" },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": {
        "music": { "kind": "file", "path": "in.wav" },
        "tone": { "kind": "tone", "frequency": 440, "amplitude": 0.1 }
      },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputCount": 2,
          "inputs": { "0": { "parameters": { "volume": "$level", "pan": 0.25 } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "music", "to": "mixer:0" },
        { "from": "tone", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """

  /// Writes a stereo tone of 0.05 s in 16 bits.
  func sound(_ name: String, frequency: Double = 330) throws {
    try FileManager.default.createDirectory(
      at: url.appendingPathComponent(name).deletingLastPathComponent(),
      withIntermediateDirectories: true)
    let writer = try SoundFileWriter(
      path: path(name), format: StreamFormat(.float32, channels: 2, sampleRate: 44100),
      sampleType: .int16)
    let samples = (0..<2205).flatMap { frame in
      let value = Float(0.5 * sin(Double(frame) * frequency * 2 * .pi / 44100))
      return [value, value]
    }
    try writer.write(samples, frameCount: 2205)
    try writer.close()
  }

  var context: BatchContext {
    BatchContext(
      manifestFolder: url.path, outputFolder: path("out"), version: "1", kernel: "baseline")
  }

  static let line = #"{"id":"1","patch":"mix.json","duration":0.1,"output":"1.wav"}"#

  /// The key of a job, computed without a cache.
  func key(_ line: String = line, _ context: BatchContext? = nil) throws -> String {
    try prepared(line, context).key.digest.description
  }

  func prepared(
    _ line: String, _ context: BatchContext? = nil,
    _ cache: PatchCache = PatchCache(limits: .standard)
  ) throws -> (job: PreparedJob, key: PreparedJob.Key) {
    let context = context ?? self.context
    let text = Array(line.utf8)
    let job = try PreparedJob(
      try JobReader.job(line: text), text: text, line: 1, context: context, cache, FileDigests())
    if let known = try job.knownKey() { return (job, known) }
    let built = try job.build { context.outputPath($0.path) }
    return (job, try job.key(built))
  }

  /// Runs a manifest.
  @discardableResult
  func run(
    _ manifest: String, jobs: Int = 2, mostSamples: Int = 1 << 26, archiveLimit: Int? = nil,
    retries: Bool = false,
    _ selection: LineSelection = LineSelection()
  ) throws -> BatchRunner.Summary {
    let store = try RecordStore(folder: path("out"))
    try store.load()
    var options = BatchRunner.Options()
    options.jobs = jobs
    options.archiveLimit = archiveLimit
    options.retries = retries
    options.mostSamples = mostSamples
    return try BatchRunner(
      try ManifestReader(path(manifest), selection), in: context, store, options,
      isCancelled: { false }, report: { _, _ in }
    ).run()
  }

  func records() throws -> [BatchRecord] {
    let store = try RecordStore(folder: path("out"))
    var records: [BatchRecord] = []
    try store.readAll { records.append($0) }
    return records
  }
}
