import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost
import TestSupport
import Testing

/// Callbacks with an input, from the text of a patch to the samples.
@Suite struct CallbackPatchTests {
  /// The loudspeaker's output for a ramp at the microphone: one channel of floats.
  private func play(_ callbacks: String, _ from: String, overrides: [String] = []) throws -> [Float]
  {
    let text = """
      {
        "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 48000 },
        "callbacks": { \(callbacks) },
        "nodes": {
          "io": {
            "component": "remoteIO",
            "inputs": { "1": { "properties": { "enableIO": true } } }
          }
        },
        "connections": [ { "from": "\(from)", "to": "io:0" } ]
      }
      """
    var hardware = HardwareAssumption()
    hardware.sampleRate = 48_000
    hardware.channels = 1
    let patch = PatchBuilder.build(
      text, name: "test.json", overrides: overrides, hardware: hardware)
    let words = TextRenderer(source: patch.source).render(patch.diagnostics)
    #expect(patch.diagnostics.isEmpty, "\(words)")
    let graph = try #require(patch.graph)
    try graph.initialize()
    let device = OfflineDevice(
      graph.grant,
      microphone: { (position, buffer) throws(ServiceError) in
        for frame in buffer.indices { buffer[frame] = Self.heard(position + frame) }
      })
    var samples: [Float] = []
    let session = try #require(graph.session)
    let outcome = device.run(
      session, frameCount: 3000, services: graph.services,
      sink: { (slice) throws(ServiceError) in
        for frame in 0..<slice.count / 4 {
          let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(slice[frame * 4 + $1]) << (8 * $1) }
          samples.append(Float(bitPattern: bits))
        }
      })
    #expect(outcome.errors.isEmpty && session.failedSlices.count == 0)
    return samples
  }

  private static func heard(_ frame: Int) -> Float { Float(frame % 100) / 200 }

  /// The output of plain pass-through, which includes the microphone's latency.
  private func passedThrough() throws -> [Float] {
    try play(#""plain": { "kind": "gain", "gain": 1, "from": "io:1" }"#, "plain")
  }

  @Test func `a gain of 1 on the microphone is the microphone`() throws {
    let found = try passedThrough()
    let first = try #require(found.firstIndex { $0 != 0 })
    #expect(found.count == 3000 && first < 2000)
    for frame in first..<3000 { #expect(found[frame] == Self.heard(frame - first + 1)) }
  }

  @Test func `callbacks pull one another, the last first`() throws {
    let plain = try passedThrough()
    let found = try play(
      """
      "last":  { "kind": "expression", "value": "input + offset * frame",
                 "constants": { "offset": 2 }, "from": "middle" },
      "middle": { "kind": "gain", "gain": -0.5, "from": "first" },
      "first": { "kind": "expression", "value": "input ^ 2", "from": "io:1" }
      """, "last")
    for frame in plain.indices {
      let middle = Float(Double(plain[frame]) * Double(plain[frame])) * -0.5
      #expect(found[frame] == Float(Double(middle) + 2 * Double(frame)))
    }
  }

  @Test func `a constant is addressed by its pointer`() throws {
    let found = try play(
      #""ones": { "kind": "expression", "value": "k", "constants": { "k": 0.5 } }"#, "ones",
      overrides: ["/callbacks/ones/constants/k=0.25"])
    #expect(found.allSatisfy { $0 == 0.25 })
  }

  @Test func `no text of an expression stops the builder`() {
    var generator = SplitMix64(seed: 1)
    let pieces = [
      #"\u0073in"#, "sin", "(", ")", "time", #"\ud83d"#, #"\ude00"#, #"\ud83d\ude00"#, #"\n"#,
      #"\""#,
      #"\x"#, #"\u12"#, #"\"#, "é", "+", "1", "1e", " ", "\u{1}", "tiem", "^", "?", ":",
    ]
    for _ in 0..<2000 {
      let value = (0..<Int.random(in: 0...8, using: &generator))
        .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
      let text = """
        { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 48000 },
          "callbacks": { "x": { "kind": "expression", "value": "\(value)" } },
          "nodes": { "io": { "component": "remoteIO" } },
          "connections": [ { "from": "x", "to": "io" } ] }
        """
      let patch = PatchBuilder.build(text, name: "test.json")
      for diagnostic in patch.diagnostics {
        #expect(diagnostic.range.upperBound <= patch.source.bytes.count, "\(value)")
      }
      #expect(
        !TextRenderer(source: patch.source).render(patch.diagnostics).isEmpty || !patch.hasErrors)
    }
  }

  @Test func `two inputs that one callback feeds hear the same sound from its beginning`() throws {
    let text = """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
        "callbacks": {
          "quiet": { "kind": "gain", "gain": 0.5, "from": "ones" },
          "ones": { "kind": "expression", "value": "1" }
        },
        "nodes": {
          "mixer": {
            "component": "MultichannelMixer", "inputCount": 2,
            "properties": { "maximumFramesPerSlice": 4096 },
            "outputs": { "0": { "sampleRate": 48000 } }
          },
          "io": { "component": "GenericOutput" }
        },
        "connections": [
          { "from": "quiet", "to": "mixer:0" }, { "from": "quiet", "to": "mixer:1" },
          { "from": "mixer", "to": "io" }
        ]
      }
      """
    let patch = PatchBuilder.build(text, name: "test.json")
    let words = TextRenderer(source: patch.source).render(patch.diagnostics)
    #expect(patch.diagnostics.isEmpty, "\(words)")
    let interactions = try #require(patch.graph).interactions.filter { $0.connection == nil }
    #expect(interactions.count == 2)
  }
}
