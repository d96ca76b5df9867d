import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchSyntax
import RenderCore
import RenderHost
import SoundFiles
import TestSupport
import Testing

@testable import PatchGraph

/// Sounds that are triggered by the timeline and during playback.
@Suite struct TriggerTests {
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder([
      "strip.json": """
      {
        "callbacks": { "song": { "kind": "sweep", "duration": 0.1 } },
        "nodes": { "out": { "component": "GenericOutput" } },
        "connections": [ { "from": "song", "to": "out" } ]
      }
      """
    ])
    let samples = (0..<9_600).map { Double(($0 * 7919) % 1000) / 2000 - 0.25 }
    try folder.write(samples, to: "hit.wav", channels: 2)
    return folder
  }

  private static func patch(_ callbacks: String, _ timeline: String, more: String = "") -> String {
    """
    {
      "session": { "category": "playback", "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "callbacks": { \(callbacks) },
      "nodes": { "io": { "component": "remoteIO" }\(more) },
      "connections": [ { "from": "song", "to": "io" } ],
      "timeline": [ \(timeline) ]
    }
    """
  }

  private static let kinds = [
    #""song": { "kind": "sweep", "duration": 0.1, "from": 200, "to": 900 }"#,
    #""song": { "kind": "impulse", "amplitude": 0.5, "at": 0.01, "period": 0.03 }"#,
    #""song": { "kind": "expression", "value": "0.3 * sin(tau * 300 * time) * exp(-40 * time)" }"#,
    #""song": { "kind": "file", "path": "hit.wav" }"#,
    #""song": { "kind": "gain", "gain": 0.5, "from": "hit" }, "hit": { "kind": "file", "path": "hit.wav" }"#,
  ]

  private static func name(_ kind: String) -> String { kind.contains("\"hit\":") ? "hit" : "song" }

  private func heard(
    _ text: String, _ folder: TemporaryFolder, frames: Int = 256, count: Int = 24_000
  )
    throws
    -> [Float]
  {
    let player = try LivePlayer(text, frames: frames, directory: folder.path, keeping: folder)
    try player.live.planUpdates(upTo: .infinity)
    try player.pull(count)
    return player.left
  }

  @Test(arguments: kinds, [64, 333, 1024])
  func `a trigger of the timeline begins the sound again, at its frame`(kind: String, frames: Int)
    throws
  {
    let folder = try folder()
    let alone = try heard(Self.patch(kind, ""), folder, frames: frames)
    let again = try heard(
      Self.patch(
        kind, #"{ "at": { "frames": 7001 }, "trigger": "\#(Self.name(kind))" }"#), folder,
      frames: frames)
    #expect(alone.contains { $0 != 0 })
    #expect(again[..<7001] == alone[..<7001])
    // After the fade-out of the earlier sound.
    #expect(Array(again[7241..<24_000]) == Array(alone[240..<16_999]))
    for frame in 0..<240 {
      let x = Float(frame) / 240
      let share = x * x * (3 - 2 * x)
      let sum = alone[frame] + alone[7001 + frame] * (1 - share)
      #expect(abs(again[7001 + frame] - sum) < 1e-6, "frame \(frame)")
    }
  }

  @Test func `a sound that has ended begins again as it began, to the bit`() throws {
    let folder = try folder()
    for kind in [Self.kinds[0], Self.kinds[3]] {
      let alone = try heard(Self.patch(kind, ""), folder)
      let again = try heard(
        Self.patch(
          kind, #"{ "at": 0.25, "repeat": { "every": 0.125, "count": 2 }, "trigger": "song" }"#),
        folder)
      for start in [12_000, 18_000] {
        #expect(Array(again[start..<(start + 6_000)]) == Array(alone[0..<6_000]))
      }
    }
  }

  @Test(arguments: kinds)
  func `a sound begins again while it plays`(kind: String) throws {
    let folder = try folder()
    let alone = try heard(Self.patch(kind, ""), folder)
    let player = try LivePlayer(Self.patch(kind, ""), directory: folder.path, keeping: folder)
    try player.pull(8_192)
    let changes = try player.live.trigger([Self.name(kind)])
    #expect(changes.map(\.heard) == [.beginning])
    try player.pull(12_000)
    #expect(Array(player.left[8_432..<20_192]) == Array(alone[240..<12_000]))
    // The document has not changed.
    #expect(player.live.reading.source.bytes == Array(Self.patch(kind, "").utf8))
  }

  @Test func `several sounds begin together, and one in a sub-graph`() throws {
    let folder = try folder()
    let text = """
      {
        "session": { "category": "playback", "preferredSampleRate": 48000 },
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "callbacks": { "hit": { "kind": "file", "path": "hit.wav" } },
        "nodes": {
          "strip": { "subgraph": "strip.json" },
          "mix": { "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 } },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "hit", "to": "mix:0" }, { "from": "strip", "to": "mix:1" }, { "from": "mix", "to": "io" }
        ],
        "timeline": [ TIMELINE ]
      }
      """
    let alone = try heard(text.replacing("TIMELINE", with: ""), folder)
    let again = try heard(
      text.replacing(
        "TIMELINE", with: #"{ "at": 0.25, "trigger": ["hit", "strip/song"] }"#), folder)
    #expect(Array(again[12_000..<24_000]) == Array(alone[0..<12_000]))
  }

  @Test func `a gain that has been turned stays where it is`() throws {
    let folder = try folder()
    let kind = #""song": { "kind": "file", "path": "hit.wav", "gain": 0.5 }"#
    let alone = try heard(Self.patch(kind, ""), folder)
    let player = try LivePlayer(
      Self.patch(#""song": { "kind": "file", "path": "hit.wav" }"#, ""), directory: folder.path,
      keeping: folder)
    try player.pull(1_024)
    try player.play(Self.patch(kind, ""))
    try player.pull(7_168)
    try player.live.trigger(["song"])
    try player.pull(6_000)
    #expect(Array(player.left[8_192..<14_192]) == Array(alone[0..<6_000]))
  }

  @Test func `what has been triggered is gone from the timeline that plays`() throws {
    let folder = try folder()
    let player = try LivePlayer(
      Self.patch(
        Self.kinds[0], #"{ "at": 0.1, "repeat": { "every": 0.1, "count": 3 }, "trigger": "song" }"#),
      directory: folder.path, keeping: folder)
    try player.live.planUpdates(upTo: .infinity)
    try player.pull(12_000)
    let steps = try #require(player.live.reading.document?.timeline)
    #expect(steps.count == 1 && steps[0].triggers.map(\.value) == ["song"])
    #expect(player.live.takePassedSteps() == ["/callbacks/song"])
  }

  @Test func `a patch with triggers means the same, written out`() throws {
    let folder = try folder()
    let text = Self.patch(
      Self.kinds[0], #"{ "at": 0.25, "repeat": { "every": 0.125, "count": 2 }, "trigger": "song" }"#
    )
    let reading = LivePlayer.read(text)
    let device = PatchDevice.assumed(HardwareAssumption())
    let surroundings = PatchSurroundings(directory: folder.path)
    let patch = PatchBuilder.build(reading, in: surroundings, device: device)
    let expanded = try #require(try ExpandedPatch(patch, in: surroundings, device: device))
    let written = expanded.document.document
    #expect(!written.contains("repeat") && written.contains("trigger"))
    #expect(try heard(written, folder) == (try heard(text, folder)))
  }

  @Test(arguments: [
    (#""trigger": "sng""#, "PR0806 the patch has no callback 'sng'"),
    (#""trigger": "io""#, "PR0806 'io' is a node: what begins again is a callback"),
    (#""trigger": "tone""#, "PR0806 'tone', a callback of the kind 'tone', has no beginning"),
    (#""trigger": ["song", "half"]"#, "PR0806 'half' processes what it pulls"),
    (#""trigger": []"#, "PR0101 'trigger' is the name of a callback"),
    (#""trigger": 3"#, "PR0101 'trigger' is the name of a callback"),
    (#""trigger": "song", "stop": true"#, "PR0110 a step of the timeline does one thing"),
  ])
  func `what cannot begin again is said where it is written`(step: String, expected: String) throws
  {
    let folder = try folder()
    let text = Self.patch(
      Self.kinds[0]
        + #", "tone": { "kind": "tone" }, "half": { "kind": "gain", "gain": 0.5, "from": "tone" }"#,
      #"{ "at": 1, \#(step) }"#
    ).replacing(
      #"[ { "from": "song", "to": "io" } ]"#,
      with:
        #"[ { "from": "song", "to": "mix:0" }, { "from": "half", "to": "mix:1" }, { "from": "mix", "to": "io" } ]"#
    ).replacing(
      #""io": {"#,
      with:
        #""mix": { "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 } }, "io": {"#
    )
    let patch = PatchBuilder.build(LivePlayer.read(text), directory: folder.path)
    let found = patch.diagnostics.filter { $0.severity == .error }.map {
      "\($0.code) \($0.message.text)"
    }
    #expect(found.count == 1 && found[0].hasPrefix(expected), "\(found)")
  }

  @Test func `a request for what cannot begin again is answered with the reason`() throws {
    let folder = try folder()
    let player = try LivePlayer(
      Self.patch(#""song": { "kind": "tone" }"#, ""), directory: folder.path, keeping: folder)
    #expect(player.live.triggerProblem("song")?.message.contains("has no beginning") == true)
    #expect(player.live.triggerProblem("sonk")?.message == "the patch has no callback 'sonk'")
    try player.pull(1_000)
    #expect(try player.live.trigger(["song", "sonk"]).isEmpty)
  }
}
