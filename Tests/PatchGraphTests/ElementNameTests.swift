import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchSyntax
import TestSupport
import Testing

@testable import PatchGraph

/// Elements addressed by name instead of number.
@Suite struct ElementNameTests {
  private static let inputs = """
    "inputs": { "0": { "properties": { "elementName": "Drums" } }, "2": { "properties": { "elementName": "Voice: lead" } } }
    """

  private static func patch(
    to: String = "mixer:Voice: lead", from: String = "mixer", inputs: String = Self.inputs,
    more: String = ""
  ) -> String {
    """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "mixer": { "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }, \(inputs),
          "outputs": { "0": { "properties": { "elementName": "Mix" } } } },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "tone", "to": "\(to)" }, { "from": "\(from)", "to": "io" } ]\(more)
    }
    """
  }

  /// The described changes from one patch to another.
  private static func changes(_ old: String, _ new: String, folder: String = "") -> [String]? {
    func side(_ text: String) -> (reading: PatchReader.Result, surroundings: PatchSurroundings) {
      (
        PatchReader.read(bytes: Array(text.utf8), name: "patch.json"),
        PatchSurroundings(directory: folder)
      )
    }
    return PatchComparison(from: side(old), to: side(new))?.changes.map {
      "\($0.pointer): \($0.text)"
    }
  }

  /// The diagnostics of a patch, as code, pointer and message.
  private static func words(_ patch: BuiltPatch) -> [String] {
    patch.diagnostics.map { "\($0.code.rawValue) \($0.pointer ?? "") \($0.message.text)" }
  }

  @Test func `a name means the element that has it`() {
    let named = PatchBuilder.build(Self.patch(from: "mixer:Mix"))
    #expect(Self.words(named) == [])
    #expect(Self.changes(Self.patch(from: "mixer:Mix"), Self.patch(to: "mixer:2")) == [])
    #expect(named.document?.connections.map { $0.to?.value.bus } == [2, nil])
    #expect(named.document?.connections.map { $0.from?.value.bus } == [nil, 0])
  }

  @Test func `a tap and a callback may name an output`() {
    let named = PatchBuilder.build(
      """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "tone": { "kind": "tone" }, "quiet": { "kind": "gain", "gain": 0.5, "from": "split:b" } },
        "nodes": {
          "split": { "component": "Splitter", "properties": { "maximumFramesPerSlice": 4096 },
            "outputs": { "0": { "properties": { "elementName": "a" } }, "1": { "properties": { "elementName": "b" } } } },
          "mixer": { "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 } },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "tone", "to": "split" }, { "from": "split:a", "to": "mixer:0" },
          { "from": "quiet", "to": "mixer:1" }, { "from": "mixer", "to": "io" }
        ],
        "taps": { "level": { "kind": "meter", "at": "split:b" } }
      }
      """)
    #expect(Self.words(named) == [])
    #expect(named.document?.taps.first?.value.at?.value.bus == 1)
    #expect(named.document?.callbacks.last?.value.pulled?.value.bus == 1)
  }

  @Test func `a name that no element has is answered with the nearest`() {
    let patch = PatchBuilder.build(Self.patch(to: "mixer:Drumms"))
    #expect(
      Self.words(patch) == [
        "PR0115 /connections/0/to 'mixer' has no input of the name 'Drumms'"
      ])
    #expect(patch.diagnostics.first?.help.contains("did you mean 'Drums'?") == true)
    #expect(
      patch.diagnostics.first?.fixes.first?.edits.map(\.replacement) == ["Drums"])
    #expect(patch.diagnostics.first?.status == .invalidElement)
  }

  @Test(arguments: ["elementNae", "elementname", "elementNames"])
  func `a misspelt name of an element is one mistake, whatever is connected to it`(key: String) {
    let patch = PatchBuilder.build(
      Self.patch(
        to: "mixer:Drums",
        inputs: #""inputs": { "0": { "properties": { "\#(key)": "Drums" } } }"#))
    #expect(
      Self.words(patch) == [
        "PR0501 /nodes/mixer/inputs/0/properties/\(key) MultichannelMixer has no property '\(key)'"
      ])
  }

  @Test func `a name that two elements have is said to be theirs`() {
    let twice = """
      "inputs": { "0": { "properties": { "elementName": "A" } }, "3": { "properties": { "elementName": "A" } } }
      """
    // No address refers to it, so it is only a label.
    #expect(Self.words(PatchBuilder.build(Self.patch(to: "mixer:3", inputs: twice))) == [])
    let patch = PatchBuilder.build(Self.patch(to: "mixer:A", inputs: twice))
    #expect(
      Self.words(patch) == ["PR0115 /connections/0/to 'A' is the name of 2 inputs of 'mixer'"])
    #expect(patch.diagnostics.first?.notes.count == 2)
  }

  @Test(arguments: [
    ("mixer:Mix", "output 0 has that name, and an input is meant here"),
    ("mixer:Bass", "these have a name: Drums (input 0), Voice: lead (input 2)"),
    ("io:left", "none of its inputs has a name: write the number, as \"io:0\""),
  ])
  func `what else may have been meant is said`(to: String, help: String) {
    let patch = PatchBuilder.build(Self.patch(to: to))
    #expect(patch.diagnostics.contains { $0.help.contains { $0.hasPrefix(help) } })
  }

  @Test func `a callback has no elements, and a number is a number`() {
    let callback = PatchBuilder.build(
      Self.patch().replacing("\"from\": \"tone\"", with: "\"from\": \"tone:a\""))
    #expect(Self.words(callback).first?.hasPrefix("PR0207") == true)
    let number = PatchBuilder.build(Self.patch(to: "mixer:-1"))
    #expect(Self.words(number).first?.hasPrefix("PR0105") == true)
  }

  @Test func `inputs of a sub-graph have the names of its callbacks`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {
        "callbacks": { "music": { "kind": "input", "bus": 0 }, "speech": { "kind": "input", "bus": 1 } },
        "nodes": {
          "sum": { "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 },
            "inputs": { "1": { "properties": { "elementName": "Speech" } } } },
          "out": { "component": "GenericOutput" }
        },
        "connections": [
          { "from": "music", "to": "sum:0" }, { "from": "speech", "to": "sum:Speech" }, { "from": "sum", "to": "out" }
        ]
      }
      """, to: "duck.json")
    func text(_ to: String) -> String {
      """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "one": { "kind": "tone" }, "two": { "kind": "noise" } },
        "nodes": { "duck": { "subgraph": "duck.json" }, "io": { "component": "remoteIO" } },
        "connections": [
          { "from": "one", "to": "duck:0" }, { "from": "two", "to": "\(to)" }, { "from": "duck", "to": "io" }
        ]
      }
      """
    }
    let named = PatchBuilder.build(text("duck:speech"), directory: folder.path)
    #expect(Self.words(named) == [])
    #expect(Self.changes(text("duck:speech"), text("duck:1"), folder: folder.path) == [])
    let wrong = PatchBuilder.build(text("duck:speach"), directory: folder.path)
    #expect(
      Self.words(wrong) == ["PR0115 /connections/1/to 'duck' has no input of the name 'speach'"])
    #expect(wrong.diagnostics.first?.help.contains("did you mean 'speech'?") == true)
  }

  @Test func `an element that gets another name while the patch plays takes what names it along`()
    throws
  {
    let two = """
      "inputs": { "0": { "properties": { "elementName": "A" } }, "1": { "properties": { "elementName": "B" } } }
      """
    let swapped = two.replacing("\"A\"", with: "\"C\"").replacing("\"B\"", with: "\"A\"")
    let (before, after) = (
      Self.patch(to: "mixer:A", inputs: two), Self.patch(to: "mixer:A", inputs: swapped)
    )
    let changes = try #require(Self.changes(before, after))
    #expect(changes.contains { $0.contains("mixer:1") }, "\(changes)")
    let old = PatchBuilder.build(before)
    let revised = PatchRevision.build(
      PatchReader.read(bytes: Array(after.utf8), name: "patch.json"), from: old,
      in: PatchSurroundings(directory: ""))
    #expect(revised?.document?.connections.first?.to?.value.bus ?? 1 == 1)
    let found = revised.map { GraphDifference(from: old, to: $0).changes.map(\.text) }
    #expect(
      found == nil
        || found == GraphDifference(from: old, to: PatchBuilder.build(after)).changes.map(\.text)
    )
  }
}
