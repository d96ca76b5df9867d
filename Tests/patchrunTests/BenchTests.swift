import Foundation
import RenderCore
import TestSupport
import Testing

@testable import patchrun

struct BenchTests {
  let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      """
      {
        "session": { "preferredSampleRate": 48000 },
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "callbacks": {
          "tone": { "kind": "tone" },
          "quiet": { "kind": "gain", "from": "tone", "gain": 0.5 }
        },
        "nodes": {
          "eq": {
            "component": "iPodEQ",
            "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
          },
          "mixer": {
            "component": "MultichannelMixer", "inputCount": 1,
            "properties": { "maximumFramesPerSlice": 4096 }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "quiet", "to": "eq" }, { "from": "eq", "to": "mixer" },
          { "from": "mixer", "to": "io" }
        ],
        "taps": {
          "level": { "kind": "meter", "at": "mixer" },
          "take": { "kind": "record", "at": "mixer", "path": "take.wav" }
        }
      }
      """, to: "mix.json")
  }

  private func measure(_ arguments: String...) throws -> [String: Any] {
    let outcome = try place.start(["bench", "mix.json", "--json"] + arguments).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
  }

  @Test func `each part of a patch has its share, and they make up the whole`() throws {
    let json = try measure("--duration", "0.5", "--slice", "480")
    let parts = try #require(json["parts"] as? [[String: Any]])
    let runs = Dictionary(
      uniqueKeysWithValues: parts.compactMap { part in
        (part["name"] as? String).map { ($0, part["runs"] as? Int ?? -1) }
      })
    for name in ["eq", "mixer", "tone", "quiet", "level"] { #expect(runs[name] == 50, "\(name)") }
    #expect(runs["the output"] != nil && runs["take"] == nil)
    let shares = parts.compactMap { $0["share"] as? Double }
    #expect(abs(shares.reduce(0, +) - 1) < 1e-4)
    #expect(shares == shares.sorted(by: >))
    let types = Set(parts.compactMap { $0["type"] as? String })
    #expect(types.isSuperset(of: ["iPodEQ", "MultichannelMixer", "tone", "gain", "meter"]))
    #expect(json["frames"] as? Int == 24_000 && json["slices"] as? Int == 50)
  }

  @Test func `figures of slices are in order, and a slice has the time that it lasts`() throws {
    let json = try measure("--duration", "0.5", "--slice", "480")
    let slice = try #require(json["slice"] as? [String: Double])
    #expect(slice["budgetMicroseconds"] == 10_000)
    let times = ["p50Microseconds", "p99Microseconds", "maximumMicroseconds"].compactMap {
      slice[$0]
    }
    #expect(times.count == 3 && times == times.sorted() && times[0] > 0)
    let perFrame = try #require(json["nanosecondsPerFrame"] as? Double)
    let load = try #require(json["load"] as? Double)
    #expect(abs(load - perFrame * 48_000 / 1e9) < 1e-3 * load)
    #expect(try #require(json["peakMemoryBytes"] as? Int) > 1_000_000)
  }

  @Test func `the kernel class is the one that was asked for, and is one of the figures`() throws {
    for name in VectorMath.names {
      #expect(try measure("--duration", "0.1", "--kernel", name)["kernel"] as? String == name)
    }
    #expect(try measure("--duration", "0.1")["kernel"] as? String == VectorMath.names.last)
    let text = try place.run("bench", "mix.json", "--duration", "0.1", "--kernel", "baseline")
    #expect(text.output.contains(" Hz, kernel class baseline\n"), "\(text.output)")
    #expect(try place.start(["bench", "mix.json", "--kernel", "abacus"]).wait().status == 2)
  }

  @Test func `a measurement writes no take, and says so`() throws {
    let outcome = try place.run("bench", "mix.json", "--duration", "0.1")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("taps that write files are not measured: 'take'"))
    #expect(!place.exists("take.wav"))
    #expect(outcome.output.contains("(iPodEQ)"))
  }

  @Test func `a load above the limit is a finding at the part that takes most`() throws {
    let outcome = try place.run(
      "bench", "mix.json", "--duration", "0.2", "--max-load", "0.0001")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("error[PR0232]: rendering takes "))
    // The part depends on the machine, but the message and the caret must agree.
    let said = try #require(
      outcome.errors.firstMatch(of: /and 0\.0001 % is allowed; '(\w+)' takes most/))
    #expect(
      ["nodes", "callbacks", "taps"].contains { outcome.errors.contains("/\($0)/\(said.1)\n") },
      "\(outcome.errors)")
    #expect(outcome.output.contains("share of it"))
    #expect(
      try place.run("bench", "mix.json", "--duration", "0.2", "--max-load", "100000").status == 0)
  }

  @Test func `a trace has the slices, and within each what ran`() throws {
    let outcome = try place.run(
      "bench", "mix.json", "--duration", "0.1", "--slice", "480", "--trace", "trace.json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(try place.bytes("trace.json"))) as? [String: Any])
    let events = try #require(json["traceEvents"] as? [[String: Any]])
    let spans = events.filter { $0["ph"] as? String == "X" }.map { event in
      (
        name: event["name"] as? String ?? "", category: event["cat"] as? String ?? "",
        begin: event["ts"] as? Double ?? -1,
        end: (event["ts"] as? Double ?? -1) + (event["dur"] as? Double ?? -1)
      )
    }
    let slices = spans.filter { $0.category == "slice" }
    #expect(slices.count == 10)
    #expect(zip(slices, slices.dropFirst()).allSatisfy { $0.end <= $1.begin + 0.002 })
    for name in ["eq", "mixer", "tone", "quiet", "level"] {
      let own = spans.filter { $0.name == name }
      #expect(own.count == 10, "\(name)")
      for span in own {
        #expect(
          slices.contains { $0.begin <= span.begin + 0.002 && span.end <= $0.end + 0.002 })
      }
    }
  }

  @Test func `the picture is coloured by the shares, and says them`() throws {
    let cost = try place.run("bench", "mix.json", "--duration", "0.2", "--json")
    try place.write(cost.output, to: "cost.json")
    let outcome = try place.run(
      "show", "mix.json", "--format", "svg", "--heat", "cost.json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let svg = outcome.output
    #expect(svg.contains("Share of the rendering") && svg.contains("50 % and more"))
    #expect(svg.contains(" % of the rendering</text>"))
    #expect(svg.components(separatedBy: "class=\"box unit heat heat").count >= 3)
    let plain = try place.run("show", "mix.json", "--format", "svg")
    #expect(!plain.output.contains("heat"))
  }

  @Test(arguments: [
    ["show", "mix.json", "--heat", "cost.json"], ["bench", "mix.json", "--max-load", "0"],
    ["bench", "mix.json", "--slice", "0"],
    ["bench", "mix.json", "--duration", "0.1", "--trace", "mix.json"],
    ["bench", "mix.json", "--duration", "0.1", "--trace", "take.wav"],
    ["show", "mix.json", "--format", "svg", "--heat", "mix.json"],
  ])
  func `what makes no sense is a wrong use`(arguments: [String]) throws {
    let before = try place.bytes("mix.json")
    #expect(try place.start(arguments).wait().status == 2)
    #expect(try place.bytes("mix.json") == before)
  }

  @Test func `half of the slices are at most as long as the middle one`() {
    var figures = BenchFigures()
    (figures.sliceFrames, figures.frameCount) = (10, 95)
    figures.pulls = [5, 9, 1, 7, 3, 8, 2, 6, 4, 100]
    #expect([0.5, 0.99, 1].map(figures.slice) == [5, 9, 9])
    figures.frameCount = 100
    #expect([0.5, 0.9, 0.99, 1].map(figures.slice) == [5, 9, 100, 100])
  }
}
