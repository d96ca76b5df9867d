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

  @Test func `a report of the patch under another name colours it, and nothing is said`() throws {
    let cost = try place.run("bench", "mix.json", "--duration", "0.1", "--json")
    try place.write(cost.output, to: "cost.json")
    try place.write(String(decoding: try place.bytes("mix.json"), as: UTF8.self), to: "moved.json")
    let outcome = try place.run("show", "moved.json", "--format", "svg", "--heat", "cost.json")
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
  }

  /// What `bench --json` would print of these parts: kind, name, type and share.
  private func writeReport(_ parts: [(String, String, String, String)]) throws {
    let lines = parts.map {
      #"{ "kind": "\#($0.0)", "name": "\#($0.1)", "type": "\#($0.2)", "share": \#($0.3) }"#
    }
    try place.write(
      #"{ "patch": "other.json", "parts": ["# + "\n" + lines.joined(separator: ",\n") + "\n]}\n",
      to: "cost.json")
  }

  @Test func `a report of another patch is told as such, by the parts that differ`() throws {
    try writeReport([
      ("unit", "mixer", "MultichannelMixer", "0.5"), ("unit", "eq", "Reverb2", "0.25"),
      ("callback", "beats", "file", "0.125"), ("unit", "added", "", "0.0625"),
      ("output", "the output", "", "0.0625"),
    ])
    let outcome = try place.run("show", "mix.json", "--format", "svg", "--heat", "cost.json")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.contains(
        "warning: 'cost.json' is the report of 'other.json', and has shares of parts that "
          + "'mix.json' does not have: 'eq' and 'beats'"), "\(outcome.errors)")
    #expect(outcome.errors.contains("help: measure it: patchrun bench mix.json --json"))
    #expect(
      outcome.errors.contains("note: 'cost.json' has no share of 'eq', 'quiet', 'tone',")
        || outcome.errors.contains("note: 'cost.json' has no share of 'eq', 'tone', 'quiet',"),
      "\(outcome.errors)")
    // Only the mixer has a share.
    #expect(outcome.output.components(separatedBy: " % of the rendering</text>").count == 2)
    #expect(outcome.output.contains("50.0 % of the rendering"))
  }

  @Test func `a report without any box of the patch is refused`() throws {
    try writeReport([("unit", "tape", "Varispeed", "0.5"), ("callback", "mixer", "file", "0.5")])
    let outcome = try place.run(
      "show", "mix.json", "--format", "svg", "--heat", "cost.json", "-o", "cost.svg")
    #expect(outcome.status == 2 && !place.exists("cost.svg"))
    #expect(
      outcome.errors.contains(
        "'cost.json' is the report of 'other.json', and has no share of any box of 'mix.json'"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("help: measure it: patchrun bench mix.json --json"))
  }

  @Test(arguments: ["-0.01", "1.001", "50", "1e300", "\"half\"", "null"])
  func `a share that is none is refused with its place`(share: String) throws {
    try writeReport([("unit", "eq", "iPodEQ", "1"), ("unit", "mixer", "MultichannelMixer", share)])
    let outcome = try place.run("show", "mix.json", "--format", "svg", "--heat", "cost.json")
    #expect(outcome.status == 2 && outcome.output == "")
    #expect(
      outcome.errors.contains(/cost\.json:3:\d+: the share of 'mixer' is no number from 0 to 1/),
      "\(outcome.errors)")
  }

  @Test func `a patch that hears no microphone takes no file for it, in bench as in render`() throws
  {
    let sound = try place.run(
      "render", "mix.json", "--set", "/taps={}", "--duration", "0.1", "-o", "sound.wav")
    #expect(sound.status == 0, "\(sound.errors)")
    let outcomes = [
      try place.run("bench", "mix.json", "--duration", "0.1", "--input", "sound.wav"),
      try place.run(
        "render", "mix.json", "--duration", "0.1", "--input", "sound.wav", "-o", "out.wav"),
    ]
    for outcome in outcomes {
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("the patch hears no microphone, so that --input has no use"))
      #expect(outcome.errors.contains("help: turn the I/O unit's input on"), "\(outcome.errors)")
    }
    let heard = try place.run(
      "bench", "mix.json", "--duration", "0.1", "--input", "sound.wav", "--set",
      #"/nodes/io/inputs={ "1": { "properties": { "enableIO": true } } }"#)
    #expect(heard.status == 0, "\(heard.errors)")
  }

  @Test(arguments: [
    (
      ["--duration", "0"],
      "The value '0' is invalid for '--duration <seconds>': it is a time above 0"
    ),
    (
      ["--duration", "x"],
      "The value 'x' is invalid for '--duration <seconds>': it is a time above 0"
    ),
    (
      ["--duration", "-1"],
      "The value '-1' is invalid for '--duration <seconds>': it is a time above"
    ),
    (
      ["--duration", "-0.5s"],
      "The value '-0.5s' is invalid for '--duration <seconds>': it is a time"
    ),
    (
      ["--max-load", "-3"],
      "The value '-3' is invalid for '--max-load <percent>': it is a percentage"
    ),
    (["--max-load", "0 %"], "it is a percentage above 0, such as 60 or 60%"),
    (["--max-load", "60dB"], "it is a percentage above 0, such as 60 or 60%"),
    (
      ["--slice", "-1", "--duration", "1"], "'--slice' is a whole number of frames from 1 to 65536"
    ),
    (
      ["--slice", "-1", "--duration", "-1"], "The value '-1' is invalid for '--duration <seconds>'"
    ),
    (["--duration", "--json"], "Missing value for '--duration <seconds>'"),
  ])
  func `a wrong number is refused with what it has to be`(
    options: [String], message: String
  ) throws {
    let outcome = try place.start(["bench", "mix.json"] + options).wait()
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test(arguments: [
    "render mix.json", "run mix.json", "measure mix.json", "compare mix.json mix.json",
    "batch plan mix.json", "test --new mix.json",
  ])
  func `every command says what a duration has to be`(command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    for value in ["0", "-1"] {
      let outcome = try place.start(words + ["--duration", value]).wait()
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains(
          "The value '\(value)' is invalid for '--duration <seconds>': it is a time above 0 s"),
        "\(outcome.errors)")
    }
  }

  @Test(arguments: [
    (["render", "mix.json", "--threads", "-1", "-o", "a.wav"], "--threads is 1 to 64, not -1"),
    (["render", "mix.json", "--quality", "-1", "-o", "a.ogg"], "--quality is 0 to 1, not -1.0"),
    (
      ["render", "mix.json", "--start", "-1", "-o", "a.wav"],
      "The value '-1' is invalid for '--start <time>': it is a time from 0 to 1e9 s"
    ),
  ])
  func `a negative number after an option is its value`(
    arguments: [String], message: String
  ) throws {
    let outcome = try place.start(arguments).wait()
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test func `a percentage may have its sign`() throws {
    for text in ["100000", "100000%", "100000 %"] {
      #expect(
        try place.run("bench", "mix.json", "--duration", "0.1", "--max-load", text).status == 0)
    }
    let outcome = try place.run(
      "bench", "mix.json", "--duration", "0.1", "--max-load", "0.0001%")
    #expect(outcome.status == 1 && outcome.errors.contains("and 0.0001 % is allowed"))
  }

  @Test func `a duration without a frame is refused with the shortest that has one`() throws {
    for words in [
      ["bench", "mix.json"], ["measure", "mix.json"], ["compare", "mix.json", "mix.json"],
      ["render", "mix.json", "-o", "a.wav"],
    ] {
      let outcome = try place.start(words + ["--duration", "1e-6"]).wait()
      #expect(outcome.status == 2 && !place.exists("a.wav"), "\(words)")
      #expect(
        outcome.errors.contains("error: --duration is shorter than a frame at 48000 Hz"),
        "\(outcome.errors)")
      #expect(
        outcome.errors.contains("help: the shortest that renders a frame: --duration 0.000021"))
    }
    let shortest = try place.run("bench", "mix.json", "--duration", "0.000021", "--json")
    #expect(shortest.status == 0 && shortest.output.contains(#""frames": 1"#), "\(shortest.output)")
  }

  @Test func `the shortest duration that is named has a frame, at every rate`() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<500 {
      let rate = exp2(Double.random(in: 10...19, using: &random))
      let help = try #require(Seconds.tooShort(at: rate).help.first)
      let text = String(try #require(help.split(separator: " ").last))
      #expect(try #require(Seconds(argument: text)).frames(at: rate) > 0, "\(rate) Hz: \(text)")
    }
  }

  @Test(
    arguments: [
      (10, "10.0 s"), (1, "1.0 s"), (0.9996, "1.0 s"), (0.9994, "999 ms"), (0.25, "250 ms"),
      (0.010_67, "10.7 ms"), (0.001, "1.0 ms"), (0.000_5, "0.500 ms"), (0.000_022_7, "0.023 ms"),
    ] as [(Double, String)])
  func `a short duration is printed with digits that say something`(seconds: Double, text: String) {
    #expect(BenchSheet.durationText(seconds) == text)
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
