import Foundation
import TestSupport
import Testing

/// `patchrun batch` as a process that is killed, that races others, and that fails.
struct BatchCommandTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "noise": { "kind": "noise", "seed": 1, "amplitude": 0.2 } },
        "nodes": {
          "mixer": {
            "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "noise", "to": "mixer" }, { "from": "mixer", "to": "io" } ]
      }
      """, to: "mix.json")
  }

  /// Writes a manifest of `count` jobs, each with its own seed.
  private func plan(_ count: Int, duration: Double = 0.05, _ more: String...) throws {
    let seeds = "[" + (1...count).map(String.init).joined(separator: ",") + "]"
    let plan = try place.start(
      [
        "batch", "plan", "mix.json", "--duration", "\(duration)", "--output", "s/{id}.flac",
        "--set",
        "/callbacks/noise/seed=" + seeds,
      ] + more
    ).wait()
    #expect(plan.status == 0, "\(plan.errors)")
    try place.write(plan.output, to: "jobs.jsonl")
  }

  private func outputs(_ folder: String) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: place.path(folder + "/s")) {
      found[name] = try place.bytes(folder + "/s/" + name)
    }
    return found
  }

  private func recordedIDs(_ folder: String) throws -> [String] {
    try recorded("id", in: folder)
  }

  /// A member of each record that has it, in the order of the records.
  private func recorded<Value>(_ member: String, in folder: String) throws -> [Value] {
    let records = place.path(folder + "/records")
    return try FileManager.default.contentsOfDirectory(atPath: records)
      .filter { $0.hasSuffix(".jsonl") }.flatMap { name in
        try String(contentsOfFile: records + "/" + name, encoding: .utf8)
          .split(separator: "\n").compactMap { line in
            let json = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return json?[member] as? Value
          }
      }
  }

  /// Waits until `out` has `count` records, for at most 10 s.
  private func waitForRecords(_ count: Int) {
    for _ in 0..<5000 {
      if let ids = try? recordedIDs("out"), ids.count >= count { return }
      usleep(2000)
    }
  }

  /// Kills the run a number of times; the last run completes.
  @Test func `killed at random moments and run again, a batch is what it would have been`() throws {
    let kills = Int(ProcessInfo.processInfo.environment["PATCHRUN_BATCH_KILLS"] ?? "") ?? 6
    let count = 15 * kills
    try plan(count)
    #expect(try place.run("batch", "run", "jobs.jsonl", "--out", "whole").status == 0)
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<kills {
      let run = try place.start(["batch", "run", "jobs.jsonl", "--out", "out", "--jobs", "2"])
      usleep(UInt32.random(in: 20_000...400_000, using: &numbers))
      run.process.signal(SIGKILL)
      _ = run.process.wait()
    }
    let last = try place.run("batch", "run", "jobs.jsonl", "--out", "out", "--jobs", "2")
    #expect(last.status == 0, "\(last.errors)")
    // There are no other files, and their bytes are the same.
    #expect(try outputs("out") == (try outputs("whole")))
    let ids = try recordedIDs("out")
    #expect(Set(ids).count == count)
    // Only the jobs that were in progress when the workers were killed are done twice.
    #expect(ids.count <= count + 2 * kills)
    #expect(try place.run("batch", "verify", "out").status == 0)
    #expect(try place.run("batch", "status", "out", "jobs.jsonl").status == 0)
  }

  @Test(arguments: [2, 5, 8])
  func `processes that race on one manifest render each job once`(count: Int) throws {
    try plan(40)
    let runs = try (0..<count).map { _ in
      try place.start(["batch", "run", "jobs.jsonl", "--out", "out", "--jobs", "1"])
    }
    for run in runs { #expect(try run.wait().status == 0) }
    let ids = try recordedIDs("out")
    #expect(ids.count == 40 && Set(ids).count == 40)
    #expect(try outputs("out").count == 40)
    #expect(try place.run("batch", "verify", "out").status == 0)
  }

  @Test func `parts by two processes are all of it`() throws {
    try plan(11)
    for part in ["1/3", "2/3", "3/3"] {
      let run = try place.run(
        "batch", "run", "jobs.jsonl", "--out", "out", "--shard", part, "--json")
      #expect(run.status == 0)
      #expect((3...4).contains(run.output.split(separator: "\n").count))
    }
    #expect(try recordedIDs("out").count == 11)
    let status = try place.run("batch", "status", "out", "jobs.jsonl", "--json")
    #expect(status.status == 0 && status.output.contains("\"missing\": 0"))
  }

  @Test(arguments: [
    (
      ["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_COUNT": "4"],
      "auto", 3
    ),
    (["JOB_COMPLETION_INDEX": "2"], "auto/4", 3), (["HQ_TASK_ID": "3"], "auto/4", 3),
  ])
  func `an engine says which part it is`(variables: [String: String], shard: String, line: Int)
    throws
  {
    try plan(4)
    place.environment.merge(variables) { _, given in given }
    let run = try place.run(
      "batch", "run", "jobs.jsonl", "--out", "out", "--shard", shard, "--json")
    #expect(
      run.status == 0 && run.output.contains("\"line\":\(line),"), "\(run.output)\(run.errors)")
    #expect(run.output.split(separator: "\n").count == 1)
  }

  @Test func `a disk that is full fails jobs, and what was there stays; retry does them`() throws {
    try plan(6, duration: 2)
    let run = try place.shell(
      "ulimit -f 400; exec \"$PATCHRUN\" batch run jobs.jsonl --out out --jobs 1"
    ).wait()
    #expect(run.status == 1 && run.errors.contains("PR1204"), "\(run.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: place.path("out/s"))
    #expect(left.isEmpty, "\(left)")
    let again = try place.run("batch", "run", "jobs.jsonl", "--out", "out")
    #expect(again.status == 1 && again.errors.contains("batch retry"))
    #expect(
      try place.run("batch", "run", "jobs.jsonl", "--out", "out", "--allow-failures").status == 0)
    let retried = try place.run("batch", "retry", "jobs.jsonl", "--out", "out")
    #expect(retried.status == 0, "\(retried.errors)")
    #expect(try place.run("batch", "run", "jobs.jsonl", "--out", "out").status == 0)
  }

  @Test func `an interrupted batch ends with 130, leaves nothing half done and goes on`() throws {
    try plan(400)
    let run = try place.start(["batch", "run", "jobs.jsonl", "--out", "out", "--jobs", "2"])
    waitForRecords(3)
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 130)
    #expect(try outputs("out").keys.allSatisfy { !$0.contains("unfinished") })
    #expect(Set(try recordedIDs("out")).count == (try outputs("out").count))
    #expect(try place.run("batch", "run", "jobs.jsonl", "--out", "out").status == 0)
    #expect(try recordedIDs("out").count == 400)
  }

  /// A run that was killed has its archive cut behind the last job with a record: one without may not lie before it.
  @Test func `records are in the order of the archive`() throws {
    try plan(600)
    let run = try place.run(
      "batch", "run", "jobs.jsonl", "--out", "out", "--jobs", "8", "--pack", "tar=100M")
    #expect(run.status == 0, "\(run.errors)")
    let ends: [Int] = try recorded("archiveEnd", in: "out")
    #expect(ends.count == 600 && ends == ends.sorted())
  }

  @Test func `an archive of a run that was killed is whole after the next`() throws {
    try plan(150)
    let run = try place.start(
      ["batch", "run", "jobs.jsonl", "--out", "out", "--jobs", "2", "--pack", "tar=100M"])
    waitForRecords(6)
    run.process.signal(SIGKILL)
    _ = run.process.wait()
    let again = try place.run("batch", "run", "jobs.jsonl", "--out", "out", "--pack", "tar=100M")
    #expect(again.status == 0, "\(again.errors)")
    let count = try place.shell(
      "for archive in out/shards/*.tar; do tar tf $archive; done | grep -c flac"
    ).wait()
    #expect(Int(count.output.trimmingCharacters(in: .whitespacesAndNewlines)) == 150)
    let shards = try FileManager.default.contentsOfDirectory(atPath: place.path("out/shards"))
    #expect(shards.count == 2 && !shards.contains { $0.contains("unfinished") })
    #expect(try place.run("batch", "verify", "out", "jobs.jsonl", "--render", "2").status == 0)
  }

  /// Compares the loudness of outputs with the program's own measurement of the files.
  @Test func `what is normalized is as loud as it is to be, or as its peak lets it be`() throws {
    try place.write(
      """
      {
        "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 48000 },
        "callbacks": { "beat": { "kind": "impulse", "period": 24000, "amplitude": 0.5 } },
        "nodes": {
          "mixer": {
            "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "beat", "to": "mixer" }, { "from": "mixer", "to": "io" } ]
      }
      """, to: "beat.json")
    var lines: [String] = []
    for duration in [0.45, 1.0, 3.5] {
      lines.append(
        #"{"id":"n\#(duration)","patch":"mix.json","duration":\#(duration),"output":"n\#(duration).flac","#
          + #""format":"int24","normalize":{"integratedLoudness":-23}}"#)
    }
    lines.append(
      #"{"id":"beat","patch":"beat.json","duration":3,"output":"beat.flac","#
        + #""normalize":{"integratedLoudness":-14,"truePeakAtMost":-1.5}}"#)
    lines.append(
      #"{"id":"short","patch":"mix.json","duration":0.3,"output":"short.wav","normalize":{"integratedLoudness":-16}}"#
    )
    try place.write(lines.joined(separator: "\n"), to: "jobs.jsonl")
    let run = try place.run("batch", "run", "jobs.jsonl", "--out", "out", "--json")
    #expect(run.status == 0, "\(run.errors)")
    func measured(_ name: String) throws -> [String: Any] {
      let outcome = try place.run("measure", "out/" + name, "--json")
      let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      return try #require(json as? [String: Any])
    }
    for duration in [0.45, 1.0, 3.5] {
      let loudness = try #require(
        try measured("n\(duration).flac")["integratedLoudness"] as? Double)
      #expect(abs(loudness + 23) <= 0.1, "\(duration): \(loudness)")
    }
    let peaks = try #require(try measured("beat.flac")["truePeak"] as? [Double])
    #expect(peaks.allSatisfy { $0 <= -1.5 && $0 > -1.6 }, "\(peaks)")
    #expect(run.output.contains("PR1207"))
    // A sound of 0.3 s is too short for the standard. It is measured repeated.
    #expect(run.output.contains("\"integratedLoudness\":-16,"))
  }

  @Test(arguments: [
    (["batch", "run", "jobs.jsonl"], 2, "--out"),
    (["batch", "run", "none.jsonl", "--out", "out"], 3, "none.jsonl"),
    (["batch", "run", "jobs.jsonl", "--out", "/proc/none"], 3, "cannot be made"),
    (["batch", "run", "jobs.jsonl", "--out", "out", "--shard", "3/2"], 2, "i-th of n"),
    (["batch", "run", "jobs.jsonl", "--out", "out", "--shard", "auto/2"], 2, "no engine"),
    (["batch", "run", "jobs.jsonl", "--out", "out", "--pack", "zip=1"], 2, "tar=SIZE"),
    (["batch", "status", "nowhere"], 3, "no records"),
    (["batch", "plan", "none.json", "--duration", "1"], 1, "PR1209"),
    (["batch", "verify", "out", "--render", "2"], 2, "manifest"),
    (["batch", "on", "slurn", "jobs.jsonl", "--out", "out"], 2, "slurn"),
    (["batch", "on", "slurm", "jobs.jsonl", "--out", "out", "--program", "none"], 3, "sbatch"),
  ])
  func `what keeps a batch from beginning has its exit status`(
    arguments: [String], status: Int32, words: String
  ) throws {
    try plan(2)
    place.environment["PATH"] = "/nowhere"
    let outcome = try place.start(arguments).wait()
    #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test func `what an engine is given names each part once`() throws {
    try plan(5)
    for engine in ["parallel", "hyperqueue", "slurm", "dask", "snakemake", "k8s"] {
      let outcome = try place.run(
        "batch", "on", engine, "jobs.jsonl", "--out", "a b", "--shards", "7", "--dry-run")
      #expect(outcome.status == 0 && outcome.errors.contains("would be submitted by"))
      #expect(outcome.output.contains("7") && outcome.output.contains("batch"))
      #expect(outcome.output.contains("a b"), "a folder with a blank is one word")
    }
    #expect(!place.exists("batch-slurm.sh"))
  }
}
