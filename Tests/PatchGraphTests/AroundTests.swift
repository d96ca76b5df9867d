import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchSyntax
import RenderHost
import Testing

@testable import PatchGraph

/// A ramp of an angle beyond the end of its range, which continues at the other end.
@Suite struct AroundTests {
  private static let azimuth = "/nodes/space/inputs/0/parameters/azimuth"
  private static let algorithms = [
    "equalPowerPanning", "sphericalHead", "soundField", "vectorBasedPanning", "HRTF",
  ]

  private static func patch(_ timeline: String, algorithm: String = "equalPowerPanning") -> String {
    """
    {
      "session": { "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "streamFormats": { "mono": { "sample": "int16", "channels": 1, "sampleRate": 48000 } },
      "callbacks": { "a": { "kind": "tone", "frequency": 200, "amplitude": 0.5 } },
      "nodes": {
        "space": {
          "component": "3DMixer",
          "inputs": { "0": { "streamFormat": "mono",
            "properties": { "spatializationAlgorithm": "\(algorithm)" },
            "parameters": { "azimuth": 160, "distance": 1 } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "a", "to": "space:0" }, { "from": "space", "to": "io" } ],
      "timeline": [ \(timeline) ]
    }
    """
  }

  private static func step(_ at: Int, _ to: Double, _ duration: Int = 0) -> String {
    """
    { "at": { "frames": \(at) },
      "ramp": { "path": "\(azimuth)", "to": \(to), "duration": { "frames": \(duration) } } }
    """
  }

  private static func played(_ text: String, frames: Int = 48_000) throws -> [[Float]] {
    let player = try LivePlayer(text)
    try player.pull(frames)
    return player.heard
  }

  @Test(arguments: algorithms)
  func `across 180 degrees is what a jump from one end to the other is`(algorithm: String) throws {
    // One frame before the ramps get a new value, which happens every 64 frames.
    let around = try Self.played(
      Self.patch(Self.step(6400, 200, 25_600), algorithm: algorithm))
    let jumping = try Self.played(
      Self.patch(
        [
          Self.step(6400, 180, 12_799), Self.step(19_199, -180), Self.step(19_200, -160, 12_800),
        ]
        .joined(separator: ","), algorithm: algorithm))
    for (one, other) in zip(around, jumping) {
      #expect(one.contains { abs($0) > 0.05 })
      // One frame is a 600th of a degree: -90 dB.
      let difference = zip(one, other).map { abs($0 - $1) }.max() ?? 1
      #expect(difference < 0.000_03)
    }
  }

  @Test(arguments: algorithms)
  func `nothing clicks where the angle goes on from the other end`(algorithm: String) throws {
    /// The largest second difference after the start. A click is a large one.
    func bend(_ to: Double) throws -> Float {
      let text = Self.patch(Self.step(6400, to, 25_600), algorithm: algorithm)
      return try Self.played(text).map { channel in
        (6500..<40_000).map { abs(channel[$0 + 1] - 2 * channel[$0] + channel[$0 - 1]) }.max() ?? 0
      }.max() ?? 0
    }
    // A ramp of the same length in the other direction has about the same. A jump by 360 degrees
    // would have ten times as much.
    #expect(try bend(200) < 1.5 * bend(120))
  }

  @Test func `more than once around ends in the range`() throws {
    for (to, end) in [
      (540.0, 180.0), (-540, -180), (190, -170), (-190, 170), (880, 160), (-36_000, 0),
    ] {
      let player = try LivePlayer(Self.patch(Self.step(100, to, 4000)))
      try player.pull(5000)
      let space = try #require(player.live.present.nodes["space"])
      let value = try player.live.graph.unit(space).parameter(0, .input, 0)
      #expect(abs(Double(value) - end) < 0.01)
      // The document contains the angle within the range, and is valid.
      let reading = player.live.reading
      let written = JSONPointer(parsing: Self.azimuth).flatMap {
        reading.document?.root[$0]?.number
      }
      #expect(written == end)
      #expect(
        !PatchBuilder.build(reading)
          .hasErrors)
    }
  }

  @Test func `the way there goes through the angles between`() throws {
    let player = try LivePlayer(Self.patch(Self.step(0, 520, 36_000)))
    let space = try #require(player.live.present.nodes["space"])
    for frame in stride(from: 640, through: 35_840, by: 3200) {
      try player.pull(frame - (player.live.graph.session?.nextFrame ?? 0))
      let value = try Double(player.live.graph.unit(space).parameter(0, .input, 0))
      let turned = 160 + 360 * Double(frame) / 36_000
      let expected = turned - 360 * ((turned + 180) / 360).rounded(.down)
      #expect(abs(value - expected) < 0.01)
    }
  }

  @Test func `beyond a hundred turns, and of what does not go around, it is out of range`() {
    for wrong in [
      Self.step(0, 36_001), Self.step(0, 500).replacing("azimuth", with: "elevation"),
    ] {
      let patch = PatchBuilder.build(LivePlayer.read(Self.patch(wrong)))
      #expect(patch.diagnostics.filter { $0.severity == .error }.map(\.code.rawValue) == ["PR0552"])
    }
    // A setting that is not ramped stays limited to the range.
    let set = PatchBuilder.build(
      LivePlayer.read(Self.patch("").replacing("\"azimuth\": 160", with: "\"azimuth\": 200")))
    #expect(set.hasErrors)
  }

  @Test func `parameters of one key that go around have one range`() {
    for component in UnitCatalog.standard.components {
      for info in component.unit.description.parameters {
        guard let circle = TimelineFold.circularParameters[info.key] else { continue }
        #expect(info.isCircular && info.range == circle.range, "\(component.name) \(info.key)")
      }
    }
    #expect(TimelineFold.circularParameters["azimuth"] != nil)
  }
}
