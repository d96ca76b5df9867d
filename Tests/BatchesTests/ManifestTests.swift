import Diagnostics
import Foundation
import PatchSyntax
import TestSupport
import Testing

@testable import Batches

struct ManifestTests {
  @Test(arguments: [
    (#"{"id":"1"}"#, "PR1201", "names no patch"), (#"{"patch":"a.json"}"#, "PR1201", "an id"),
    (#"[1]"#, "PR1201", "a line is an object"), (#"{"id":"1","#, "PR1201", "column"),
    (#"{"id":"1","patch":"a","durration":1}"#, "PR1201", "durration"),
    (#"{"id":"1","patch":"a","duration":-1}"#, "PR1201", "above 0"),
    (#"{"id":"1","patch":"a","duration":"1"}"#, "PR1201", "number"),
    (#"{"id":"1","patch":"a","id":"2"}"#, "PR1201", "two members"),
    (#"{"id":"1","patch":"a","output":"../a.wav"}"#, "PR1204", "leads out"),
    (#"{"id":"1","patch":"a","output":"/a.wav"}"#, "PR1204", "begins with"),
    (#"{"id":"1","patch":"a","output":"records/a.wav"}"#, "PR1204", "folder of the records"),
    (#"{"id":"1","patch":"a","output":{"a":"1.wav","b":"1.wav"}}"#, "PR1204", "one file"),
    (#"{"id":"1","patch":"a","settings":{"volume":1}}"#, "PR1205", "JSON Pointer"),
    (#"{"id":"1","patch":"a","inputs":{"mic":"a.wav"}}"#, "PR1205", "JSON Pointer"),
    (#"{"id":"1","patch":"a","format":"int17"}"#, "PR1201", "int17"),
    (#"{"id":"1","patch":"a","measure":["lowdness"]}"#, "PR1201", "lowdness"),
    (#"{"id":"1","patch":"a","normalize":{"integratedLoudness":-23}}"#, "PR1204", "normalizes"),
    (#"{"id":"1","patch":"a","normalize":{"integratedLoudness":3}}"#, "PR1201", "-70 to 0"),
  ])
  func `a line that is no job is refused, with its rule`(line: String, code: String, words: String)
  {
    let fault = #expect(throws: JobFault.self) { try JobReader.job(line: Array(line.utf8)) }
    #expect(fault?.code == code)
    #expect(fault?.message.contains(words) == true, "\(fault?.message ?? "")")
  }

  @Test func `a job is written as it is read`() throws {
    let line =
      #"{"id":"a/1","patch":"p.json","settings":{"/a/b":-3,"/c":"x"},"#
      + #""inputs":{"/callbacks/m/path":"1.wav","microphone":"2.wav"},"duration":1.5,"#
      + #""output":{"device":"a.flac","mixer:0":"b.wav"},"format":"int16","quality":0.5,"#
      + #""normalize":{"integratedLoudness":-23,"truePeakAtMost":-1},"measure":["rms","dc"]}"#
    let job = try JobReader.job(line: Array(line.utf8))
    #expect(job.json.compact == line)
    #expect(try JobReader.job(line: Array(job.json.compact.utf8)) == job)
  }

  @Test func `CSV and JSON lines say the same`() throws {
    let header = try CSVHeader(
      Array("id,patch,/nodes/a/b,input:microphone,output,duration,integratedLoudness,measure".utf8))
    let line = try header.json(Array("\"a,\"\"1\"\"\",p.json,-3.5,in.wav,1.wav,2,-23,rms dc".utf8))
    let job = try JobReader.job(line: line)
    #expect(job.id == "a,\"1\"" && job.settings == [.init("/nodes/a/b", .number(-3.5))])
    #expect(job.inputs == [.init("microphone", "in.wav")] && job.duration == 2)
    #expect(job.normalizing?.integratedLoudness == -23 && job.measures == ["rms", "dc"])
    #expect(throws: JobFault.self) { try header.json(Array("1,2".utf8)) }
    #expect(throws: JobFault.self) { try CSVHeader(Array("id,pach".utf8)) }
    #expect(throws: JobFault.self) { try CSVHeader(Array("id,id".utf8)) }
  }

  @Test func `a plan written as CSV gives the jobs that it gives as JSON lines`() throws {
    let folder = try BatchFolder()
    var plan = BatchPlan()
    plan.patches = ["mix.json"]
    try plan.add(setting: "/nodes/mixer/inputs/0/parameters/pan=[0,\"a, \\\"b\\\"\"]")
    try plan.add(setting: "/x={\"uniform\":[0,1]}")
    plan.add(output: "{id}.wav")
    plan.draws = 3
    plan.common.duration = 2
    let jobs = try PlannedJobs(plan, in: folder.url.path)
    var lines = ""
    var table = ""
    var one = try ManifestWriter(isCSV: false, of: plan)
    var other = try ManifestWriter(isCSV: true, of: plan)
    for number in 0..<jobs.count {
      try one.add(try jobs.job(number), to: &lines)
      try other.add(try jobs.job(number), to: &table)
    }
    try folder.write(lines, to: "a.jsonl")
    try folder.write(table, to: "a.csv")
    func read(_ name: String) throws -> [BatchJob] {
      let reader = try ManifestReader(folder.path(name))
      var jobs: [BatchJob] = []
      while let line = reader.next() { jobs.append(try JobReader.job(line: line.text)) }
      return jobs
    }
    #expect(try read("a.jsonl") == read("a.csv"))
    #expect(try read("a.csv").count == 6)
  }

  @Test(arguments: [1, 2, 3, 7, 40])
  func `parts are all of it together, and no line is in two`(count: Int) throws {
    let folder = try BatchFolder()
    let lines = (1...100).map { "{\"n\":\($0)}" }.joined(separator: "\n\n")
    try folder.write(lines, to: "a.jsonl")
    var seen: [Int] = []
    for part in 1...count {
      let reader = try ManifestReader(
        folder.path("a.jsonl"), LineSelection(shard: (part, count)))
      while let line = reader.next() { seen.append(line.number) }
    }
    #expect(seen.count == 100 && Set(seen).count == 100)
    let reader = try ManifestReader(folder.path("a.jsonl"), LineSelection(lines: 3...7))
    var chosen: [Int] = []
    while let line = reader.next() { chosen.append(line.number) }
    #expect(chosen == [3, 5, 7])
  }

  @Test func `a line longer than a block is read whole`() throws {
    let folder = try BatchFolder()
    let long = String(repeating: "x", count: 200_000)
    try folder.write("1\n\(long)\r\n3", to: "a.jsonl")
    let reader = try ManifestReader(folder.path("a.jsonl"))
    #expect(reader.next()?.text.count == 1)
    #expect(reader.next()?.text.count == 200_000)
    #expect(reader.next()?.text == [0x33])
    #expect(reader.next()?.text == nil)
  }
}
