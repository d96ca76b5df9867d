import AudioGraphs
import Foundation
import PatchGraph
import PatchRendering
import PatchSyntax
import RenderCore
import RenderHost
import TestSupport
import Testing

/// The updates of a timeline in an offline render, which are planned shortly before their frames.
@Suite struct OfflineUpdatesTests {
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let samples = (0..<4_800).map { Double(($0 * 7919) % 1000) / 2000 - 0.25 }
    try folder.write(samples, to: "hit.wav", channels: 2)
    return folder
  }

  private static func patch(_ timeline: [String]) -> String {
    """
    {
      "session": { "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": {
        "hit": { "kind": "file", "path": "hit.wav" },
        "song": { "kind": "sweep", "duration": 0.3, "from": 200, "to": 900 }
      },
      "nodes": {
        "mix": {
          "component": "MultichannelMixer", "inputCount": 2,
          "properties": { "maximumFramesPerSlice": 4096 }
        },
        "out": {
          "component": "GenericOutput", "properties": { "maximumFramesPerSlice": 4096 },
          "outputs": { "0": {
            "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 } } }
        }
      },
      "connections": [
        { "from": "mix", "to": "out" }, { "from": "hit", "to": "mix:0" },
        { "from": "song", "to": "mix:1" }
      ],
      "timeline": [
        \(timeline.joined(separator: ",\n    "))
      ]
    }
    """
  }

  /// Steps of every kind at random times, some of them at one time or at the beginning.
  private static func steps(_ random: inout SplitMix64) -> [String] {
    var hasEqualizer = false
    var time = 0.0
    return (0..<Int.random(in: 3...24, using: &random)).map { _ in
      if Int.random(in: 0..<5, using: &random) > 0 {
        time += Double.random(in: 0..<0.05, using: &random)
      }
      let level = Double.random(in: 0.1...0.9, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: return #"{ "at": \#(time), "trigger": ["hit", "song"] }"#
      case 1: return #"{ "at": \#(time), "trigger": "hit" }"#
      case 2:
        let path = "/nodes/mix/inputs"
        return
          #"{ "at": \#(time), "update": [ { "op": "add", "path": "\#(path)", "#
          + #""value": { "1": { "parameters": { "volume": \#(level) } } } } ] }"#
      case 3:
        // A ramp ends before the next one of its parameter begins.
        defer { time += 0.02 }
        return
          #"{ "at": \#(time), "ramp": { "path": "/nodes/mix/outputs/0/parameters/volume", "#
          + #""to": \#(level), "duration": 0.01 } }"#
      default:
        hasEqualizer.toggle()
        let properties = #""properties": { "maximumFramesPerSlice": 4096 }"#
        return hasEqualizer
          ? #"{ "at": \#(time), "update": [ { "op": "add", "path": "/nodes/eq", "#
            + #""value": { "component": "iPodEQ", \#(properties) } }, "#
            + #"{ "op": "replace", "path": "/connections/2/to", "value": "eq" }, "#
            + #"{ "op": "add", "path": "/connections/-", "value": { "from": "eq", "to": "mix:1" } } ] }"#
          : #"{ "at": \#(time), "update": [ { "op": "remove", "path": "/nodes/eq" }, "#
            + #"{ "op": "remove", "path": "/connections/3" }, "#
            + #"{ "op": "replace", "path": "/connections/2/to", "value": "mix:1" } ] }"#
      }
    }
  }

  @Test(arguments: 0..<12)
  func `updates that are planned shortly before sound as those that are planned at the beginning`(
    seed: Int
  ) throws {
    let folder = try folder()
    var random = SplitMix64(seed: UInt64(seed))
    let text = Self.patch(Self.steps(&random))
    for frames in [64, 333, 4096] {
      let atOnce = try LivePlayer(text, frames: frames, directory: folder.path, keeping: folder)
      try atOnce.live.planUpdates(upTo: .infinity)
      try atOnce.pull(24_000)
      let shortlyBefore = try LivePlayer(
        text, frames: frames, directory: folder.path, keeping: folder)
      try shortlyBefore.live.planFirstUpdates()
      try shortlyBefore.pull(24_000) { live throws(ServiceError) in try live.planNextUpdates() }
      #expect(atOnce.heard[0].contains { $0 != 0 })
      #expect(shortlyBefore.heard == atOnce.heard, "\(frames) frames\n\(text)")
      // The duration, without rendering.
      var assumption = HardwareAssumption()
      assumption.ioBufferFrames = frames
      let time = try PatchRender.playingTime(
        .init(
          LivePlayer.read(text), in: PatchSurroundings(directory: folder.path),
          assuming: assumption))
      #expect(time.map { Int(($0 * 44_100).rounded()) } == atOnce.live.graph.duration, "\(text)")
    }
  }

  @Test func `of four hundred triggers only the next ones are planned`() throws {
    let folder = try folder()
    let player = try LivePlayer(
      Self.patch([#"{ "at": 0, "repeat": { "every": "10 ms", "count": 400 }, "trigger": "hit" }"#]),
      directory: folder.path, keeping: folder)
    try player.live.planFirstUpdates()
    let session = try #require(player.live.graph.session)
    var most = 0
    try player.pull(4 * 44_100) { live throws(ServiceError) in
      try live.planNextUpdates()
      most = max(most, session.waitingStages)
    }
    #expect(player.live.nextUpdate == nil)
    // A trigger has two stages: a fade, and what follows it. A tenth of a second and two slices are planned.
    #expect(most > 18 && most < 40)
    #expect(session.begunStages > 790)
  }
}
