import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchSyntax
import RenderCore
import RenderHost
import TestSupport
import Testing

@testable import PatchGraph

private func patch(
  callbacks: String = "", nodes: String = "", connections: String, mixer: String = "",
  rest: String = ""
) -> String {
  """
  {
    "schemaVersion": 1,
    "session": { "category": "playback", "preferredSampleRate": 48000 },
    "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
    "callbacks": {
      "low": { "kind": "tone", "frequency": 60, "amplitude": 0.2 },
      "high": { "kind": "tone", "frequency": 90, "amplitude": 0.2 }\(callbacks)
    },
    "nodes": {
      "mixer": {
        "component": "MultichannelMixer",
        "properties": { "maximumFramesPerSlice": 4096 }\(mixer)
      },
      "io": { "component": "remoteIO" }\(nodes)
    },
    "connections": [
      \(connections),
      { "from": "mixer", "to": "io" }
    ]\(rest)
  }
  """
}

private let two = #"{ "from": "low", "to": "mixer" }, { "from": "high", "to": "mixer:1" }"#

struct LivePatchTests {
  @Test func `a document that says the same changes nothing`() throws {
    let player = try LivePlayer(patch(connections: two))
    try player.pull(1000)
    #expect(try player.play(patch(connections: two)).isEmpty)
    let spelt = patch(connections: two).replacing("\"mixer\" }, {", with: "\"mixer:0\" }, {")
    #expect(try player.play(spelt).isEmpty)
    #expect(player.live.graph.session?.waitingStages == 0)
  }

  @Test func `a wrong document leaves the patch as it is and says why`() throws {
    let player = try LivePlayer(patch(connections: two))
    try player.pull(512)
    do {
      try player.play(patch(connections: #"{ "from": "lwo", "to": "mixer" }"#))
      Issue.record("it was taken up")
    } catch LivePatch.Refusal.wrong(let wrong) {
      #expect(wrong.diagnostics.map(\.code.rawValue).contains("PR0203"))
    }
    #expect(throws: LivePatch.Refusal.self) { try player.play("{") }
    try player.pull(512)
    let alone = try LivePlayer(patch(connections: two))
    try alone.pull(1024)
    #expect(player.heard == alone.heard)
  }

  @Test func `a parameter glides, and nothing else is touched`() throws {
    let player = try LivePlayer(patch(connections: two))
    try player.pull(2000)
    let changes = try player.play(
      patch(
        connections: two, mixer: #", "inputs": { "0": { "parameters": { "volume": 0.25 } } }"#))
    #expect(changes.map(\.heard) == [.ramp])
    #expect(changes.map(\.pointer) == ["/nodes/mixer/inputs/0/parameters/volume"])
    #expect(player.live.graph.session?.waitingStages == 0)
    try player.pull(4000)
    // The gain falls by 0.75 within 480 frames, linearly with two corners.
    let corner = 0.75 * 0.2 / 480
    #expect(roughness(player.heard[0]) < corner + smoothness(60, 0.2) + smoothness(90, 0.2))
    // Without the setting, it returns to its default.
    #expect(try player.play(patch(connections: two)).map(\.heard) == [.ramp])
  }

  @Test func `a property that may change while it renders is set, any other makes the unit anew`()
    throws
  {
    let player = try LivePlayer(patch(connections: two))
    try player.pull(2000)
    let metered = patch(
      connections: two, mixer: #", "inputs": { "1": { "properties": { "meteringMode": true } } }"#)
    let changes = try player.play(metered)
    #expect(changes.map(\.heard) == [.live])
    let mixer = try #require(player.live.graph.nodes.first)
    #expect(
      try player.live.graph.unit(mixer).property(.meteringMode, .input, 1) == .uint32(1))
    let other = metered.replacing("4096", with: "2048")
    #expect(try player.play(other).map(\.heard) == [.reinitialize])
    try player.pull(4000)
    #expect(roughness(player.heard[0]) < 3 * (smoothness(60, 0.2) + smoothness(90, 0.2)))
    // The tones have continued in phase.
    let alone = try LivePlayer(patch(connections: two))
    try alone.pull(6000)
    for frame in 0..<6000 {
      #expect(abs(player.heard[0][frame] - alone.heard[0][frame]) < 1e-6)
    }
  }

  @Test func `an equalizer goes in and out, and the tone behind it goes on in phase`() throws {
    let player = try LivePlayer(patch(connections: two))
    try player.pull(3000)
    let inserted = patch(
      nodes: #"""
        , "eq": { "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Bass Booster" } }
        """#,
      connections:
        #"{ "from": "low", "to": "mixer" }, { "from": "high", "to": "eq" }, { "from": "eq", "to": "mixer:1" }"#
    )
    let changes = try player.play(inserted)
    #expect(changes.allSatisfy { $0.heard == .crossfade })
    #expect(changes.map(\.pointer).contains("/nodes/eq"))
    try player.pull(5000)
    try player.play(patch(connections: two))
    try player.pull(5000)
    #expect(roughness(player.heard[0]) < 6 * (smoothness(60, 0.2) + smoothness(90, 0.2)))
    let alone = try LivePlayer(patch(connections: two))
    try alone.pull(13_000)
    for frame in 10_000..<13_000 {
      #expect(abs(player.heard[0][frame] - alone.heard[0][frame]) < 1e-6)
    }
    #expect(player.live.graph.nodeCount == 2)
  }

  @Test func `formats, counts and callbacks change while it plays`() throws {
    let player = try LivePlayer(patch(connections: two))
    try player.pull(2000)
    for text in [
      patch(connections: two).replacing("\"float32\"", with: "\"float32\"")
        .replacing("\"frequency\": 90", with: "\"frequency\": 75"),
      patch(connections: two, mixer: #", "inputCount": 3"#),
      patch(
        connections: two,
        mixer:
          #", "inputs": { "1": { "streamFormat": { "sample": "int16", "channels": 1, "sampleRate": "session" } } }"#
      ),
      patch(connections: #"{ "from": "low", "to": "mixer:4" }"#),
      patch(connections: two),
    ] {
      let changes = try player.play(text)
      #expect(!changes.isEmpty)
      #expect(!changes.contains { $0.heard == .restart })
      try player.pull(3000)
    }
    #expect(roughness(player.heard[0]) < 6 * (smoothness(60, 0.2) + smoothness(90, 0.2)) + 1e-4)
  }

  @Test func `another output unit is a restart`() throws {
    let player = try LivePlayer(patch(connections: two))
    do {
      try player.play(
        patch(connections: two).replacing("\"remoteIO\"", with: "\"GenericOutput\""))
      Issue.record("it was taken up")
    } catch LivePatch.Refusal.restart(_, let changes) {
      #expect(changes.contains { $0.heard == .restart })
    }
  }

  @Test func `a change at a time falls on its frame at every slice size`() throws {
    let later = patch(
      callbacks: #", "third": { "kind": "tone", "frequency": 45, "amplitude": 0.1 }"#,
      connections: two + #", { "from": "third", "to": "mixer:2" }"#,
      mixer: #", "inputs": { "0": { "parameters": { "volume": 0.5 } } }"#)
    var whole: [[Float]]?
    for frames in [256, 64, 1000, 4096] {
      let player = try LivePlayer(patch(connections: two), frames: frames)
      try player.play(later, at: 0.05)
      try player.play(patch(connections: two), at: 0.1)
      try player.pull(9600)
      if let whole { #expect(player.heard == whole) }
      whole = player.heard
    }
  }
}

/// Random patches of one family: tones through equalizers and converters into a mixer.
private struct RandomPatch {
  var generator: SplitMix64

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }

  mutating func next() -> String {
    var callbacks: [String] = []
    var nodes: [String] = []
    var connections: [String] = []
    var inputs: [String] = []
    for index in 0..<Int.random(in: 1...4, using: &generator) {
      callbacks.append(
        #""tone\#(index)": { "kind": "tone", "frequency": \#(pick([50, 60, 70])), "amplitude": 0.05 }"#
      )
      var source = "tone\(index)"
      let bus = pick([index, index, index + 4])
      if pick([false, true]) {
        let preset = pick(["Flat", "Bass Booster", "Rock", "Jazz"])
        nodes.append(
          #"""
          "eq\#(index)": { "component": "iPodEQ",
            "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "\#(preset)" } }
          """#)
        connections.append(#"{ "from": "\#(source)", "to": "eq\#(index)" }"#)
        source = "eq\(index)"
      } else if pick([false, false, true]) {
        nodes.append(
          #"""
          "conv\#(index)": { "component": "FormatConverter",
            "properties": { "maximumFramesPerSlice": 4096 },
            "inputs": { "0": { "streamFormat":
              { "sample": "\#(pick(["float32", "int16"]))", "channels": 2, "sampleRate": 44100 } } },
            "outputs": { "0": { "streamFormat":
              { "sample": "float32", "channels": 2, "sampleRate": 48000 } } } }
          """#)
        connections.append(#"{ "from": "\#(source)", "to": "conv\#(index)" }"#)
        source = "conv\(index)"
      }
      connections.append(#"{ "from": "\#(source)", "to": "mixer:\#(bus)" }"#)
      inputs.append(
        #""\#(bus)": { "parameters": { "volume": \#(pick([0.5, 0.8, 1])), "pan": \#(pick([-0.5, 0, 0.5])) } }"#
      )
    }
    return """
      { "session": { "category": "playback", "preferredSampleRate": 48000 },
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "callbacks": { \(callbacks.joined(separator: ",")) },
        "nodes": { \((nodes + [#"""
        "mixer": { "component": "MultichannelMixer", "inputCount": \#(pick([8, 8, 8, 9])),
          "properties": { "maximumFramesPerSlice": \#(pick([4096, 4096, 4096, 2048])) },
          "inputs": { \#(inputs.joined(separator: ",")) } },
        "io": { "component": "remoteIO" }
        """#]).joined(separator: ",")) },
        "connections": [ \((connections + [#"{ "from": "mixer", "to": "io" }"#]).joined(separator: ",")) ] }
      """
  }
}

struct RandomReloadTests {
  /// `PATCHRUN_LONG=1 swift test --filter RandomReloadTests` makes a thousand.
  private static var count: Int {
    ProcessInfo.processInfo.environment["PATCHRUN_LONG"] == nil ? 120 : 1000
  }

  @Test func `patches at random follow each other without a step, a gap or a leak`() throws {
    var patches = RandomPatch(generator: SplitMix64(seed: 2010))
    let player = try LivePlayer(patches.next())
    let session = try #require(player.live.graph.session)
    var pulled = 0
    var units: [Weak] = []
    for _ in 0..<Self.count {
      let length = Int.random(in: 64...3000, using: &patches.generator)
      try player.pull(length)
      pulled += length
      let changes = try player.play(patches.next())
      #expect(!changes.contains { $0.heard == .restart })
      for node in player.live.graph.nodes {
        let unit = try player.live.graph.unit(node)
        if !units.contains(where: { $0.unit === unit }) { units.append(Weak(unit: unit)) }
      }
    }
    try player.pull(9600)
    player.live.graph.collect()
    #expect(session.waitingStages == 0)
    #expect(session.renderedFrames == pulled + 9600)
    #expect(player.heard[0].count == pulled + 9600)
    // Linear gain ramps have corners: five tones of 0.05 that change direction at the same time,
    // within 480 frames.
    let corners = 5 * 0.05 / 480 * 2
    #expect(roughness(player.heard[0]) < corners)
    #expect(roughness(player.heard[1]) < corners)
    // Removed units are freed.
    let alive = units.filter { $0.unit != nil }.count
    #expect(units.count > Self.count / 2)
    #expect(alive == player.live.graph.nodeCount)
  }

  private struct Weak {
    weak var unit: UnitInstance?
  }
}
