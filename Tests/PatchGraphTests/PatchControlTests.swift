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

/// The controls of a patch that plays, and the response of an equalizer.
@Suite struct PatchControlTests {
  private static let patches = PrintedFiles.package.appending(path: "patches")

  private static func live(_ text: String, directory: String = "") throws -> LivePatch {
    let reading = PatchReader.read(SourceText(name: "controls.json", text: text))
    let patch = PatchBuilder.build(reading, directory: directory)
    #expect(patch.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
    let live = try #require(LivePatch(patch, from: reading, directory: directory))
    return live
  }

  /// The names of the patches of the distribution.
  private static let names: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: patches.path)) ?? []
    return names.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".test.json") }.sorted()
  }()

  /// The units that stand in none of them, each of which plays a tone.
  private static let others: [String] = {
    let texts = names.map {
      (try? String(contentsOf: patches.appending(path: $0), encoding: .utf8)) ?? ""
    }
    return UnitCatalog.standard.units.map { $0.description.name }.filter { unit in
      !texts.contains { $0.contains("\"component\": \"\(unit)\"") }
    }
  }()

  private static func live(named name: String) throws -> LivePatch {
    guard !others.contains(name) else {
      return try live(
        ExamplePatches.equalizer.replacing(
          """
          "component": "iPodEQ",
                "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
          """,
          with: "\"component\": \"\(name)\", \"properties\": { \"maximumFramesPerSlice\": 4096 }"))
    }
    return try live(
      String(contentsOf: patches.appending(path: name), encoding: .utf8),
      directory: patches.path)
  }

  // MARK: Controls

  @Test func `every unit is in a patch, of the distribution or of its own`() throws {
    var units: Set<String> = []
    for name in Self.names + Self.others {
      let live = try Self.live(named: name)
      for node in live.graph.nodes { units.insert(try live.graph.unit(node).description.name) }
    }
    #expect(units == Set(UnitCatalog.standard.units.map { $0.description.name }))
  }

  @Test(arguments: names + others)
  func `what can be turned is what the units describe`(name: String) throws {
    let live = try Self.live(named: name)
    let (reading, controls) = live.controls
    let root = try #require(reading.document?.root)
    for node in live.graph.nodes {
      let info = try live.graph.nodeInfo(node)
      let unit = try live.graph.unit(node)
      let own = controls.filter { $0.node == info.name }
      for scope in Scope.allCases {
        for element in 0..<unit.elementCount(scope) {
          let here = own.filter { $0.scope == scope && $0.element == element }
          // As many bands as the unit has.
          var bands = 0
          if let number = unit.description.bands?.countProperty,
            case .uint32(let count) = try unit.property(number)
          {
            bands = Int(count)
          }
          let parameters = unit.description.parameters(in: scope).filter {
            !$0.isReadOnly && (!$0.isOfBand || Int($0.path[1])! < bands)
          }
          #expect(here.filter { !$0.isProperty }.map(\.key) == parameters.map(\.key))
          for (control, parameter) in zip(here, parameters) {
            // The target of a knob is not writable.
            let isTurned = !control.isWritable && info.name.contains("/")
            Self.check(
              control, parameter, try unit.parameter(parameter.id, scope, element),
              isTurned: isTurned)
          }
          for control in here where control.isProperty {
            let property = try #require(unit.info(named: control.key))
            #expect(property.isPatchProperty && property.isWritableWhileInitialized)
            #expect(control.summary == property.summary)
          }
        }
      }
    }
    for control in controls {
      #expect((root[control.pointer] != nil) == control.isInDocument, "\(control.pointer)")
      if let range = control.range { #expect(range.lowerBound < range.upperBound) }
      #expect((control.kind == .list) == !control.choices.isEmpty)
      #expect(
        control.kind != .switch || control.value == .boolean(true)
          || control.value == .boolean(false))
    }
    #expect(Set(controls.map(\.pointer.description)).count == controls.count)
  }

  private static func check(
    _ control: PatchControl, _ parameter: ParameterInfo, _ value: Float, isTurned: Bool
  ) {
    #expect(control.unit == parameter.unit && control.isWritable != isTurned)
    #expect(control.title == parameter.name && control.summary == parameter.summary)
    #expect(control.choices.map(\.title) == (control.kind == .list ? parameter.valueNames : []))
    guard parameter.unit != .boolean else {
      #expect(control.kind == .switch && control.value == .boolean(value != 0))
      return
    }
    if parameter.unit == .indexed {
      #expect(control.value == .string(parameter.valueNames[Int(value)]))
      return
    }
    #expect(control.value == .number(value))
    #expect(control.defaultValue == .number(parameter.defaultValue))
    #expect(Float(control.range?.lowerBound ?? .nan) == parameter.range.lowerBound)
    #expect(Float(control.range?.upperBound ?? .nan) == parameter.range.upperBound)
  }

  @Test func `each sort of value has its sort of control`() throws {
    func kind(_ unit: ParameterUnit, names: [String] = []) -> PatchControl.Kind? {
      PatchControl(
        ParameterInfo(
          id: 0, key: "a", constant: "", scope: .global, unit: unit, range: 0...1,
          defaultValue: 0, summary: "", valueNames: names
        ).setting)?.kind
    }
    #expect(kind(.linearGain) == .gain && kind(.decibels) == .decibels && kind(.pan) == .pan)
    #expect(kind(.degrees) == .angle && kind(.meters) == .distance && kind(.hertz) == .frequency)
    #expect(kind(.boolean) == .switch && kind(.boolean, names: ["off", "on"]) == .switch)
    #expect(kind(.indexed, names: ["one", "two"]) == .list && kind(.rate) == .number)
    let eq = try Self.live(named: "mixer-host.json").controls.controls
    #expect(
      !eq.contains { ["offlineRender", "elementName", "inPlaceProcessing"].contains($0.key) })
  }

  private static let mixer = #"""
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": {
            "0": { "parameters": { "kMultiChannelMixerParam_Volume": 0.5 },
              "properties": { "elementName": "drums" } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "mixer" }, { "from": "mixer", "to": "io" }
      ],
      "timeline": [
        { "at": 0.1, "ramp": { "path": "/nodes/mixer/inputs/0/parameters/pan", "to": 0.5,
          "duration": 0.1 } } ]
    }
    """#

  @Test func `a control is where the document has it, in its spelling`() throws {
    let controls = try Self.live(Self.mixer).controls.controls
    let volume = try #require(controls.first { $0.key == "volume" && $0.scope == .input })
    #expect(
      volume.pointer.description
        == "/nodes/mixer/inputs/0/parameters/kMultiChannelMixerParam_Volume")
    #expect(volume.isInDocument && volume.value == .number(0.5) && volume.elementName == "drums")
    #expect(volume.isUsed)
    let next = try #require(controls.first { $0.key == "volume" && $0.element == 1 })
    #expect(next.pointer.description == "/nodes/mixer/inputs/1/parameters/volume")
    #expect(!next.isInDocument && !next.isUsed && next.elementName == nil)
  }

  @Test func `what the timeline still moves says so`() throws {
    let live = try Self.live(Self.mixer)
    try live.graph.initialize()
    func isScheduled(_ key: String) -> Bool? {
      live.controls.controls.first { $0.key == key && $0.scope == .input }?.isScheduled
    }
    #expect(isScheduled("pan") == true && isScheduled("volume") == false)
    _ = try Self.rendered(live, frames: 15_000)
    let pan = try #require(
      live.controls.controls.first { $0.key == "pan" && $0.element == 0 })
    #expect(!pan.isScheduled && pan.isInDocument && pan.value == .number(0.5))
  }

  // MARK: Sub-graphs

  @Test func `what is inside a sub-graph is turned by its settings`() throws {
    let live = try Self.live(named: "channel-strips.json")
    func volume() throws -> PatchControl {
      try #require(
        live.controls.controls.first {
          $0.node == "guitar strip/fader" && $0.key == "volume" && $0.scope == .input
        })
    }
    let before = try volume()
    #expect(
      before.pointer.tokens == [
        "nodes", "guitar strip", "settings", "/nodes/fader/inputs/0/parameters/volume",
      ])
    #expect(before.value == .number(1) && !before.isInDocument)
    try live.graph.initialize()
    try Self.set(before.pointer, "0.25", live)
    let after = try volume()
    #expect(after.value == .number(0.25) && after.isInDocument)
    #expect(after.pointer == before.pointer)
  }

  @Test func `sub-graphs may lie in one another`() throws {
    let folder = try TemporaryFolder()
    func patch(_ nodes: String, _ last: String) -> String {
      """
      { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "callbacks": { "in": { "kind": "input" } },
        "nodes": { \(nodes), "out": { "component": "GenericOutput" } },
        "connections": [ { "from": "in", "to": "\(last)" }, { "from": "\(last)", "to": "out" } ] }
      """
    }
    let fader =
      #""a/b": { "component": "MultichannelMixer", "inputCount": 1, "#
      + #""properties": { "maximumFramesPerSlice": 4096 } }"#
    try folder.write(patch(fader, "a/b"), to: "strip.json")
    try folder.write(patch(#""inner": { "subgraph": "strip.json" }"#, "inner"), to: "rack.json")
    let text = patch(#""rack": { "subgraph": "rack.json" }"#, "rack")
      .replacing(#""GenericOutput""#, with: #""remoteIO""#)
      .replacing(#""kind": "input""#, with: #""kind": "tone""#)
    let live = try Self.live(text, directory: folder.path)
    try live.graph.initialize()
    let find = { () throws -> PatchControl in
      try #require(live.controls.controls.first { $0.key == "pan" && $0.node == "rack/inner/a/b" })
    }
    let pan = try find()
    #expect(
      pan.pointer.tokens == [
        "nodes", "rack", "settings", "/nodes/inner/nodes/a~1b/inputs/0/parameters/pan",
      ])
    try Self.set(pan.pointer, "-0.5", live)
    #expect(try find().value == .number(-0.5))
    #expect(try find().isInDocument)
  }

  /// Sets a value in the document that plays by a merge patch, which creates missing objects.
  private static func set(_ pointer: JSONPointer, _ value: String, _ live: LivePatch) throws {
    let text = pointer.tokens.reversed().reduce(value) {
      "{ \(JSONText.string($1).compact): \($0) }"
    }
    let merge = try #require(
      JSONReader.readStrictly(SourceText(name: "merge.json", text: text)).tree?.root)
    let tree = try #require(live.reading.document?.root.tree)
    let changed = try #require(MergePatch.apply(merge, to: tree).text)
    try live.play(PatchReader.read(SourceText(name: "controls.json", bytes: changed.bytes)))
  }

  // MARK: Responses

  private static func equalized(
    _ properties: String, rate: Int = 48_000
  ) throws -> LivePatch {
    let live = try live(
      """
      { "session": { "preferredSampleRate": \(rate) },
        "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": "session" },
        "callbacks": { "click": { "kind": "impulse" } },
        "nodes": {
          "eq": { "component": "iPodEQ",
            "properties": { "maximumFramesPerSlice": 4096, \(properties) } },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "click", "to": "eq" }, { "from": "eq", "to": "io" } ] }
      """)
    try live.graph.initialize()
    return live
  }

  /// The first channel of the output.
  private static func rendered(_ live: LivePatch, frames: Int) throws -> [Float] {
    let session = try #require(live.graph.session)
    let channels = Int(session.configuration.device?.channelsPerFrame ?? 1)
    var bytes: [UInt8] = []
    let device = OfflineDevice(live.graph.grant)
    _ = device.run(
      session, frameCount: frames, services: live.graph.services, progress: { _ in },
      sink: { bytes += $0 })
    let samples = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    return stride(from: 0, to: samples.count, by: channels).map { samples[$0] }
  }

  /// Compares the curve with the output. The differences are the tail of the impulse response, cut
  /// off at -120 dB, and the rounding of its samples to floats at -150 dB: together far below 0.01
  /// dB, which is not visible in a curve.
  @Test(arguments: [
    "Acoustic", "Bass Booster", "Bass Reducer", "Loudness", "R & B", "Small Speakers",
    "Spoken Word", "Treble Booster", "Flat", "Disabled",
  ])
  func `a response is what an impulse finds`(preset: String) throws {
    for rate in [44_100, 48_000] {
      let live = try Self.equalized(#""presentPreset": "\#(preset)""#, rate: rate)
      #expect(live.filters == ["eq"])
      let curve = try #require(live.response(of: "eq", count: 31))
      #expect(curve.frequencies.first == 20 && abs(curve.frequencies[30] - 20_000) < 1e-6)
      let impulse = try Self.rendered(live, frames: 16_384)
      for (frequency, gain) in zip(curve.frequencies, curve.decibels) {
        let found = Self.decibels(of: impulse, at: frequency / Double(rate))
        #expect(abs(found - gain) < 0.01, "\(frequency) Hz at \(rate)")
      }
    }
  }

  /// The level at a frequency in cycles per frame, in a sound that begins with an impulse.
  private static func decibels(of samples: [Float], at frequency: Double) -> Double {
    // One rotation per frame, which needs no trigonometric functions.
    let (stepX, stepY) = (cos(2 * Double.pi * frequency), -sin(2 * Double.pi * frequency))
    var (x, y) = (1.0, 0.0)
    var (real, imaginary) = (0.0, 0.0)
    for sample in samples {
      real += Double(sample) * x
      imaginary += Double(sample) * y
      (x, y) = (x * stepX - y * stepY, x * stepY + y * stepX)
    }
    return 10 * log10(real * real + imaginary * imaginary)
  }

  @Test func `a response follows what is set, and what is bypassed is flat`() throws {
    let live = try Self.equalized(#""presentPreset": "Rock""#)
    let pointer = JSONPointer(["nodes", "eq", "properties"])
    let rock = try #require(live.response(of: "eq"))
    #expect(rock.frequencies.count == 200 && rock.decibels.contains { $0 > 4 })
    try Self.set(pointer.appending("bypassEffect"), "true", live)
    #expect(live.response(of: "eq")?.decibels.allSatisfy { $0 == 0 } == true)
    try Self.set(pointer.appending("bypassEffect"), "false", live)
    try Self.set(pointer.appending("presentPreset"), "\"Treble Reducer\"", live)
    #expect(live.response(of: "eq")?.decibels.contains { $0 < -4 } == true)
    #expect(live.response(of: "io") == nil && live.response(of: "nobody") == nil)
  }
}
