import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost
import TestSupport
import Testing

extension TemporaryFolder {
  /// The diagnostics as text, with paths relative to the folder.
  fileprivate func words(_ patch: BuiltPatch) -> String {
    TextRenderer(source: patch.source).render(patch.diagnostics).replacing(path + "/", with: "")
  }
}

/// Patches as nodes of others.
@Suite struct SubgraphTests {
  private static func patch(
    callbacks: String = #""tone": { "kind": "noise", "seed": 7 }"#, nodes: String,
    connections: String, more: String = "",
    format: String = #"{ "sample": "float32", "channels": 2, "sampleRate": 44100 }"#
  ) -> String {
    """
    {
      "streamFormat": \(format),
      "callbacks": { \(callbacks) },
      "nodes": { \(nodes) },
      "connections": [ \(connections) ]\(more)
    }
    """
  }

  private static let limit = #""properties": { "maximumFramesPerSlice": 4096 }"#
  private static let io = #""io": { "component": "remoteIO" }"#

  /// An equalizer and a fader.
  private static let strip = patch(
    callbacks: #""in": { "kind": "input" }"#,
    nodes: """
      "eq": { "component": "iPodEQ",
        "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" } },
      "fader": { "component": "MultichannelMixer", \(limit), "inputCount": 1,
        "inputs": { "0": { "parameters": { "volume": 0.5 } } } },
      "out": { "component": "GenericOutput" }
      """,
    connections: """
      { "from": "in", "to": "eq" }, { "from": "eq", "to": "fader" },
      { "from": "fader", "to": "out" }
      """)

  /// The same in the patch itself.
  private static func flat(
    _ preset: String = "Rock", volume: String = "0.5", more: String = ""
  ) -> String {
    patch(
      nodes: """
        "eq": { "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "\(preset)" } },
        "fader": { "component": "MultichannelMixer", \(limit), "inputCount": 1,
          "inputs": { "0": { "parameters": { "volume": \(volume) } } } },
        \(io)
        """,
      connections: """
        { "from": "tone", "to": "eq" }, { "from": "eq", "to": "fader" },
        { "from": "fader", "to": "io" }
        """, more: more)
  }

  private static func outer(
    _ node: String = #""strip": { "subgraph": "strip.json" }"#, more: String = ""
  ) -> String {
    patch(
      nodes: "\(node), \(io)",
      connections: #"{ "from": "tone", "to": "strip" }, { "from": "strip", "to": "io" }"#,
      more: more)
  }

  private func render(_ patch: BuiltPatch, frameCount: Int = 20_000) throws -> [UInt8] {
    try patch.played(frameCount: frameCount)
  }

  // MARK: Sound

  @Test func `a sub-graph sounds as its nodes do in the patch itself`() throws {
    let folder = try TemporaryFolder(["strip.json": Self.strip])
    let expected = try render(folder.build(Self.flat()))
    #expect(try render(folder.build(Self.outer())) == expected)
  }

  @Test(arguments: [1, 64, 333, 4096])
  func `a sub-graph with a format of its own sounds the same in every slice`(frames: Int) throws {
    let resampled = Self.strip.replacing(
      #""GenericOutput""#,
      with: """
        "GenericOutput", "outputs": { "0": { "streamFormat":
          { "sample": "int16", "channels": 2, "sampleRate": 48000 } } }
        """)
    let folder = try TemporaryFolder(["strip.json": resampled])
    let text = Self.patch(
      nodes: """
        "strip": { "subgraph": "strip.json" }, \(Self.io)
        """,
      connections: #"{ "from": "tone", "to": "strip" }, { "from": "strip", "to": "io" }"#)
    let expected = try render(folder.build(text), frameCount: 6000)
    #expect(try render(folder.build(text, frames: frames), frameCount: 6000) == expected)
  }

  @Test(arguments: [
    ("int16", 2, 22_050), ("fixed8.24", 1, 44_100), ("float32", 2, 48_000), ("int24", 1, 32_000),
  ])
  func `the output of a sub-graph converts as a FormatConverter of the same quality does`(
    sample: String, channels: Int, rate: Int
  ) throws {
    let format = #"{ "sample": "\#(sample)", "channels": \#(channels), "sampleRate": \#(rate) }"#
    let folder = try TemporaryFolder([
      "strip.json": Self.strip.replacing(
        #""GenericOutput""#,
        with: #""GenericOutput", "outputs": { "0": { "streamFormat": \#(format) } }"#)
    ])
    let flat = Self.flat().replacing(
      Self.io,
      with: """
        "converter": { "component": "FormatConverter",
          "properties": { "maximumFramesPerSlice": 4096,
            "sampleRateConverterComplexity": "mastering" },
          "outputs": { "0": { "streamFormat": \(format) } } }, \(Self.io)
        """
    ).replacing(
      #"{ "from": "fader", "to": "io" }"#,
      with: #"{ "from": "fader", "to": "converter" }, { "from": "converter", "to": "io" }"#)
    let expected = try render(folder.build(flat))
    #expect(try render(folder.build(Self.outer())) == expected)
  }

  @Test func `sub-graphs lie three deep in one another`() throws {
    func around(_ file: String) -> String {
      Self.patch(
        callbacks: #""in": { "kind": "input" }"#,
        nodes: """
          "inner": { "subgraph": "\(file)" }, "out": { "component": "GenericOutput" }
          """,
        connections: #"{ "from": "in", "to": "inner" }, { "from": "inner", "to": "out" }"#)
    }
    let folder = try TemporaryFolder([
      "one.json": around("deep/two.json"), "deep/two.json": around("../strip.json"),
      "strip.json": Self.strip,
    ])
    let text = Self.outer(
      """
      "strip": { "subgraph": "one.json", "settings":
        { "/nodes/inner/nodes/inner/nodes/eq/properties/presentPreset": "Jazz" } }
      """)
    let patch = folder.build(
      text, overrides: ["/nodes/strip/nodes/inner/nodes/inner/nodes/fader/inputs/0=null"])
    #expect(patch.diagnostics.contains { $0.code == "PR0101" })
    #expect(try render(folder.build(text)) == (try render(folder.build(Self.flat("Jazz")))))
    let names = try #require(folder.build(text).graph).nodes.count
    #expect(names == 6)
  }

  @Test func `settings and --set make other strips of one patch`() throws {
    let folder = try TemporaryFolder(["strip.json": Self.strip])
    let set = Self.outer(
      """
      "strip": { "subgraph": "strip.json", "settings": {
        "comment": "louder",
        "/nodes/eq/properties/presentPreset": "Jazz",
        "/nodes/fader/inputs/0/parameters/volume": 0.75 } }
      """)
    let expected = try render(folder.build(Self.flat("Jazz", volume: "0.75")))
    #expect(try render(folder.build(set)) == expected)
    let bare = try self.folder(
      Self.strip.replacing(
        ##", "inputCount": 1,"##, with: ##", "inputCount": 1"##
      ).replacing(##""inputs": { "0": { "parameters": { "volume": 0.5 } } } },"##, with: "},"))
    #expect(!bare.words(bare.build(set)).contains("PR0"))
    #expect(try render(bare.build(set)) == expected)
    let overridden = folder.build(
      Self.outer(),
      overrides: [
        "/nodes/strip/nodes/eq/properties/presentPreset=Jazz",
        "/nodes/strip/nodes/fader/inputs/0/parameters/volume=0.75",
      ])
    #expect(try render(overridden) == expected)
  }

  @Test func `a ramp reaches into a sub-graph, and a sub-graph has ramps of its own`() throws {
    func ramp(_ path: String) -> String {
      """
      , "timeline": [ { "at": 0.05, "ramp": { "path": "\(path)/inputs/0/parameters/volume",
        "to": 0.1, "duration": 0.2 } } ]
      """
    }
    let expected = try render(folder(Self.strip).build(Self.flat(more: ramp("/nodes/fader"))))
    let reaching = try folder(Self.strip).build(
      Self.outer(more: ramp("/nodes/strip/nodes/fader")))
    #expect(try render(reaching) == expected)
    let own = String(Self.strip.dropLast(2)) + ramp("/nodes/fader") + "}"
    #expect(try render(folder(own).build(Self.outer())) == expected)
  }

  private func folder(_ strip: String) throws -> TemporaryFolder {
    try TemporaryFolder(["strip.json": strip])
  }

  @Test func `an input that nothing is connected to is silence`() throws {
    let folder = try folder(Self.strip)
    let patch = folder.build(
      Self.patch(
        nodes: """
          "strip": { "subgraph": "strip.json" },
          "mixer": { "component": "MultichannelMixer", \(Self.limit) }, \(Self.io)
          """,
        connections: """
          { "from": "strip", "to": "mixer:0" }, { "from": "tone", "to": "mixer:1" },
          { "from": "mixer", "to": "io" }
          """))
    let alone = folder.build(
      Self.patch(
        nodes: #""mixer": { "component": "MultichannelMixer", \#(Self.limit) }, \#(Self.io)"#,
        connections:
          #"{ "from": "tone", "to": "mixer:1" }, { "from": "mixer", "to": "io" }"#))
    #expect(try render(patch) == (try render(alone)))
  }

  @Test func `what is connected to an input goes through a callback that pulls the input`() throws {
    let gained = Self.strip.replacing(
      #""in": { "kind": "input" }"#,
      with: #""in": { "kind": "input" }, "half": { "kind": "gain", "gain": 0.5, "from": "in" }"#
    ).replacing(#"{ "from": "in", "to": "eq" }"#, with: #"{ "from": "half", "to": "eq" }"#)
    let flat = Self.flat().replacing(
      #""tone": {"#, with: #""half": { "kind": "gain", "gain": 0.5, "from": "tone" }, "tone": {"#
    ).replacing(#"{ "from": "tone", "#, with: #"{ "from": "half", "#)
    #expect(
      try render(folder(gained).build(Self.outer()))
        == (try render(folder(gained).build(flat))))
  }

  @Test func `a node that is connected to an input gives it its format`() throws {
    let nested = Self.outer().replacing(
      #""strip": {"#,
      with: #""before": { "component": "MultichannelMixer", \#(Self.limit) }, "strip": {"#
    ).replacing(
      #"{ "from": "tone", "to": "strip" }"#,
      with: #"{ "from": "tone", "to": "before" }, { "from": "before", "to": "strip" }"#)
    let patch = try folder(Self.strip).build(nested)
    #expect(patch.diagnostics.isEmpty)
    let graph = try #require(patch.graph)
    let equalizer = try #require(
      graph.nodes.first { (try? graph.nodeInfo($0).name) == "strip/eq" })
    let before = try #require(graph.nodes.first { (try? graph.nodeInfo($0).name) == "before" })
    #expect(
      try graph.configuration(equalizer).inputs[0].origin == .propagated(from: before, output: 0))
  }

  @Test func `each patch has its own formats under its own names`() throws {
    let named = Self.strip.replacing(
      #""streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 }"#,
      with: """
        "streamFormats": { "f": { "sample": "fixed8.24", "channels": 1, "sampleRate": "session" } },
        "streamFormat": "f"
        """)
    let text = Self.outer().replacing(
      #""streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 }"#,
      with: """
        "streamFormats": { "f": { "sample": "float32", "channels": 2, "sampleRate": "session" } },
        "streamFormat": "f"
        """)
    let patch = try folder(named).build(text)
    #expect(patch.diagnostics.isEmpty)
    let graph = try #require(patch.graph)
    let equalizer = try #require(
      graph.nodes.first { (try? graph.nodeInfo($0).name) == "strip/eq" })
    #expect(try graph.configuration(equalizer).inputs[0].format.sampleType == .fixed824)
    #expect(try graph.configuration(equalizer).inputs[0].format.sampleRate == 44_100)
    let bare = Self.strip.replacing(
      #""streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },"#, with: "")
    #expect(try folder(bare).build(text).diagnostics.isEmpty)
  }

  // MARK: Findings

  @Test func `a mistake in a sub-graph is said once, in its own file and words`() throws {
    let wrong = Self.strip.replacing(#""to": "fader""#, with: #""to": "fadr""#)
    let folder = try TemporaryFolder(["parts/strip.json": wrong])
    let text = Self.patch(
      nodes: """
        "a": { "subgraph": "parts/strip.json" }, "b": { "subgraph": "parts/strip.json" },
        "mixer": { "component": "MultichannelMixer", \(Self.limit) }, \(Self.io)
        """,
      connections: """
        { "from": "tone", "to": "a" }, { "from": "a", "to": "mixer:0" },
        { "from": "b", "to": "mixer:1" }, { "from": "mixer", "to": "io" }
        """)
    let patch = folder.build(text)
    let found = patch.diagnostics.filter { $0.code == "PR0203" }
    #expect(found.count == 1)
    let diagnostic = try #require(found.first)
    #expect(diagnostic.message.text == "the patch has no node or callback 'fadr'")
    #expect(diagnostic.help.first == "did you mean 'fader'?")
    let (origin, range) = patch.source.origin(of: diagnostic.range)
    #expect(origin.name == folder.url.path + "/parts/strip.json")
    #expect(origin[range] == "\"fadr\"")
    #expect(diagnostic.notes.last?.message.text == "in the sub-graph 'a'")
    #expect(patch.source[diagnostic.notes[0].range] == "\"parts/strip.json\"")
    #expect(patch.ownSource.bytes == Array(text.utf8))
  }

  @Test func `a mistake in a setting is shown where the setting is written`() throws {
    let text = Self.outer(
      """
      "strip": { "subgraph": "strip.json", "settings":
        { "/nodes/eq/properties/presentPreset": "Rok" } }
      """)
    let patch = try folder(Self.strip).build(text)
    let diagnostic = try #require(patch.diagnostics.first)
    #expect(patch.diagnostics.count == 1 && diagnostic.code == "PR0504")
    let (origin, range) = patch.source.origin(of: diagnostic.range)
    #expect(origin.name == "patch.json" && origin[range] == "\"Rok\"")
  }

  @Test func `what is wrong in a sub-graph is not put right in the patch`() throws {
    let wrong = Self.strip.replacing(#""to": "fader""#, with: #""to": "fadr""#)
    let folder = try folder(wrong)
    let text = Self.outer().replacing(#""from": "strip""#, with: #""from": "strp""#)
    let result = PatchFixer.fix(
      SourceText(name: "patch.json", text: text), directory: folder.url.path,
      device: .assumed(HardwareAssumption()))
    #expect(String(decoding: result.patch.ownSource.bytes, as: UTF8.self) == Self.outer())
  }

  @Test func `a patch that contains itself through a link is refused`() throws {
    let folder = try TemporaryFolder([
      "a.json": Self.patch(
        callbacks: #""in": { "kind": "input" }"#,
        nodes: #""x": { "subgraph": "b.json" }, "out": { "component": "GenericOutput" }"#,
        connections: #"{ "from": "in", "to": "x" }, { "from": "x", "to": "out" }"#)
    ])
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "b.json"),
      withDestinationURL: folder.url.appending(path: "a.json"))
    let patch = folder.build(Self.outer(#""strip": { "subgraph": "a.json" }"#))
    #expect(patch.diagnostics.map(\.code) == ["PR0222"])
    // The patch itself, which was read by its own name.
    try Self.outer(#""strip": { "subgraph": "patch.json" }"#).write(
      to: folder.url.appending(path: "patch.json"), atomically: true, encoding: .utf8)
    let own = folder.build(Self.outer(#""strip": { "subgraph": "patch.json" }"#))
    #expect(own.diagnostics.map(\.code) == ["PR0222"])
    #expect(own.diagnostics.first?.range.upperBound ?? .max < own.ownLength)
  }

  @Test func `patches that double at every level are refused, and quickly`() throws {
    var files: [String: String] = [:]
    for level in 0..<40 {
      files["\(level).json"] = Self.patch(
        callbacks: "",
        nodes: """
          "a": { "subgraph": "\(level + 1).json" }, "b": { "subgraph": "\(level + 1).json" },
          "mixer": { "component": "MultichannelMixer" }, "out": { "component": "GenericOutput" }
          """, connections: "")
    }
    files["40.json"] = Self.strip
    let patch = try TemporaryFolder(files).build(Self.outer(#""strip": { "subgraph": "0.json" }"#))
    #expect(patch.diagnostics.map(\.code) == ["PR0226"])
    #expect(patch.source[patch.diagnostics[0].range] == "\"0.json\"")
  }

  @Test func `a chain of sub-graphs that is too long is refused`() throws {
    var files: [String: String] = [:]
    for level in 0..<80 {
      files["\(level).json"] = Self.patch(
        callbacks: "",
        nodes: """
          "a": { "subgraph": "\(level + 1).json" }, "out": { "component": "GenericOutput" }
          """, connections: #"{ "from": "a", "to": "out" }"#)
    }
    files["80.json"] = Self.strip
    let patch = try TemporaryFolder(files).build(Self.outer(#""strip": { "subgraph": "0.json" }"#))
    #expect(patch.diagnostics.map(\.code) == ["PR0221"])
    #expect(patch.source[patch.diagnostics[0].range] == "\"0.json\"")
  }

  @Test
  func `two strips do not record to one file, and a part of another patch writes beside itself`()
    throws
  {
    let recording =
      String(Self.strip.dropLast(2))
      + #", "taps": { "take": { "kind": "record", "at": "fader", "path": "take.wav" } } }"#
    let folder = try TemporaryFolder(["parts/strip.json": recording])
    let one = folder.build(Self.outer(#""strip": { "subgraph": "parts/strip.json" }"#))
    #expect(one.outputFiles == [folder.url.path + "/parts/take.wav"])
    let two = folder.build(
      Self.patch(
        nodes: """
          "a": { "subgraph": "parts/strip.json" }, "b": { "subgraph": "parts/strip.json" },
          "mixer": { "component": "MultichannelMixer", \(Self.limit) }, \(Self.io)
          """,
        connections: """
          { "from": "tone", "to": "a" }, { "from": "a", "to": "mixer:0" },
          { "from": "b", "to": "mixer:1" }, { "from": "mixer", "to": "io" }
          """))
    #expect(two.diagnostics.filter { $0.severity == .error }.map(\.code) == ["PR0703"])
  }

  @Test func `a tap watches what a sub-graph puts out, and what is in it`() throws {
    func tapped(_ at: String) -> String {
      Self.outer(
        more: #", "taps": { "t": { "kind": "record", "at": "\#(at)", "path": "t.wav" } }"#)
    }
    for at in ["strip", "strip/eq"] {
      let folder = try folder(Self.strip)
      let patch = folder.build(tapped(at))
      #expect(patch.diagnostics.isEmpty, "\(folder.words(patch))")
    }
    #expect(
      try folder(Self.strip).build(tapped("strip/nothing")).diagnostics.map(\.code) == ["PR0203"])
  }

  @Test func `the stop and the session of a sub-graph are for when it runs by itself`() throws {
    let stopped =
      String(Self.strip.dropLast(2))
      + #", "session": { "preferredSampleRate": 8000 }, "timeline": [ { "at": 1, "stop": true } ] }"#
    let patch = try folder(stopped).build(Self.outer())
    #expect(patch.diagnostics.isEmpty)
    #expect(try #require(patch.graph).stopTime == nil)
    #expect(try #require(patch.graph).grant.outputFormat?.sampleRate == 44_100)
  }

  @Test func `files that are no patches are refused without a crash`() throws {
    let folder = try TemporaryFolder([
      "empty.json": " \n", "array.json": "[]", "number.json": "7", "zeros.json": "\0\0\0",
      "half.json": "{ \"nodes\": {", "none.json": "{ \"nodes\": {} }",
      "quiet.json": Self.patch(
        callbacks: "", nodes: #""eq": { "component": "iPodEQ" }"#, connections: ""),
    ])
    for name in ["empty", "array", "number", "zeros", "half", "none", "quiet"] {
      let patch = folder.build(Self.outer(#""strip": { "subgraph": "\#(name).json" }"#))
      #expect(patch.hasErrors, "\(name)")
      #expect(!folder.words(patch).isEmpty)
    }
    for path in ["", "/dev/null", "/dev/zero", ".", "a\\u0000b", "strip.json/x"] {
      let patch = folder.build(Self.outer(#""strip": { "subgraph": "\#(path)" }"#))
      // A file that is not regular is not opened.
      let code: Rule.Code = path.hasPrefix("/dev/") ? "PR0707" : "PR0221"
      #expect(patch.diagnostics.map(\.code) == [code], "\(path)")
    }
  }

  // MARK: Changes

  @Test func `an update reaches into a sub-graph, and its mistakes are shown in it`() throws {
    func updated(_ preset: String) -> String {
      Self.outer(
        more: """
          , "timeline": [ { "at": 0.1, "update": [ { "op": "add", "path": "/nodes/strip/settings",
            "value": { "/nodes/eq/properties/presentPreset": "\(preset)" } } ] } ]
          """)
    }
    let folder = try folder(Self.strip)
    let right = folder.build(updated("Jazz"))
    #expect(right.diagnostics.isEmpty, "\(folder.words(right))")
    #expect(right.updates.count == 1)
    let wrong = folder.build(updated("Jaz"))
    #expect(wrong.diagnostics.map(\.code) == ["PR0504"])
    #expect(wrong.source[wrong.diagnostics[0].range] == "\"Jaz\"")
    #expect(wrong.diagnostics[0].range.upperBound < wrong.ownLength)
  }

  @Test func `a mistake in a sub-graph that an update brings is shown in its file`() throws {
    let folder = try TemporaryFolder([
      "strip.json": Self.strip,
      "other.json": Self.strip.replacing(#""to": "fader""#, with: #""to": "fadr""#),
    ])
    let patch = folder.build(
      Self.outer(
        more: """
          , "timeline": [ { "at": 0.1, "update": [ { "op": "replace",
            "path": "/nodes/strip/subgraph", "value": "other.json" } ] } ]
          """))
    let found = try #require(patch.diagnostics.first { $0.code == "PR0203" })
    let (origin, range) = patch.source.origin(of: found.range)
    #expect(origin.name.hasSuffix("/other.json") && origin[range] == "\"fadr\"")
    #expect(patch.subgraphFiles.count == 2)
    #expect(folder.words(patch).contains("--> other.json:"))
  }

  @Test func `a patch that plays takes up another setting of a sub-graph`() throws {
    let folder = try folder(Self.strip)
    func read(_ text: String) -> PatchReader.Result {
      PatchReader.read(bytes: Array(text.utf8), name: "patch.json")
    }
    let patch = folder.build(Self.outer())
    let live = try #require(
      LivePatch(patch, from: read(Self.outer()), directory: folder.url.path))
    try live.graph.initialize()
    let louder = Self.outer(
      """
      "strip": { "subgraph": "strip.json", "settings":
        { "/nodes/fader/inputs/0/parameters/volume": 0.75 } }
      """)
    let changes = try live.play(read(louder))
    #expect(changes.map(\.pointer) == ["/nodes/strip~1fader/inputs/0/parameters/volume"])
    #expect(changes.map(\.heard) == [.ramp])
    let other = Self.outer(
      """
      "other": { "subgraph": "strip.json" }
      """
    ).replacing(#""strip" }"#, with: #""other" }"#).replacing(
      #""from": "strip""#, with: #""from": "other""#)
    let swapped = try live.play(read(other))
    #expect(swapped.allSatisfy { $0.heard != .restart })
  }
}
