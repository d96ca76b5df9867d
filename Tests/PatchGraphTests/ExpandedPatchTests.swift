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

/// An expanded patch is a plain patch with the same meaning.
@Suite struct ExpandedPatchTests {
  private struct Version {
    var patch: BuiltPatch
    var reading: PatchReader.Result
  }

  private static func build(
    _ text: String, _ folder: String, _ hardware: HardwareAssumption = HardwareAssumption()
  ) -> Version {
    let reading = PatchReader.read(SourceText(name: "patch.json", text: text))
    return Version(
      patch: PatchBuilder.build(reading, directory: folder, hardware: hardware),
      reading: reading)
  }

  private static func expanded(
    _ patch: BuiltPatch, _ folder: String, _ hardware: HardwareAssumption = HardwareAssumption()
  ) throws -> JSONText {
    try #require(
      try ExpandedPatch(
        patch, in: PatchSurroundings(directory: folder), device: .assumed(hardware))
    )
    .document
  }

  /// Renders a patch, including updates of the timeline.
  private static func render(
    _ version: Version, _ folder: String, frameCount: Int
  ) throws -> [UInt8] {
    let live = try #require(LivePatch(version.patch, from: version.reading, directory: folder))
    try live.graph.initialize()
    let session = try #require(live.graph.session)
    let device = OfflineDevice(
      live.graph.grant,
      microphone: { (position, buffer) throws(ServiceError) in
        for frame in buffer.indices { buffer[frame] = Float((position + frame) % 100) / 200 }
      })
    var bytes: [UInt8] = []
    try live.planUpdates(upTo: Double(frameCount) / live.graph.grant.sampleRate)
    let outcome = device.run(
      session, frameCount: frameCount, services: live.graph.services,
      progress: { _ in live.graph.collect() },
      sink: { (slice) throws(ServiceError) in bytes += slice })
    #expect(outcome.errors.isEmpty)
    return bytes
  }

  /// The difference of a patch and its expansion; `nil` for none.
  private static func difference(
    _ text: String, _ folder: String, _ hardware: HardwareAssumption = HardwareAssumption(),
    frameCount: Int
  ) throws -> String? {
    let before = build(text, folder, hardware)
    guard !before.patch.hasErrors else { return "\(before.patch.diagnostics)" }
    let document = try expanded(before.patch, folder, hardware).document
    let after = build(document, folder, hardware)
    // A finding in all copies is reported once. The rate conversion of a sub-graph has a note, that
    // of a converter does not.
    func said(_ patch: BuiltPatch) -> [String] {
      Set(patch.diagnostics.map(\.code.rawValue)).subtracting(["PR0608"]).sorted()
    }
    if said(before.patch) != said(after.patch) {
      return "\(said(before.patch)) became \(after.patch.diagnostics)\n\(document)"
    }
    if try expanded(after.patch, folder, hardware).document != document {
      return "it is written out once more as another one\n\(document)"
    }
    guard frameCount > 0 else { return nil }
    let heard = try render(before, folder, frameCount: frameCount)
    let again = try render(after, folder, frameCount: frameCount)
    return heard == again ? nil : "it sounds otherwise\n\(document)"
  }

  // MARK: All patches

  @Test(arguments: PatchFilesTests.files)
  func `each patch means the same, written out`(file: String) throws {
    let folder = try TemporaryFolder()
    let copy = folder.url.appending(path: "copy")
    try FileManager.default.copyItem(at: PatchFilesTests.folder, to: copy)
    let text = try String(
      contentsOf: PatchFilesTests.folder.appending(path: file), encoding: .utf8)
    let seconds = text.contains("\"timeline\"") ? 5 : 1
    #expect(try Self.difference(text, copy.path, frameCount: seconds * 44_100) == nil)
  }

  @Test(arguments: 0..<4)
  func `a patch at random means the same, written out`(part: Int) throws {
    let folder = try TemporaryFolder()
    for (index, patch) in PatchPropertyTests.right.enumerated() where index % 4 == part {
      // A render takes longer than everything else.
      let frames = index % 5 == 0 ? 3000 : 0
      let what = try Self.difference(
        patch.document.document, folder.url.path, patch.hardware, frameCount: frames)
      guard let what else { continue }
      Issue.record("\(what)\n\(patch.document.document)")
      return
    }
  }

  @Test func `a patch at random with repetitions means the same, written out`() throws {
    let folder = try TemporaryFolder()
    var repeated = 0
    for seed in 0..<(120 * UInt64(PatchProperties.effort)) {
      let patch = PatchGenerator.patch(seed: seed)
      let text = patch.document.document
      if text.contains("{i}") { repeated += 1 }
      let built = PatchProperties.build(patch)
      let wrong = PatchProperties.disagreement(built)
      let what =
        try wrong
        ?? Self.difference(
          text, folder.url.path, patch.hardware, frameCount: seed % 5 == 0 ? 3000 : 0)
      guard let what else { continue }
      Issue.record("\(what)\n\(text)")
      return
    }
    #expect(repeated > 10)
  }

  // MARK: Sub-graphs

  private static let inner = """
    {
      "streamFormat": { "sample": "int16", "channels": 1, "sampleRate": 22050 },
      "tempo": 240,
      "constants": { "half": "-6 dB", "word": "Rock" },
      "callbacks": {
        "in": { "kind": "input" }, "none": { "kind": "input", "bus": 1 },
        "sound": { "kind": "file", "path": "../sounds/a.wav", "loop": true },
        "hiss": { "kind": "noise", "amplitude": "$half" }
      },
      "nodes": {
        "eq": { "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "$word" } },
        "mix": { "component": "MultichannelMixer", "inputCount": 3,
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { "1": { "sampleRate": 22050 }, "2": { "parameters": { "volume": "$half" } } } },
        "out": { "component": "GenericOutput", OUTPUT }
      },
      "connections": [
        { "from": "sound", "to": "eq" }, { "from": "eq", "to": "mix:0" },
        { "from": "hiss", "to": "mix:1" }, { "from": "none", "to": "mix:2" },
        { "from": "mix", "to": "out" }
      ],
      "timeline": [ { "at": { "beats": 1 }, "ramp": {
        "path": "/nodes/mix/inputs/1/parameters/volume", "to": "$half", "duration": { "beats": 1 } } } ]
    }
    """

  private static let outer = """
    {
      "constants": { "soft": "-12 dB", "dollar": "$money" },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "limits": { "outputPeak": "-1 dB", "requestedGain": "6 dB" },
      "session": { "preferredSampleRate": 44100, "preferredIOBufferDuration": "5 ms" },
      "callbacks": { "tone": { "kind": "tone", "amplitude": "$soft" } },
      "nodes": {
        "rack": { "subgraph": "parts/rack.json" },
        "mixer": { "component": "MultichannelMixer", "inputCount": 2,
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { "0": { "properties": { "elementName": "$dollar" },
            "parameters": { "volume": "$soft" } } } },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "rack", "to": "mixer:0" }, { "from": "tone", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ],
      "taps": { "level": { "kind": "meter", "at": "rack" } },
      "timeline": [
        { "at": "100 ms", "repeat": { "every": "200 ms", "count": 2 },
          "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": "$soft" } },
        { "at": 0.15, "ramp": { "path": "/nodes/rack/nodes/strip/nodes/mix/inputs/0/parameters/pan",
          "to": 1, "duration": "50 ms" } },
        { "at": 0.2, "update": [ { "op": "replace", "path": "/constants/soft", "value": 0.9 } ] },
        { "at": 0.25, "update": [ { "op": "replace", "path": "/connections/0/from", "value": "tone" },
          { "op": "replace", "path": "/connections/1/from", "value": "rack" } ] },
        { "at": 0.6, "stop": true }
      ]
    }
    """

  private static let rack = """
    {
      "nodes": { "strip": { "subgraph": "inner.json" }, "end": { "component": "GenericOutput" } },
      "connections": [ { "from": "strip", "to": "end" } ]
    }
    """

  @Test(arguments: [
    "\"comment\": \"as it comes\"",
    """
    "outputs": { "0": { "streamFormat": { "sample": "float32", "channels": 2,
      "sampleRate": "session" } } }
    """,
    "\"outputs\": { \"0\": { \"properties\": { \"channelMap\": [1, 0] } } }",
  ])
  func `sub-graphs in sub-graphs mean the same, written out`(output: String) throws {
    // By default the output rate is different, so that a conversion is needed.
    var inner = Self.inner.replacing("OUTPUT", with: output)
    if !output.contains("streamFormat") {
      inner = inner.replacing("22050", with: "44100")
    }
    let folder = try TemporaryFolder([
      "parts/inner.json": inner, "parts/rack.json": Self.rack, "sounds/keep": "",
    ])
    try FileManager.default.copyItem(
      at: PatchFilesTests.folder.appending(path: "audio/beats.wav"),
      to: folder.url.appending(path: "sounds/a.wav"))
    #expect(try Self.difference(Self.outer, folder.url.path, frameCount: 40_000) == nil)
  }

  // MARK: Text

  @Test func `nothing is left to be resolved`() throws {
    let folder = try TemporaryFolder([
      "parts/inner.json": Self.inner.replacing("OUTPUT", with: "\"comment\": \"\"")
        .replacing("22050", with: "44100").replacing(
          "\"kind\": \"file\", ", with: "\"kind\": \"noise\", "
        )
        .replacing("\"path\": \"../sounds/a.wav\", \"loop\": true", with: "\"seed\": 3"),
      "parts/rack.json": Self.rack,
    ])
    let patch = Self.build(Self.outer, folder.url.path).patch
    #expect(!patch.hasErrors, "\(patch.diagnostics)")
    let found = try Self.expanded(patch, folder.url.path)
    let names = found.members.first { $0.name == "nodes" }?.value.members.map(\.name)
    #expect(names == ["rack/strip/eq", "rack/strip/mix", "mixer", "io"])
    let text = found.compact
    for gone in ["dB", "ms\"", "$soft", "$half", "subgraph", "repeat", "beats", "comment"] {
      #expect(!text.contains(gone), "\(gone) in \(found.document)")
    }
    // A text with a dollar sign at the beginning becomes a constant; other texts do not.
    #expect(text.contains(#""constants":{"text0":"$money"}"#))
    #expect(text.contains(#""elementName":"$text0""#))
    #expect(text.contains(#""preferredIOBufferDuration":0.005"#))
    #expect(
      text.contains(#"{"at":0.1,"ramp":"#) && text.contains(#"{"at":0.30000000000000004,"ramp":"#))
    #expect(text.contains(#""path":"/nodes/rack~1strip~1mix/inputs/0/parameters/pan""#))
  }

  @Test func `a sub-graph that converts more than eight channels cannot be written out`() throws {
    let folder = try TemporaryFolder([
      "many.json": """
      { "callbacks": { "hiss": { "kind": "noise" } },
        "nodes": { "out": { "component": "GenericOutput",
          "inputs": { "0": { "streamFormat": { "sample": "float32", "channels": 9, "sampleRate": "session" } } },
          "outputs": { "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" } } } } },
        "connections": [ { "from": "hiss", "to": "out" } ] }
      """
    ])
    let patch = Self.build(
      """
      { "nodes": { "many": { "subgraph": "many.json" }, "io": { "component": "remoteIO" } },
        "connections": [ { "from": "many", "to": "io" } ] }
      """, folder.url.path
    ).patch
    #expect(!patch.hasErrors, "\(patch.diagnostics)")
    #expect(throws: ExpandedPatch.Refusal.self) {
      _ = try ExpandedPatch(
        patch, in: PatchSurroundings(directory: folder.url.path),
        device: .assumed(HardwareAssumption()))
    }
  }
}
