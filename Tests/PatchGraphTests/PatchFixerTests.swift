import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import Testing

@Suite struct PatchFixerTests {
  private func fix(_ source: SourceText, directory: String = "") -> PatchFixer.Result {
    PatchFixer.fix(source, directory: directory, device: .assumed(HardwareAssumption()))
  }

  private func fix(_ text: String, _ name: String = "test.json") -> (String, PatchFixer.Result) {
    let result = fix(SourceText(name: name, text: text))
    return (String(decoding: result.patch.ownSource.bytes, as: UTF8.self), result)
  }

  private func diagnostics(_ source: SourceText, directory: String = "") -> [Diagnostic] {
    PatchBuilder.build(PatchReader.read(source), directory: directory).asWritten().diagnostics
  }

  /// A patch with a callback, a mixer and an I/O unit, with each name once.
  private let whole = """
    {
      // A comment, and  blanks  that stay.
      "session":   { "category": "playback" },
      "streamFormats": { "stereo": { "sample": "float32", "channels": 2, "sampleRate": "session" } },
      "callbacks": {
        "guitar": { "kind": "noise", "color": "pink", "amplitude": 0.1 },
        "drums": { "kind": "expression", "value": "depth * sin(tau * 3 * time)", "constants": { "depth": 0.3 } }
      },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputCount": 2,
          "inputs": {
            "0": { "streamFormat": "stereo", "parameters": { "volume": 0.8 } },
            "1": { "streamFormat": "stereo", "properties": { "meteringMode": true } }
          },
          "outputs": { "0": { "sampleRate": "session" } }
        },
        "io": { "component": { "type": "auou", "subtype": "kAudioUnitSubType_RemoteIO" } },
      },
      "connections": [
        { "from": "guitar", "to": "mixer:0" },
        { "from": "drums", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ],
      "timeline": [
        { "at": 1, "ramp": { "path": "/nodes/mixer/inputs/0/parameters/pan", "to": 1 } }
      ]
    }
    """

  @Test(arguments: [
    (#""playback""#, #""playbak""#), (#""session":   {"#, #""sesion":   {"#),
    (#""float32""#, #""flaot32""#), (#""noise""#, #""nois""#), (#""pink""#, #""pinkk""#),
    (#""amplitude""#, #""amplitud""#), ("* time", "* tiem"),
    (#""MultichannelMixer""#, #""MultiChannelMixr""#),
    (#""maximumFramesPerSlice""#, #""maximumFramePerSlice""#),
    (#""inputCount""#, #""inputcount""#), (#""volume""#, #""volum""#),
    (#""meteringMode""#, #""MeteringMode""#),
    (
      #""streamFormat": "stereo", "par"#,
      #""streamFormat": "sterio", "par"#
    ), ("\"from\": \"guitar\"", "\"from\": \"giutar\""),
    (#""to": "mixer:1""#, #""to": "mixr:1""#), ("0.8", "\"0.8\""), ("true", "True"),
    ("4096", "\"4096\""), ("true", "\"true\""),
    ("/nodes/mixer/", "/nodes/mixxer/"),
    (
      #""kAudioUnitSubType_RemoteIO""#,
      #""kAudioUnitSubtype_RemoteIO""#
    ), (#""to": "io" }"#, #""to": "io", }"#),
  ])
  func `one thing misspelt is put right, and nothing else changes`(right: String, wrong: String) {
    #expect(whole.components(separatedBy: right).count == 2)
    let misspelt = whole.replacing(right, with: wrong)
    let (text, result) = fix(misspelt, "test.jsonc")
    if wrong.hasSuffix(", }") {
      // A trailing comma is allowed here.
      #expect(text == misspelt)
      #expect(result.changes.isEmpty)
    } else {
      #expect(text == whole)
      #expect(result.changes.count == 1)
    }
    #expect(result.patch.diagnostics.isEmpty, "\(result.patch.diagnostics)")
  }

  @Test(arguments: [("fan-out", "Splitter", 2), ("fan-out-three", "MultiSplitter", 3)])
  func `a splitter is put in where several take from one output`(
    name: String, component: String, count: Int
  ) throws {
    let file = FixtureTests.folder.appending(path: name + ".json")
    let (text, result) = fix(try String(contentsOf: file, encoding: .utf8))
    #expect(result.patch.diagnostics.isEmpty, "\(result.patch.diagnostics)")
    #expect(result.changes.map(\.code) == ["PR0305"])
    #expect(text.contains("\"component\": \"\(component)\""))
    let graph = try #require(result.patch.graph)
    let splitter = try #require(
      try graph.nodes.first { try graph.nodeInfo($0).unit?.description.name == component })
    #expect(try graph.unit(splitter).elementCount(.output) == count)
    try graph.initialize()
  }

  @Test func `many mistakes are put right in one go`() {
    let wrong = whole.replacing("\"volume\": 0.8", with: "\"volum\": \"0.8\"")
      .replacing("\"noise\"", with: "\"nois\"").replacing("\"to\": \"io\" }", with: "to: 'io' }")
      .replacing("\"drums\", \"to\"", with: "\"drum\" \"to\"")
    let (text, result) = fix(wrong, "test.jsonc")
    #expect(text == whole)
    #expect(result.patch.diagnostics.isEmpty)
    #expect(result.changes.count == 7)
  }

  @Test func `where two names can have been meant, neither is taken`() {
    let text = """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "tone1": { "kind": "tone" }, "tone2": { "kind": "tone" } },
        "nodes": { "io": { "component": "remoteIO" } },
        "connections": [ { "from": "tone3", "to": "io" } ]
      }
      """
    let (fixed, result) = fix(text)
    #expect(fixed == text)
    #expect(result.changes.isEmpty)
    #expect(result.patch.hasErrors)
  }

  @Test func `an edit after which something else is wrong is left out, and the others are made`() {
    // There must not be two I/O nodes: only one of the names can be corrected.
    let text = """
      {
        "title": 1,
        "nodes": { "io": { "component": "remoteIO" }, "other": { "component": "remotIO" } },
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "callbacks": { "a": { "kind": "tone", "amplitud": 0.1 } },
        "connections": [ { "from": "a", "to": "io" } ]
      }
      """
    let (fixed, result) = fix(text)
    let right = text.replacing("amplitud", with: "amplitude")
      .replacing("\"title\": 1", with: "\"title\": \"1\"")
    #expect(fixed == right)
    #expect(result.changes.count == 2)
    #expect(result.patch.diagnostics.map(\.code) == ["PR0201"])
  }

  @Test func `a key whose right name is taken stays`() {
    let text = #"{ "nodes": { "io": { "component": "remoteIO", "Component": "remoteIO" } } }"#
    #expect(fix(text).0 == text)
  }

  @Test func `comments are not taken from a document that must not have them`() {
    let text = "{ // why\n  \"nodes\": { \"io\": { \"component\": \"remoteIO\" } } }"
    let (fixed, result) = fix(text)
    #expect(fixed == text)
    #expect(result.changes.isEmpty)
  }

  @Test(arguments: FixtureTests.names)
  func `a fixed fixture has less that is wrong, and nothing new`(name: String) throws {
    let folder = FixtureTests.folder
    let bytes = Array(try Data(contentsOf: folder.appending(path: name + ".json")))
    let source = SourceText(name: name + ".json", bytes: bytes)
    let before = diagnostics(source, directory: folder.path)
    let result = fix(source, directory: folder.path)
    let after = diagnostics(result.patch.ownSource, directory: folder.path)
    #expect(after == result.patch.diagnostics)
    guard !result.changes.isEmpty else {
      #expect(result.patch.ownSource.bytes == bytes)
      return
    }
    #expect(after.count < before.count)
    #expect(after.count { $0.severity == .error } < before.count { $0.severity == .error })
    if name != "syntax" {
      #expect(Set(after.map(\.code)).isSubset(of: Set(before.map(\.code))))
    }
    // A second run fixes nothing.
    #expect(fix(result.patch.ownSource, directory: folder.path).changes.isEmpty)
  }
}
