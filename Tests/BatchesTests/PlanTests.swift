import Diagnostics
import FileAccess
import Foundation
import PatchSyntax
import TestSupport
import Testing

@testable import Batches

struct PlanTests {
  private func plan(_ text: String) throws -> BatchPlan {
    try BatchPlan(SourceText(name: "a.batch.json", text: text))
  }

  @Test func `a plan is every patch by every input by every value, as often as it is drawn`() throws
  {
    let folder = try BatchFolder()
    for name in ["clips/a.wav", "clips/b.wav", "clips/more/c.wav"] { try folder.sound(name) }
    let plan = try plan(
      #"""
      {
        "patch": "mix.json",
        "inputs": { "/callbacks/music/path": "clips/**/*.wav" },
        "settings": {
          "/nodes/mixer/inputs/0/parameters/pan": [-0.5, 0.5],
          "/callbacks/tone/frequency": { "logUniform": [100, 1000] },
          "/callbacks/tone/amplitude": 0.1
        },
        "draws": 2, "seed": 7, "duration": 0.1, "output": "{folder}/{input}-{id}.wav"
      }
      """#)
    let jobs = try PlannedJobs(plan, in: folder.url.path)
    #expect(jobs.count == 12)
    let all = try (0..<jobs.count).map { try jobs.job($0) }
    #expect(Set(all.map(\.id)).count == 12)
    #expect(all[0].id == "a,-0.5,1" && all[0].outputs[0].path == "a-a,-0.5,1.wav")
    #expect(all[11].id == "more/c,0.5,2" && all[11].outputs[0].path == "more/c-more/c,0.5,2.wav")
    let drawn = all.compactMap { job -> Double? in
      guard case .number(let value) = job.settings[1].value else { return nil }
      return value
    }
    #expect(drawn.count == 12 && Set(drawn).count == 12)
    #expect(drawn.allSatisfy { (100...1000).contains($0) })
  }

  @Test func `what is drawn depends on the seed, the id and the setting alone`() throws {
    let choice = SettingChoice.uniform(0, 1)
    let value = choice.value(0, seed: 1, id: "a", pointer: "/x")
    #expect(choice.value(5, seed: 1, id: "a", pointer: "/x") == value)
    #expect(choice.value(0, seed: 2, id: "a", pointer: "/x") != value)
    #expect(choice.value(0, seed: 1, id: "b", pointer: "/x") != value)
    #expect(choice.value(0, seed: 1, id: "a", pointer: "/y") != value)
  }

  @Test func `values are drawn evenly`() throws {
    var counts = [Int](repeating: 0, count: 10)
    for id in 0..<10_000 {
      let value = SettingChoice.uniform(0, 10).value(0, seed: 0, id: "\(id)", pointer: "/x")
      guard case .number(let number) = value else { continue }
      counts[Int(number)] += 1
    }
    // Six standard deviations of a binomial distribution.
    #expect(counts.allSatisfy { abs($0 - 1000) < 180 }, "\(counts)")
  }

  @Test(arguments: [
    (
      #"{ "patch": "mix.json", "inputs": { "microphone": "no/*.wav" } }"#, "PR1209", "finds no file"
    ),
    (#"{ "patch": "none.json" }"#, "PR1209", "no patch"), (#"{ }"#, "PR1209", "names a patch"),
    (#"{ "patch": "mix.json", "settings": { "/a": [] } }"#, "PR1209", "empty list"),
    (#"{ "patch": "mix.json", "settings": { "/a": { "unifrom": [1, 2] } } }"#, "PR1209", "unifrom"),
    (#"{ "patch": "mix.json", "settings": { "/a": { "uniform": [2, 1] } } }"#, "PR1209", "lower"),
    (#"{ "patch": "mix.json", "drews": 2 }"#, "PR1209", "drews"),
    (#"{ "patch": "mix.json", "draws": 0 }"#, "PR1209", "whole number"),
    (#"{ "patch": "mix.json", "output": "{idd}.wav" }"#, "PR1209", "{idd}"),
    (#"{ "patch": "mix.json", "output": "a.wav", "draws": 2 }"#, "PR1208", "two jobs"),
    (#"{ "patch": "mix.json", "settings": { "/a": [1, 1] } }"#, "PR1208", "called"),
  ])
  func `a plan that gives no batch is refused, with its rule`(
    text: String, code: String, words: String
  ) throws {
    let folder = try BatchFolder()
    let fault = #expect(throws: JobFault.self) {
      let plan = try plan(text)
      let jobs = try PlannedJobs(plan, in: folder.url.path)
      var writer = try ManifestWriter(isCSV: false, of: plan)
      var text = ""
      for number in 0..<jobs.count { try writer.add(try jobs.job(number), to: &text) }
    }
    #expect(
      fault?.code == code && fault?.message.contains(words) == true, "\(fault?.message ?? "")")
  }

  @Test func `patterns match as a shell's do`() {
    func matches(_ name: String, _ pattern: String) -> Bool {
      FolderListing.matches(name, pattern)
    }
    #expect(matches("a.wav", "*.wav") && matches("a.wav", "?.wav") && matches("a.wav", "a*"))
    #expect(matches("b1", "[a-c][!2]") && !matches("b2", "[a-c][!2]") && !matches("d1", "[a-c]1"))
    #expect(!matches("a.wavx", "*.wav") && matches("", "*") && !matches("", "?"))
  }
}
