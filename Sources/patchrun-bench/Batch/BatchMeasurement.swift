import AudioTypes
import Foundation
import SoundFiles
import SoundMeasures

/// Measures batches: the cost of a job, the speed of many, correctness after kills and races, and
/// the accuracy of normalization. Prints a table:
///
///     swift run -c release patchrun-bench batch
///
/// `--full` runs as many jobs as the published figures, for three quarters of an hour.
/// `Tests/Engines/run` tests the engines, and `KeyTests` the keys.
struct BatchMeasurement: OptionMeasurement {
  static let usage =
    "batch [--full] [ROW…]     many renders: cost, speed, kills, races, plans, loudness"

  private let isFull: Bool
  private let rows: [String]
  private let folder = "/tmp/patchrun-bench-batch-\(getpid())"
  private static let names = ["cost", "renders", "kills", "races", "plan", "scan", "loudness"]

  init?(_ arguments: [String]) {
    isFull = arguments.contains("--full")
    rows = arguments.filter { $0 != "--full" }
    guard rows.allSatisfy(Self.names.contains) else { return nil }
  }

  private func has(_ row: String) -> Bool { rows.isEmpty || rows.contains(row) }

  func run() -> Bool {
    guard MeasuredProgram.path != nil else {
      print("patchrun has not been built beside this program")
      return false
    }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try write(Self.patch, "mix.json")
      try writeSound()
      var isGood = true
      if has("cost") { try cost() }
      if has("renders") { try renders() }
      if has("kills") { isGood = try kills() && isGood }
      if has("races") { isGood = try races() && isGood }
      if has("plan") { try plan() }
      if has("scan") { try scan() }
      if has("loudness") { isGood = try loudness() && isGood }
      return isGood
    } catch {
      print("the measurement cannot be made: \(error)")
      return false
    }
  }

  private struct Failure: Error {
    var what: String
  }

  // MARK: Patches and manifests

  /// A file through an equalizer of ten bands and a mixer.
  private static let patch = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "file": { "kind": "file", "path": "in.wav" } },
      "nodes": {
        "eq": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
        },
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 },
          "outputs": { "0": { "parameters": { "volume": 1 } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "file", "to": "eq" }, { "from": "eq", "to": "mixer" }, { "from": "mixer", "to": "io" }
      ]
    }
    """

  /// Writes a second of noise with 16 bits.
  private func writeSound() throws {
    try write(noise(frames: 44_100, seed: 1, amplitude: 0.3), "in.wav", rate: 44_100)
  }

  private func noise(frames: Int, seed: UInt32, amplitude: Float) -> [Float] {
    var word = seed &* 747_796_405 &+ 1
    var last: Float = 0
    return (0..<2 * frames).map { _ in
      word = word &* 1_664_525 &+ 1_013_904_223
      last += 0.3 * ((Float(word >> 8) / Float(1 << 23) - 1) - last)
      return amplitude * last
    }
  }

  private func write(_ samples: [Float], _ name: String, rate: Double) throws {
    let writer = try SoundFileWriter(
      path: folder + "/" + name,
      format: .init(.float32, channels: 2, sampleRate: rate), sampleType: .int16)
    try writer.write(samples, frameCount: samples.count / 2)
    try writer.close()
  }

  private func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
  }

  /// Writes a manifest of jobs that differ in a gain.
  private func manifest(_ count: Int, duration: Double, output: String?, _ name: String) throws {
    _ = FileManager.default.createFile(atPath: folder + "/" + name, contents: nil)
    guard let file = FileHandle(forWritingAtPath: folder + "/" + name) else {
      throw Failure(what: name)
    }
    var text = ""
    for number in 1...count {
      text +=
        #"{"id":"\#(number)","patch":"mix.json","settings":{"/nodes/mixer/outputs/0/parameters/volume":"#
        + #"\#(Double(number) / Double(2 * count))},"duration":\#(duration)"#
      if let output { text += #","output":"s/\#(number).\#(output)""# }
      text += "}\n"
      if text.utf8.count > 1 << 20 {
        try file.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private func batch(_ arguments: String...) -> MeasuredProgram? {
    MeasuredProgram(["batch"] + arguments + ["--quiet"])
  }

  private func runBatch(_ manifest: String, _ out: String, jobs: Int = 2) throws
    -> MeasuredProgram.Cost
  {
    guard
      let cost = batch(
        "run", folder + "/" + manifest, "--out", folder + "/" + out, "--jobs", "\(jobs)")?.wait(),
      cost.status == 0
    else { throw Failure(what: "batch run") }
    return cost
  }

  /// The ids of all records.
  private func recorded(_ out: String) throws -> [String] {
    let records = folder + "/" + out + "/records"
    var ids: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: records)
    where name.hasSuffix(".jsonl") {
      for line in try String(contentsOfFile: records + "/" + name, encoding: .utf8).split(
        separator: "\n")
      {
        if let start = line.range(of: "\"id\":\"")?.upperBound,
          let end = line[start...].firstIndex(of: "\"")
        {
          ids.append(String(line[start..<end]))
        }
      }
    }
    return ids
  }

  /// Whether two output folders have the same files with the same bytes.
  private func same(_ one: String, _ other: String) throws -> Bool {
    let files = FileManager.default
    let names = try files.contentsOfDirectory(atPath: folder + "/" + one + "/s").sorted()
    guard names == (try files.contentsOfDirectory(atPath: folder + "/" + other + "/s").sorted())
    else {
      return false
    }
    return names.allSatisfy {
      files.contentsEqual(
        atPath: folder + "/" + one + "/s/" + $0, andPath: folder + "/" + other + "/s/" + $0)
    }
  }

  // MARK: Rows

  private func row(_ what: String, _ figure: String) {
    print("| \(what) | \(figure) |")
  }

  private func cost() throws {
    let count = isFull ? 10_000 : 1000
    try manifest(count, duration: 0.0005, output: "wav", "short.jsonl")
    let cost = try runBatch("short.jsonl", "short", jobs: 1)
    row(
      "a job in one process, its sound 0.5 ms long (\(count) jobs, one thread)",
      "\(fixed(cost.wall * 1000 / Double(count), 2)) ms, "
        + "\(fixed(cost.processor * 1000 / Double(count), 2)) ms of a processor")
  }

  private func renders() throws {
    let count = isFull ? 10_000 : 200
    try manifest(count, duration: 1, output: "flac", "renders.jsonl")
    let cost = try runBatch("renders.jsonl", "renders")
    row(
      "\(count) renders of 1 s (file, equalizer, mixer, FLAC) on two threads",
      "\(fixed(cost.wall, 1)) s, \(fixed(cost.memory, 0)) MB")
    let again = try runBatch("renders.jsonl", "renders")
    row("the same again: nothing to do", "\(fixed(again.wall, 2)) s")
    guard MeasuredCommand.find("sox") != nil else { return }
    let bands = ["32", "64", "125", "250", "500", "1000", "2000", "4000", "8000", "16000"]
      .map { "equalizer \($0) 1.4q 3" }.joined(separator: " ")
    let line =
      "cd \(folder) && mkdir sox && seq \(count) | "
      + "xargs -P 2 -I{} sox -D in.wav -C 5 -b 24 sox/{}.flac gain -6 \(bands) gain -3"
    guard let sox = MeasuredProgram(["-c", line], program: "/bin/sh")?.wait(), sox.status == 0
    else {
      return
    }
    row("`xargs -P 2 sox`, ten equalizers and FLAC, the same file", "\(fixed(sox.wall, 1)) s")
  }

  private func kills() throws -> Bool {
    let kills = isFull ? 100 : 6
    let count = 25 * kills
    try manifest(count, duration: 0.5, output: "flac", "kills.jsonl")
    let alone = try runBatch("kills.jsonl", "undisturbed")
    let longest = max(0.05, 1.6 * alone.wall / Double(kills))
    for _ in 0..<kills {
      guard
        let run = batch(
          "run", folder + "/kills.jsonl", "--out", folder + "/killed", "--jobs", "2")
      else { throw Failure(what: "batch run") }
      usleep(UInt32(Double.random(in: 0.01...longest) * 1e6))
      run.kill()
      _ = run.wait()
    }
    _ = try runBatch("kills.jsonl", "killed")
    let isSame = try same("undisturbed", "killed")
    let twice = try recorded("killed").count - count
    row(
      "killed \(kills) times at random and run again: outputs; files half done; jobs recorded twice",
      "\(isSame ? "the same bytes; 0" : "OTHERS"); \(twice)")
    return isSame && twice <= 2 * kills
  }

  private func races() throws -> Bool {
    var isGood = true
    let count = isFull ? 2000 : 100
    try manifest(count, duration: 0.2, output: "flac", "races.jsonl")
    for workers in [2, 4, 8] {
      let runs = (0..<workers).compactMap { _ in
        batch("run", folder + "/races.jsonl", "--out", "\(folder)/race\(workers)", "--jobs", "1")
      }
      let statuses = runs.map { $0.wait().status }
      let records = try recorded("race\(workers)")
      let isOnce = records.count == count && Set(records).count == count
      isGood = isGood && isOnce && statuses.allSatisfy { $0 == 0 }
      row(
        "\(workers) processes on one manifest of \(count) jobs",
        isOnce ? "each job once" : "\(records.count) records")
    }
    return isGood
  }

  private func plan() throws {
    let count = isFull ? 1_000_000 : 20_000
    guard
      let cost = MeasuredProgram([
        "batch", "plan", folder + "/mix.json", "--draws", "\(count)", "--duration", "1", "--set",
        "/nodes/mixer/outputs/0/parameters/volume={\"uniform\":[0,1]}", "--quiet",
      ])?.wait(), cost.status == 0
    else { throw Failure(what: "batch plan") }
    row("a plan of \(count) lines", "\(fixed(cost.wall, 1)) s, \(fixed(cost.memory, 0)) MB")
  }

  /// The jobs write no files, so that a million of them need none.
  private func scan() throws {
    let count = isFull ? 1_000_000 : 2000
    try manifest(count, duration: 0.0005, output: nil, "scan.jsonl")
    _ = try runBatch("scan.jsonl", "scan")
    let cost = try runBatch("scan.jsonl", "scan")
    row(
      "\(count) lines with records looked through, nothing to do",
      "\(fixed(cost.wall, 1)) s, \(fixed(cost.memory, 0)) MB")
  }

  private func loudness() throws -> Bool {
    let count = isFull ? 1000 : 24
    var lines = ""
    try FileManager.default.createDirectory(
      atPath: folder + "/clips", withIntermediateDirectories: true)
    for number in 0..<count {
      // Durations from 0.3 s to 60 s, uniform in the logarithm. Every fifth sound has a click far
      // above the rest.
      let seconds = 0.3 * pow(200, Double(number) / Double(max(1, count - 1)))
      let frames = Int(seconds * 48_000)
      var samples = noise(
        frames: frames, seed: UInt32(number + 2), amplitude: 0.02 + 0.01 * Float(number % 30))
      if number % 5 == 0 {
        for channel in 0..<2 { samples[frames / 2 * 2 + channel] = 0.9 }
      }
      try write(samples, "clips/\(number).wav", rate: 48_000)
      lines +=
        #"{"id":"\#(number)","patch":"clip.json","inputs":{"/callbacks/file/path":"clips/\#(number).wav"},"#
        + #""output":"\#(number).flac","format":"int24","normalize":{"integratedLoudness":-16,"truePeakAtMost":-1}}"#
        + "\n"
    }
    try write(
      Self.patch.replacing("\"sampleRate\": 44100", with: "\"sampleRate\": 48000"), "clip.json")
    try write(lines, "clips.jsonl")
    let cost = try runBatch("clips.jsonl", "loud")
    var worst = 0.0
    var reached = 0
    var highest = -Double.infinity
    for number in 0..<count {
      let sound = try self.sound("loud/\(number).flac")
      let peak = sound.truePeak().map(\.value).max() ?? -.infinity
      highest = max(highest, peak)
      guard let loudness = sound.integratedLoudness() else { continue }
      // A sound whose peak is at the ceiling need not reach the loudness.
      if peak > -1.05, loudness < -16.1 { continue }
      reached += 1
      worst = max(worst, abs(loudness + 16))
    }
    row(
      "\(count) clips of 0.3 to 60 s brought to -16 LUFS and at most -1 dBTP: off the loudness, of the "
        + "\(reached) whose peak lets them; the highest true peak",
      "\(fixed(worst, 3)) LU; \(fixed(highest, 2)) dBTP (\(fixed(cost.wall, 1)) s)")
    return worst <= 0.1 && highest <= -1
  }

  private func sound(_ name: String) throws -> Sound {
    let reader = try SoundFileReader(path: folder + "/" + name)
    var samples = [Float](repeating: 0, count: reader.frameCount * reader.channelCount)
    var channels = [[Float]](repeating: [], count: reader.channelCount)
    while true {
      let count = try reader.read(into: &samples)
      if count == 0 { break }
      for frame in 0..<count {
        for channel in channels.indices {
          channels[channel].append(samples[frame * channels.count + channel])
        }
      }
    }
    return Sound(sampleRate: reader.sampleRate, channels: channels)
  }
}
