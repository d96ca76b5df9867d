import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchSyntax
import RenderCore
import RenderHost
import TestSupport
import Testing

@testable import PatchGraph

/// Knobs of sub-graphs: setting one has the effect of setting its target.
@Suite struct KnobTests {
  private static let format =
    #""streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 }"#
  private static let slice = #""properties": { "maximumFramesPerSlice": 4096 }"#

  /// A distortion, a tremolo and a fader, with knobs.
  private static func strip(
    _ knobs: String = #"""
    "drive": { "turns": "/nodes/dist/parameters/softClipGain", "min": -20, "max": "12 dB" },
    "level": "/nodes/fader/inputs/0/parameters/volume",
    "both": [ "/nodes/fader/inputs/0/parameters/volume", "/nodes/fader/outputs/0/parameters/volume" ],
    "depth": "/callbacks/shake/depth",
    "shape": "/callbacks/wave/constants/a",
    "bell": { "turns": "/nodes/eq/bands/0/gain", "max": 6 }
    """#
  ) -> String {
    """
    {
      \(format),
      "callbacks": {
        "in": { "kind": "input" },
        "shake": { "kind": "tremolo", "depth": 0.25, "rate": 7, "from": "in" },
        "wave": { "kind": "expression", "value": "0.2 * sin(tau * 99 * time) * a",
          "constants": { "a": 0.5, "b": 1 } }
      },
      "nodes": {
        "dist": { "component": "Distortion", \(slice) },
        "eq": { "component": "NBandEQ", \(slice),
          "bands": [ { "type": "parametric", "frequency": 800, "gain": 2 } ] },
        "fader": { "component": "MultichannelMixer", \(slice), "inputCount": 2,
          "inputs": { "0": { "parameters": { "volume": 0.5 } } } },
        "out": { "component": "GenericOutput" }
      },
      "connections": [
        { "from": "shake", "to": "dist" }, { "from": "dist", "to": "eq" },
        { "from": "eq", "to": "fader:0" }, { "from": "wave", "to": "fader:1" },
        { "from": "fader", "to": "out" }
      ],
      "knobs": { \(knobs) }
    }
    """
  }

  /// A patch with its own strip, and with knobs that control the first strip's knobs.
  private static let rack = """
    {
      \(format),
      "callbacks": { "in": { "kind": "input" } },
      "nodes": {
        "inner": { "subgraph": "strip.json", "parameters": { "level": 0.25 } },
        "out": { "component": "GenericOutput" }
      },
      "connections": [ { "from": "in", "to": "inner" }, { "from": "inner", "to": "out" } ],
      "knobs": {
        "volume": { "turns": "/nodes/inner/parameters/level", "max": 1 },
        "drive": "/nodes/inner/parameters/drive",
        "past": "/nodes/inner/nodes/eq/bands/0/gain"
      }
    }
    """

  private static func outer(
    _ node: String, timeline: String = "", file: String = "strip.json"
  ) -> String {
    """
    {
      \(format),
      "callbacks": { "noise": { "kind": "noise", "seed": 7, "amplitude": 0.2 } },
      "nodes": {
        "strip": { "subgraph": "\(file)"\(node) },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "noise", "to": "strip" }, { "from": "strip", "to": "io" } ],
      "timeline": [ \(timeline) ]
    }
    """
  }

  private static func folder(_ knobs: String? = nil) throws -> TemporaryFolder {
    try TemporaryFolder(["strip.json": knobs.map { strip($0) } ?? strip(), "rack.json": rack])
  }

  private func render(_ patch: BuiltPatch, frameCount: Int = 12_000) throws -> [UInt8] {
    try patch.played(frameCount: frameCount)
  }

  // MARK: Sound

  /// A knob's value, and the settings with the same effect.
  private static let values: [(knob: String, value: String, settings: [(String, String)])] = [
    ("drive", "8", [("/nodes/dist/parameters/softClipGain", "8")]),
    ("drive", "\"8 dB\"", [("/nodes/dist/parameters/softClipGain", "8")]),
    ("level", "0.75", [("/nodes/fader/inputs/0/parameters/volume", "0.75")]),
    (
      "both", "\"-6 dB\"",
      [
        ("/nodes/fader/inputs/0/parameters/volume", "\"-6 dB\""),
        ("/nodes/fader/outputs/0/parameters/volume", "\"-6 dB\""),
      ]
    ),
    ("depth", "0.8", [("/callbacks/shake/depth", "0.8")]),
    ("shape", "1.5", [("/callbacks/wave/constants/a", "1.5")]),
    ("bell", "-3", [("/nodes/eq/bands/0/gain", "-3")]),
  ]

  private static func settings(_ some: [(String, String)]) -> String {
    ", \"settings\": { "
      + some.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + " }"
  }

  @Test(arguments: values.indices)
  func `a knob that is set sounds as what it turns does, set inside`(index: Int) throws {
    let (knob, value, settings) = Self.values[index]
    let folder = try Self.folder()
    let turned = folder.build(Self.outer(", \"parameters\": { \"\(knob)\": \(value) }"))
    let set = folder.build(Self.outer(Self.settings(settings)))
    let expected = try render(set)
    #expect(try render(turned) == expected)
    #expect(try render(folder.build(Self.outer(""))) != expected)
    // The same with --set, for a node that sets no knob yet.
    let plain = value.replacing("\"", with: "")
    #expect(
      try render(
        folder.build(Self.outer(""), overrides: ["/nodes/strip/parameters/\(knob)=\(plain)"]))
        == expected)
  }

  @Test(arguments: [1, 333, 4096])
  func `a knob that ramps sounds as what it turns does, ramped inside`(frames: Int) throws {
    let folder = try Self.folder()
    func ramp(_ path: String, _ to: String) -> String {
      """
      { "at": 0.05, "ramp": { "path": "\(path)", "to": \(to), "duration": 0.1 } }
      """
    }
    for (knob, value, settings) in Self.values {
      let turned = folder.build(
        Self.outer("", timeline: ramp("/nodes/strip/parameters/\(knob)", value)), frames: frames)
      let inside = settings.map { ramp("/nodes/strip\($0.0)", $0.1) }.joined(separator: ", ")
      let set = folder.build(Self.outer("", timeline: inside))
      #expect(try render(turned) == (try render(set)), "\(knob)")
    }
  }

  @Test func `a knob of a knob turns what that turns, over what the patch between says`() throws {
    let folder = try Self.folder()
    let turned = folder.build(
      Self.outer(
        #", "parameters": { "volume": 0.9, "drive": 3, "past": 5 }"#, file: "rack.json"))
    let set = folder.build(
      Self.outer(
        Self.settings([
          ("/nodes/inner/parameters/level", "0.9"),
          ("/nodes/inner/nodes/dist/parameters/softClipGain", "3"),
          ("/nodes/inner/nodes/eq/bands/0/gain", "5"),
        ]), file: "rack.json"))
    #expect(try render(turned) == (try render(set)))
    let ramped = folder.build(
      Self.outer(
        "",
        timeline: """
          { "at": 0.02, "ramp": { "path": "/nodes/strip/parameters/volume", "to": 0.9,
            "duration": 0.1 } },
          { "at": 0.04, "ramp": { "path": "/nodes/strip/nodes/inner/parameters/drive", "to": 3 } }
          """, file: "rack.json"))
    let inside = folder.build(
      Self.outer(
        "",
        timeline: """
          { "at": 0.02, "ramp": { "path": "/nodes/strip/nodes/inner/parameters/level",
            "to": 0.9, "duration": 0.1 } },
          { "at": 0.04, "ramp": { "path": "/nodes/strip/nodes/inner/nodes/dist/parameters/softClipGain",
            "to": 3 } }
          """, file: "rack.json"))
    #expect(try render(ramped) == (try render(inside)))
  }

  @Test(arguments: values.indices)
  func `a knob that is turned while it plays sounds as what it turns does`(index: Int) throws {
    let (knob, value, settings) = Self.values[index]
    let folder = try Self.folder()
    func heard(_ node: String) throws -> [[Float]] {
      let player = try LivePlayer(Self.outer(""), directory: folder.url.path, keeping: folder)
      try player.pull(3_000)
      let changes = try player.play(Self.outer(node))
      #expect(!changes.isEmpty && changes.allSatisfy { [.ramp, .live].contains($0.heard) })
      try player.pull(6_000)
      return player.heard
    }
    let turned = try heard(", \"parameters\": { \"\(knob)\": \(value) }")
    #expect(turned == (try heard(Self.settings(settings))))
  }

  @Test func `what a ramp of a knob has done is in the document as the knob`() throws {
    let folder = try Self.folder()
    let text = Self.outer(
      "",
      timeline: #"{ "at": 0.01, "ramp": { "path": "/nodes/strip/parameters/both", "to": 0.3 } }"#)
    let player = try LivePlayer(text, directory: folder.url.path, keeping: folder)
    try player.pull(4_000)
    let root = try #require(player.live.reading.document?.root)
    let pointer = JSONPointer(["nodes", "strip", "parameters", "both"])
    #expect(root[pointer]?.number == 0.3 && root["timeline"]?.elements.first { _ in true } == nil)
  }

  @Test func `a patch with knobs means the same, written out`() throws {
    let folder = try Self.folder()
    let text = Self.outer(
      #", "parameters": { "drive": 8, "bell": -2, "depth": 0.7, "shape": 1.25 }"#,
      timeline: """
        { "at": 0.05, "ramp": { "path": "/nodes/strip/parameters/both", "to": "-9 dB", "duration": 0.1 } }
        """)
    let patch = folder.build(text)
    let expected = try render(patch)
    var hardware = HardwareAssumption()
    hardware.sampleRate = 44_100
    let expanded = try #require(
      try ExpandedPatch(
        folder.build(text), in: PatchSurroundings(directory: folder.url.path),
        device: .assumed(hardware)))
    let written = expanded.document.document
    for gone in ["knobs", "subgraph", "dB"] { #expect(!written.contains(gone), "\(gone)") }
    #expect(try render(folder.build(written)) == expected)
  }

  // MARK: Diagnostics

  private func findings(_ patch: BuiltPatch) -> [String] {
    patch.diagnostics.filter { $0.severity == .error }.map { "\($0.code) \($0.message.text)" }
  }

  @Test(arguments: [
    (#""a": "/nodes/dst/parameters/softClipGain""#, "PR0236 the patch has no node 'dst'"),
    (
      #""a": "/nodes/dist/parameters/softClipGan""#,
      "PR0236 the global scope of Distortion has no parameter 'softClipGan'"
    ),
    (#""a": "/nodes/dist/properties/bypassEffect""#, "PR0236 this is not the place of a parameter"),
    (#""a": "/title""#, "PR0236 this is not the place of a parameter"),
    (#""a": "/nodes/fader/inputs/7/parameters/volume""#, "PR0236 'fader' has no input 7"),
    (#""a": "/nodes/eq/bands/3/gain""#, "PR0236 'eq' has no band '3'"),
    (
      #""a": "/callbacks/shake/shape""#,
      "PR0236 'shape' of 'shake', a callback of the kind 'tremolo', is no setting"
    ),
    (#""a": "/callbacks/wave/constants/c""#, "PR0236 'constants' of 'wave' has no 'c'"),
    (
      #""a": ["/nodes/dist/parameters/softClipGain", "/callbacks/shake/rate"]"#,
      "PR0236 'softClipGain' and 'rate' are measured in different units"
    ),
    (
      #""a": { "turns": "/nodes/dist/parameters/softClipGain", "max": 99 }"#,
      "PR0237 'softClipGain' does not go there"
    ),
    (
      #""a": { "turns": "/callbacks/shake/depth", "min": 0.5, "max": 0.25 }"#,
      "PR0237 'max' is below 'min'"
    ),
    (#""a": { "turns": "nodes" }"#, "PR0113 'nodes' is not a JSON Pointer"),
    (#""a": { "min": 1 }"#, "PR0103 a knob needs 'turns'"),
    (#""a": []"#, "PR0101 a knob is a JSON Pointer"),
  ])
  func `what is wrong with a knob is said once, where it is declared`(
    knobs: String, expected: String
  ) throws {
    let folder = try Self.folder(knobs)
    let patch = folder.build(Self.outer(""))
    let found = findings(patch)
    #expect(found.count == 1 && found[0].hasPrefix(expected), "\(found)")
    let place = try #require(patch.diagnostics.first?.range)
    #expect(patch.source.origin(of: place).text.name.hasSuffix("strip.json"))
    // The same if the patch runs by itself.
    #expect(findings(folder.build(Self.strip(knobs))) == found)
  }

  @Test(arguments: [
    (#""parameters": { "drve": 1 }"#, "", "PR0238 the sub-graph 'strip' has no knob 'drve'"),
    (
      #""parameters": { "drive": 15 }"#, "",
      "PR0239 the knob 'drive' takes a number from -20 to 12 dB"
    ),
    (#""parameters": { "bell": 7 }"#, "", "PR0239 the knob 'bell' takes a number from -96 to 6 dB"),
    (#""parameters": { "depth": 2 }"#, "", "PR0239 the knob 'depth' takes a number from 0 to 1"),
    (#""parameters": { "drive": true }"#, "", "PR0239 the knob 'drive' takes"),
    (
      "", #"{ "at": 0, "ramp": { "path": "/nodes/strip/parameters/drv", "to": 1 } }"#,
      "PR0238 the sub-graph 'strip' has no knob 'drv'"
    ),
    (
      "", #"{ "at": 0, "ramp": { "path": "/nodes/strip/parameters/drive", "to": 13 } }"#,
      "PR0239 the knob 'drive' takes a number from -20 to 12 dB"
    ),
    (
      #""parameters": { "drive": 1 }, "settings": { "/nodes/dist/parameters/softClipGain": 2 }"#,
      "", "PR0240 'softClipGain' is turned by the knob 'drive'"
    ),
    (
      #""parameters": { "level": 1, "both": 0.5 }"#, "",
      "PR0240 'both' turns what the knob 'level' turns"
    ),
    (
      #""parameters": { "level": 1 }"#,
      """
      { "at": 0, "ramp": { "path": "/nodes/strip/nodes/fader/inputs/0/parameters/volume", "to": 0 } }
      """, "PR0240 'volume' is turned by the knob 'level'"
    ),
    (#""parameters": 3"#, "", "PR0101 'parameters' is an object"),
  ])
  func `what is wrong with turning a knob is said once, where it is turned`(
    node: String, timeline: String, expected: String
  ) throws {
    let folder = try Self.folder()
    let text = Self.outer(node.isEmpty ? "" : ", " + node, timeline: timeline)
    let patch = folder.build(text)
    let found = findings(patch)
    #expect(found.count == 1 && found[0].hasPrefix(expected), "\(found)")
    let place = try #require(patch.diagnostics.first?.range)
    #expect(patch.source.origin(of: place).text.name == "patch.json")
  }

  @Test func `a misspelt knob is put right`() throws {
    let folder = try Self.folder()
    let text = Self.outer(#", "parameters": { "drve": 1 }"#)
    let result = PatchFixer.fix(
      SourceText(name: "patch.json", text: text), directory: folder.url.path,
      device: .assumed(HardwareAssumption()))
    #expect(
      String(decoding: result.patch.ownSource.bytes, as: UTF8.self)
        == text.replacing("drve", with: "drive"))
  }

  // MARK: Controls

  @Test func `a knob is a control with the range and the value of what it turns`() throws {
    let folder = try Self.folder()
    let player = try LivePlayer(
      Self.outer(#", "parameters": { "level": 0.75 }"#), directory: folder.url.path,
      keeping: folder)
    let controls = player.live.controls.controls
    let knobs = controls.filter { $0.node == "strip" }
    #expect(knobs.map(\.key) == ["drive", "level", "both", "depth", "shape", "bell"])
    #expect(
      knobs.map(\.pointer.description).allSatisfy { $0.hasPrefix("/nodes/strip/parameters/") })
    #expect(knobs[0].range == -20...12 && knobs[0].unit == .decibels && knobs[0].isWritable)
    #expect(knobs[1].value == .number(0.75) && knobs[1].isInDocument && knobs[1].isWritable)
    // The target of a knob cannot be set otherwise.
    #expect(!knobs[2].isWritable)
    let inside = try #require(
      controls.first { $0.node == "strip/fader" && $0.key == "volume" && $0.scope == .input })
    #expect(!inside.isWritable && inside.value == .number(0.75))
    #expect(knobs[3].value == .number(0.25) && knobs[4].value == .number(0.5))
  }

  @Test func `a request makes no knob louder than the patch allows`() throws {
    let folder = try Self.folder(#""wave": "/callbacks/noise/gain""#)
    let text = Self.strip(#""boost": "/callbacks/boost/gain""#).replacing(
      #""wave": {"#, with: #""boost": { "kind": "gain", "gain": 1, "from": "shake" }, "wave": {"#
    ).replacing(#"{ "from": "shake", "to": "dist" }"#, with: #"{ "from": "boost", "to": "dist" }"#)
    try folder.write(text, to: "strip.json")
    func outer(_ gain: String) -> String {
      Self.outer(#", "parameters": { "boost": \#(gain) }"#).replacing(
        "\"callbacks\"", with: #""limits": { "requestedGain": "6 dB" }, "callbacks""#)
    }
    let player = try LivePlayer(outer("1"), directory: folder.url.path, keeping: folder)
    #expect(throws: LivePatch.Refusal.self) {
      try player.live.play(LivePlayer.read(outer("90")), isRequest: true)
    }
    #expect(try !player.live.play(LivePlayer.read(outer("1.5")), isRequest: true).isEmpty)
  }
}
