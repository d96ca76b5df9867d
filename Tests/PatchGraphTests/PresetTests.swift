import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchSyntax
import RenderHost
import TestSupport
import Testing

@testable import PatchGraph

/// User presets: files that nodes name, and saved presets.
struct PresetTests {
  /// A patch with nodes and without connections.
  private static func patch(_ nodes: String) -> String {
    """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": { \(nodes), "io": { "component": "remoteIO" } },
      "connections": [ { "from": "tone", "to": "io" } ]
    }
    """
  }

  private static func unit(_ name: String, of patch: BuiltPatch) throws -> UnitInstance {
    try #require(patch.graph).unit(try #require(patch.layout.nodes[name]))
  }

  @Test func `a preset is in force, and what the node says itself holds`() throws {
    let folder = try TemporaryFolder([
      "mix.json": """
      {
        "component": "MultichannelMixer",
        "inputs": {
          "0": { "parameters": { "volume": "-6.0206 dB", "pan": -1 } },
          "3": { "properties": { "meteringMode": true }, "parameters": { "volume": 0.25 } }
        },
        "outputs": { "0": { "parameters": { "volume": 0.5 } } }
      }
      """
    ])
    let patch = folder.build(
      Self.patch(
        """
        "mix": {
          "component": "MultichannelMixer", "preset": "mix.json",
          "inputs": { "0": { "parameters": { "pan": 1 } } }
        }
        """))
    #expect(patch.diagnostics.filter { $0.severity == .error }.isEmpty)
    let unit = try Self.unit("mix", of: patch)
    #expect(abs(try unit.parameter(0, .input, 0) - 0.5) < 1e-5)
    #expect(try unit.parameter(2, .input, 0) == 1)
    #expect(try unit.parameter(0, .input, 3) == 0.25)
    #expect(try unit.property(.meteringMode, .input, 3) == .uint32(1))
    #expect(try unit.parameter(0, .output, 0) == 0.5)
    #expect(patch.subgraphFiles.map(\.name).map { $0.hasSuffix("mix.json") } == [true])
  }

  @Test(arguments: [
    (#""parameters": { "pan": -1 }"#, #""properties": { "matrixLevels": [[0.5, 0.25], [0, 1]] }"#),
    (#""properties": { "matrixLevels": [[0.5, 0.25], [0, 1]] }"#, #""parameters": { "pan": -1 }"#),
  ])
  func `what the node says holds also where it stands in the place of something else`(
    preset: String, node: String
  ) throws {
    let folder = try TemporaryFolder([
      "mix.json": #"{ "component": "MultichannelMixer", "inputs": { "0": { \#(preset) } } }"#
    ])
    func mixer(_ preset: String) throws -> UnitInstance {
      let patch = folder.build(
        Self.patch(
          """
          "mix": { "component": "MultichannelMixer", \(preset) "inputs": { "0": { \(node) } } }
          """))
      #expect(!patch.diagnostics.contains { $0.code == UnitRules.parameterReplaces.code })
      return try Self.unit("mix", of: patch)
    }
    let (one, other) = (try mixer(#""preset": "mix.json","#), try mixer(""))
    #expect(try one.parameter(2, .input, 0) == other.parameter(2, .input, 0))
    #expect(
      (try? one.property(.matrixLevels, .input, 0))
        == (try? other.property(.matrixLevels, .input, 0)))
  }

  @Test func `what is saved of any unit, at random, is put back as it was`() throws {
    var generator = SplitMix64(seed: 17)
    for component in UnitCatalog.standard.components {
      let description = component.unit.description
      guard description.component.type != .outputType else { continue }
      let node = "\"x\": { \"component\": \"\(component.name)\" }"
      let source = try TemporaryFolder([:]).build(Self.patch(node))
      let unit = try Self.unit("x", of: source)
      if case .presets(let presets)? = try? unit.property(.factoryPresets), presets.count > 3 {
        try unit.setProperty(.presentPreset, to: .preset(presets[3]))
      }
      for info in description.parameters where !info.isReadOnly {
        for element in 0..<unit.elementCount(info.scope) where Bool.random(using: &generator) {
          let value = Float.random(in: info.range, using: &generator)
          let isStep = info.unit == .boolean || info.unit == .indexed
          try unit.setParameter(
            info.id, info.scope, element, to: isStep ? value.rounded() : value)
        }
      }
      let text = try #require(source.preset(of: "x", named: "As it was")).compact
      let folder = try TemporaryFolder(["x.json": text])
      let copy = folder.build(
        Self.patch("\"x\": { \"component\": \"\(component.name)\", \"preset\": \"x.json\" }"))
      let errors = copy.diagnostics.filter { $0.severity == .error }
      #expect(errors.map { "\($0.message)" } == [], "\(component.name): \(text)")
      let other = try Self.unit("x", of: copy)
      let (one, two) = (unit.settings, other.settings)
      let bands = description.bands.map { _ in
        description.parameters.filter(\.isOfBand).map(\.id)
      }
      for (place, value) in one.parameters {
        // Only the bands that the unit has.
        if let bands, bands.contains(place.id), place.id % 1000 >= 8 { continue }
        #expect(two.parameters[place] == value, "\(component.name) \(place)")
      }
    }
  }

  @Test func `a matrix and its volumes are saved and put back`() throws {
    let rows = "[[1, 0.5, 1], [0, 1, 0.25], [1, 0.75, 2]]"
    let source = try TemporaryFolder([:]).build(
      Self.patch(
        "\"m\": { \"component\": \"MatrixMixer\", \"properties\": { \"matrixLevels\": \(rows) } }"))
    let text = try #require(source.preset(of: "m", named: nil)).compact
    let folder = try TemporaryFolder(["m.json": text])
    let copy = folder.build(
      Self.patch("\"m\": { \"component\": \"MatrixMixer\", \"preset\": \"m.json\" }"))
    #expect(
      try Self.unit("m", of: copy).property(.matrixLevels)
        == .matrix([[1, 0.5, 1], [0, 1, 0.25], [1, 0.75, 2]]))
    #expect(source.preset(of: "none", named: nil) == nil)
  }

  @Test func `a preset in a sub-graph is beside the patch of that`() throws {
    let folder = try TemporaryFolder([
      "strip.json": """
      {
        "schemaVersion": 1,
        "callbacks": { "in": { "kind": "input", "bus": 0 } },
        "nodes": {
          "eq": { "component": "ParametricEQ", "preset": "eq.json" },
          "out": { "component": "GenericOutput" }
        },
        "connections": [ { "from": "in", "to": "eq" }, { "from": "eq", "to": "out" } ]
      }
      """,
      "eq.json": #"{ "component": "ParametricEQ", "parameters": { "gain": 7 } }"#,
    ])
    let patch = folder.build(
      """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "tone": { "kind": "tone" } },
        "nodes": { "strip": { "subgraph": "strip.json" }, "io": { "component": "remoteIO" } },
        "connections": [ { "from": "tone", "to": "strip" }, { "from": "strip", "to": "io" } ]
      }
      """)
    #expect(!patch.hasErrors)
    #expect(try Self.unit("strip/eq", of: patch).parameter(2, .global, 0) == 7)
  }

  @Test func `a live patch takes up another preset, and what has changed in its file`() throws {
    let folder = try TemporaryFolder([
      "one.json":
        #"{ "component": "MultichannelMixer", "outputs": { "0": { "parameters": { "volume": 0 } } } }"#,
      "two.json": #"{ "component": "MultichannelMixer" }"#,
    ])
    func text(_ preset: String) -> String {
      """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "tone": { "kind": "tone" } },
        "nodes": {
          "mix": { "component": "MultichannelMixer", "preset": "\(preset).json",
            "properties": { "maximumFramesPerSlice": 4096 } },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "tone", "to": "mix" }, { "from": "mix", "to": "io" } ]
      }
      """
    }
    let player = try LivePlayer(text("one"), directory: folder.path, keeping: folder)
    try player.pull(4096)
    #expect(player.left.allSatisfy { $0 == 0 })
    let changes = try player.play(text("two"))
    #expect(!changes.isEmpty && changes.allSatisfy { $0.heard == .ramp })
    try player.pull(8192)
    #expect(player.left.suffix(4096).contains { abs($0) > 0.01 })
    try folder.write(
      #"{ "component": "MultichannelMixer", "outputs": { "0": { "parameters": { "volume": 0 } } } }"#,
      to: "two.json")
    #expect(try player.play(text("two")).map(\.heard) == [.ramp])
    try player.pull(8192)
    #expect(player.left.suffix(4096).allSatisfy { $0 == 0 })
  }

  @Test func `nothing is shown of a file that is no preset`() throws {
    let folder = try TemporaryFolder(["secret.json": #"{ "password": "hunter2" }"#])
    let patch = folder.build(
      Self.patch("\"x\": { \"component\": \"Delay\", \"preset\": \"secret.json\" }"))
    #expect(patch.diagnostics.contains { $0.code == NameRules.presetFile.code })
    #expect(!TextRenderer(source: patch.source).render(patch.diagnostics).contains("hunter2"))
  }

  @Test func `a preset says what it is without a patch`() throws {
    func preset(_ text: String) -> SavedPreset? {
      SavedPreset(SourceText(name: "x.json", text: text))
    }
    let fine = try #require(preset(#"{ "name": "Warm", "component": "Delay" }"#))
    #expect(fine.name == "Warm" && fine.unit == "Delay" && fine.diagnostics.isEmpty)
    let wrong = try #require(preset(#"{ "name": "x", "component": "Dely", "parametrs": {} }"#))
    #expect(wrong.unit == nil && wrong.diagnostics.count == 2)
    #expect(preset(#"{ "nodes": {} }"#) == nil)
    #expect(preset("component") == nil)
  }

  /// Each with the code that the same mistake has in a node.
  @Test(arguments: [
    (#"{ "component": "Delay", "parameters": { "delayTme": 1 } }"#, "PR0551"),
    (#"{ "component": "Delay", "parameters": { "delayTime": 99 } }"#, "PR0552"),
    (#"{ "component": "Delay", "properties": { "bypassEfect": true } }"#, "PR0501"),
    (#"{ "component": "Delay", "properties": { "bypassEffect": "x" } }"#, "PR0504"),
    (#"{ "component": "NBandEQ", "bands": [ { "frequncy": 100 } ] }"#, "PR0551"),
    (#"{ "component": "NBandEQ", "bands": [ { "gain": 100 } ] }"#, "PR0552"),
    (#"{ "component": "iPodEQ", "properties": { "presentPreset": "Rok" } }"#, "PR0504"),
    (
      #"{ "component": "MultichannelMixer", "inputs": { "12": { "parameters": { "pan": 2 } } } }"#,
      "PR0552"
    ),
    (#"{ "component": "Delay", "inputs": { "1": { "parameters": {} } } }"#, "PR0503"),
  ])
  func `what a preset sets is checked though no patch names it`(text: String, code: String) throws {
    let source = SourceText(name: "x.json", text: text)
    let found = try #require(SavedPreset(source)).diagnostics
    #expect(found.map(\.code.rawValue) == [code], "\(found.map { "\($0.code): \($0.message)" })")
    let renderer = TextRenderer(source: source)
    #expect(!renderer.render(found).contains("nodes"))
  }

  @Test func `presets of all units as they are saved have nothing wrong with them`() throws {
    for component in UnitCatalog.standard.components {
      let source = try TemporaryFolder([:]).build(
        Self.patch("\"x\": { \"component\": \"\(component.name)\" }"))
      guard let text = source.preset(of: "x", named: "As at birth") else { continue }
      let preset = try #require(SavedPreset(SourceText(name: "x.json", text: text.document)))
      #expect(preset.diagnostics.isEmpty, "\(component.name)")
    }
    let buses = #"{ "component": "MultichannelMixer", "inputs": { "40": { "parameters": {} } } }"#
    #expect(SavedPreset(SourceText(name: "x.json", text: buses))?.diagnostics.isEmpty == true)
    let matrix = #"{ "component": "MatrixMixer", "properties": { "matrixLevels": [[1, 2, 3]] } }"#
    #expect(SavedPreset(SourceText(name: "x.json", text: matrix))?.diagnostics.isEmpty == true)
  }
}
