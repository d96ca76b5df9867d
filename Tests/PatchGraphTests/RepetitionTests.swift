import AudioGraphs
import Diagnostics
import Foundation
import PatchSyntax
import RenderHost
import Testing

@testable import PatchGraph

/// A repeated step means the same as the step written several times.
@Suite struct RepetitionTests {
  private static let rate = 44_100.0
  private static let volume = "/nodes/mixer/inputs/0/parameters/volume"
  private static let pan = "/nodes/mixer/inputs/0/parameters/pan"

  private static func patch(_ timeline: String, tempo: String = "90") -> String {
    """
    {
      "tempo": \(tempo),
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "a": { "kind": "tone", "frequency": 440 } },
      "nodes": {
        "mixer": { "component": "MultichannelMixer" },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "a", "to": "mixer:0" }, { "from": "mixer", "to": "io" } ],
      "timeline": [ \(timeline) ]
    }
    """
  }

  private static func step(_ at: String, _ action: String, _ repetition: String = "") -> String {
    "{ \"at\": \(at), \(repetition.isEmpty ? "" : "\"repeat\": \(repetition), ")\(action) }"
  }

  private static func ramp(_ path: String, _ to: Double, _ duration: String = "0") -> String {
    "\"ramp\": { \"path\": \"\(path)\", \"to\": \(to), \"duration\": \(duration) }"
  }

  /// Repetitions, and the same written step by step.
  private static let pairs: [(short: String, long: [String])] = [
    (
      step("0.1", ramp(volume, 0, "0.05"), #"{ "every": "250 ms", "count": 3 }"#) + ","
        + step("\"200 ms\"", ramp(volume, 1, "0.05"), #"{ "every": 0.25, "count": 3 }"#),
      [0.1, 0.35, 0.6].map { step("\($0)", ramp(volume, 0, "0.05")) }
        + [0.2, 0.45, 0.7].map { step("\($0)", ramp(volume, 1, "0.05")) }
    ),
    (
      step(
        #"{ "beats": 0.25 }"#, ramp(volume, 0.1, #"{ "beats": 0.125 }"#),
        #"{ "every": { "beats": 0.25 }, "count": 4 }"#) + ","
        + step(
          #"{ "frames": 1001 }"#, ramp(pan, -1, #"{ "frames": 300 }"#),
          #"{ "every": { "frames": 7777 }, "count": 4 }"#)
        + ","
        + step(
          #"{ "frames": 4000 }"#, ramp(pan, 1), #"{ "every": { "frames": 7777 }, "count": 4 }"#),
      (1...4).map {
        step("{ \"beats\": \(Double($0) / 4) }", ramp(volume, 0.1, #"{ "beats": 0.125 }"#))
      }
        + (0..<4).map {
          step("{ \"frames\": \(1001 + 7777 * $0) }", ramp(pan, -1, #"{ "frames": 300 }"#))
        } + (0..<4).map { step("{ \"frames\": \(4000 + 7777 * $0) }", ramp(pan, 1)) }
    ),
    (
      // Times in two units: a beat is 0.5 s, and 0.25 s are 11025 frames.
      step(
        #"{ "beats": 0.375 }"#, ramp(volume, 0.2), #"{ "every": { "frames": 11025 }, "count": 3 }"#)
        + "," + step("0.3", ramp(volume, 0.9), #"{ "every": { "beats": 0.375 }, "count": 3 }"#),
      [0.25, 0.5, 0.75].map { step("\($0)", ramp(volume, 0.2)) }
        + [0.3, 0.55, 0.8].map { step("\($0)", ramp(volume, 0.9)) }
    ),
    (
      step(
        "0.1",
        #""update": [ { "op": "replace", "path": "/callbacks/a/frequency", "value": 440 } ]"#,
        #"{ "every": 0.2, "count": 3 }"#) + ","
        + step(
          "0.2",
          #""update": [ { "op": "replace", "path": "/callbacks/a/frequency", "value": 880 } ]"#,
          #"{ "every": 0.2, "count": 3 }"#) + ","
        + step("0.15", ramp(volume, 0.1, "0.1"), #"{ "every": 0.25, "count": 3 }"#),
      [0.1, 0.1 + 0.2, 0.5].map {
        step(
          "\($0)",
          #""update": [ { "op": "replace", "path": "/callbacks/a/frequency", "value": 440 } ]"#)
      }
        + [0.2, 0.4, 0.2 + 0.4].map {
          step(
            "\($0)",
            #""update": [ { "op": "replace", "path": "/callbacks/a/frequency", "value": 880 } ]"#)
        } + [0.15, 0.4, 0.65].map { step("\($0)", ramp(volume, 0.1, "0.1")) }
    ),
  ]

  /// The output of a patch in a second.
  private static func played(_ text: String) throws -> [Float] {
    let player = try LivePlayer(text)
    for _ in 0..<20 {
      try player.live.planUpdates(upTo: player.live.now + 0.2)
      try player.pull(2205)
    }
    return player.left
  }

  @Test(arguments: 0..<4)
  func `a repetition sounds as its steps written one by one`(number: Int) throws {
    let (short, long) = Self.pairs[number]
    let one = PatchBuilder.build(Self.patch(short))
    #expect(one.diagnostics.map(\.message.text) == [])
    let heard = try Self.played(Self.patch(short))
    #expect(try Self.played(Self.patch(long.joined(separator: ","))) == heard)
    // But it differs from a single step.
    let once = Self.patch(short.replacing(#/"count": \d/#, with: "\"count\": 1"))
    #expect(try Self.played(once) != heard)
  }

  @Test(arguments: 0..<4)
  func `a repetition means the same to a comparison`(number: Int) throws {
    let (short, long) = Self.pairs[number]
    func reading(_ timeline: String) -> (PatchReader.Result, PatchSurroundings) {
      (LivePlayer.read(Self.patch(timeline)), PatchSurroundings(directory: ""))
    }
    let expanded = long.joined(separator: ",")
    let same = try #require(PatchComparison(from: reading(short), to: reading(expanded)))
    #expect(same.changes.map(\.text) == [])
    let fewer = short.replacing(#/"count": \d/#, with: "\"count\": 2")
    let other = try #require(PatchComparison(from: reading(short), to: reading(fewer)))
    #expect(!other.changes.isEmpty)
  }

  /// The time of each step in frames, and its actions.
  private static func steps(_ reading: PatchReader.Result) throws -> [String] {
    let document = try #require(reading.document)
    let clock = TimelineClock(document, sampleRate: rate)
    return clock.order(of: document).map { index in
      let step = document.timeline[index]
      let time = step.at.flatMap { clock.seconds($0.value) } ?? -1
      let action = step.ramp?.json ?? step.update ?? step.json
      return "\(Int((time * rate).rounded())) \(JSONText(action).compact)"
    }.sorted()
  }

  @Test(arguments: 0..<4)
  func `a repetition folds as its steps written one by one`(number: Int) throws {
    let (short, long) = Self.pairs[number]
    let one = LivePlayer.read(Self.patch(short))
    let other = LivePlayer.read(Self.patch(long.joined(separator: ",")))
    let (oneBuilt, otherBuilt) = (
      PatchBuilder.build(Self.patch(short)),
      PatchBuilder.build(Self.patch(long.joined(separator: ",")))
    )
    var counts: Set<Int> = []
    for seconds in stride(from: 0.0, through: 1.2, by: 0.0423) {
      let folded = PatchBuilder.reading(
        one, of: oneBuilt, playedTo: seconds, sampleRate: Self.rate)
      let expected = PatchBuilder.reading(
        other, of: otherBuilt, playedTo: seconds, sampleRate: Self.rate)
      #expect(folded.diagnostics.isEmpty)
      let (left, wanted) = (try Self.steps(folded), try Self.steps(expected))
      #expect(left == wanted)
      counts.insert(left.count)
      for key in ["nodes", "callbacks"] {
        #expect(
          folded.document?.root[key].map { JSONText($0) }
            == expected.document?.root[key].map { JSONText($0) })
      }
    }
    // Some steps are over at some times, and all at the end.
    #expect(counts.count > 3 && counts.contains(0))
  }

  @Test func `each update of a repetition is made on what the one before has left`() throws {
    let patch = PatchBuilder.build(
      Self.patch(
        Self.step(
          "0.5",
          #"""
          "update": [ { "op": "copy", "from": "/callbacks/a", "path": "/callbacks/b" },
            { "op": "test", "path": "/nodes/mixer", "value": { "component": "MultichannelMixer" } } ]
          """#, #"{ "every": { "beats": 1 }, "count": 3 }"#), tempo: "120"))
    #expect(patch.updates.map(\.time) == [0.5, 1, 1.5])
    #expect(patch.updates.map(\.step) == [0, 1, 2])
  }

  @Test func `a time at which an update cannot be made is named`() throws {
    let patch = PatchBuilder.build(
      Self.patch(
        Self.step(
          "1", #""update": [ { "op": "remove", "path": "/title" } ]"#,
          #"{ "every": 2, "count": 3 }"#)
      ).replacing("\"tempo\"", with: "\"title\": \"A\", \"tempo\""))
    let errors = patch.diagnostics.filter { $0.severity == .error }
    #expect(errors.count == 1)
    #expect(errors.first?.notes.map(\.message.text) == ["when it is made at 3 s"])
    #expect(patch.updates.map(\.time) == [1])
  }

  @Test func `a sub-graph repeats by its own tempo`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "repeat \(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func part(_ timeline: String) -> String {
      Self.patch(timeline, tempo: "240").replacing("remoteIO", with: "GenericOutput")
    }
    func played(_ timeline: String) throws -> [Float] {
      try part(timeline).write(
        to: folder.appending(path: "part.json"), atomically: true, encoding: .utf8)
      let player = try LivePlayer(
        """
        { "tempo": 60, "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
          "nodes": { "part": { "subgraph": "part.json" }, "io": { "component": "remoteIO" } },
          "connections": [ { "from": "part", "to": "io" } ] }
        """, directory: folder.path)
      try player.pull(44_100)
      return player.left
    }
    let heard = try played(
      Self.step(
        #"{ "beats": 1 }"#, Self.ramp(Self.volume, 0.2), #"{ "every": { "beats": 1 }, "count": 2 }"#
      )
        + "," + Self.step("0.3", Self.ramp(Self.volume, 1)))
    #expect(
      try played(
        [("0.25", 0.2), ("0.5", 0.2), ("0.3", 1)].map {
          Self.step($0.0, Self.ramp(Self.volume, $0.1))
        }
        .joined(separator: ",")) == heard)
  }

  @Test func `what is wrong with a step that is repeated is said once`() {
    let wrong = Self.step(
      "1", Self.ramp("/nodes/mixr/inputs/0/parameters/volume", 2), #"{ "every": 1, "count": 500 }"#)
    let errors = PatchBuilder.build(Self.patch(wrong)).diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code.rawValue) == ["PR0215"])
    #expect(errors.first?.notes.isEmpty == true)
    let loud = Self.step("1", Self.ramp(Self.volume, 99), #"{ "every": 1, "count": 500 }"#)
    #expect(
      PatchBuilder.build(Self.patch(loud)).diagnostics.map(\.code.rawValue)
        == PatchBuilder.build(Self.patch(loud.replacing("500", with: "1"))).diagnostics.map(
          \.code.rawValue)
    )
  }

  @Test func `ramps that end when the next begins are apart, whatever the sum of their times is`()
    throws
  {
    // In doubles, 0.1 + 0.2 exceeds 0.3; 110.25 frames end between two frames.
    for every in ["0.1", "0.2", #""2.5 ms""#] {
      let text = Self.patch(
        Self.step(
          "0.1", Self.ramp(Self.volume, 0.5, every), "{ \"every\": \(every), \"count\": 40 }"))
      #expect(PatchBuilder.build(text).diagnostics.map(\.message.text) == [])
      try #require(PatchBuilder.build(text).graph).initialize()
    }
  }

  @Test func `a hundred thousand steps are built in the time of their number`() throws {
    let ramps = [0.25, 0.75].map { at in
      Self.step("\(at)", Self.ramp(Self.volume, at, "0.5"), #"{ "every": 1, "count": 50000 }"#)
    }
    let patch = PatchBuilder.build(Self.patch(ramps.joined(separator: ",")))
    #expect(patch.diagnostics.isEmpty)
    #expect(patch.graph?.ramps.count == 100_000)
  }
}
