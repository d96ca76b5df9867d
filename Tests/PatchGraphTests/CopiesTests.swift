import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchSyntax
import TestSupport
import Testing

@testable import PatchGraph

/// Repetition by `count`.
@Suite struct CopiesTests {
  private static func patch(
    callbacks: String = #""tone{i}": { "count": 3, "kind": "tone", "frequency": "{110 * 2 ^ i}" }"#,
    inputs: String = #""{i}": { "count": 3, "parameters": { "pan": "{i - 1}" } }"#,
    nodes: String = "",
    connections: String = #"{ "count": 3, "from": "tone{i}", "to": "mixer:{i}" }"#,
    more: String = ""
  ) -> String {
    """
    {
      "constants": { "three": 3, "word": "loud" },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { \(callbacks) },
      "nodes": {
        "mixer": { "component": "MultichannelMixer", "inputCount": 3,
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { \(inputs) } },\(nodes)
        "io": { "component": "remoteIO" }
      },
      "connections": [ \(connections), { "from": "mixer", "to": "io" } ]\(more)
    }
    """
  }

  private static func read(_ text: String, _ overrides: String...) -> PatchReader.Result {
    PatchReader.read(
      bytes: Array(text.utf8), name: "copies.json", overrides: overrides)
  }

  private static func build(_ text: String, _ overrides: [String] = []) -> BuiltPatch {
    PatchBuilder.build(text, name: "copies.json", overrides: overrides)
  }

  private static func words(_ patch: BuiltPatch) -> String {
    TextRenderer(source: patch.source).render(patch.diagnostics)
  }

  // MARK: Meaning

  @Test func `a count repeats callbacks, buses and connections, from 0`() throws {
    let patch = Self.build(Self.patch())
    #expect(patch.diagnostics.isEmpty, "\(Self.words(patch))")
    let document = try #require(patch.document)
    #expect(document.callbacks.map(\.name) == ["tone0", "tone1", "tone2"])
    #expect(
      document.callbacks.map { $0.value.fields.first { $0.name == "frequency" }?.value.number }
        == [110, 220, 440])
    #expect(
      document.connections.map { $0.to?.value.description }
        == ["mixer:0", "mixer:1", "mixer:2", "io"])
    let mixer = try #require(patch.layout.nodes["mixer"])
    let unit = try #require(try patch.graph?.unit(mixer))
    #expect(try (0..<3).map { try unit.parameter(2, .input, $0) } == [-1, 0, 1])
  }

  @Test func `what is written out by hand is the same document`() {
    let plain = Self.patch(
      callbacks: """
        "tone0": { "kind": "tone", "frequency": 110 }, "tone1": { "kind": "tone", "frequency": 220 },
        "tone2": { "kind": "tone", "frequency": 440 }
        """,
      inputs: """
        "0": { "parameters": { "pan": -1 } }, "1": { "parameters": { "pan": 0 } },
        "2": { "parameters": { "pan": 1 } }
        """,
      connections: """
        { "from": "tone0", "to": "mixer:0" }, { "from": "tone1", "to": "mixer:1" },
        { "from": "tone2", "to": "mixer:2" }
        """)
    let (one, other) = (Self.read(Self.patch()), Self.read(plain))
    let isSame =
      one.document.flatMap { one in other.document.map { one.root.hasSameValue(as: $0.root) } }
    #expect(isSame == true)
  }

  static let formulas: [(String, Double)] = [
    ("{i}", 2.0), ("{ i + 1 }", 3), ("{2 * i / 7 - 1}", 2.0 * 2 / 7 - 1), ("{-i ^ 2}", -4),
    ("{2 ^ -i}", 0.25), ("{2 ^ 3 ^ i}", 512), ("{(i + 1) * $three}", 9), ("{$three - i}", 1),
    ("{8 / 2 / 2}", 2), ("{.5 * i}", 1), ("{--i}", 2),
  ]

  @Test(arguments: formulas)
  func `what is in braces is calculated`(formula: String, value: Double) throws {
    let reading = Self.read(
      Self.patch(
        callbacks: #""tone{i}": { "count": 3, "kind": "tone", "frequency": "\#(formula)" }"#))
    #expect(reading.diagnostics.isEmpty)
    let field = reading.document?.callbacks.last?.value.fields.first { $0.name == "frequency" }
    #expect(field?.value.number == value)
  }

  @Test func `texts around braces stay, and so do words in braces and comments`() throws {
    let reading = Self.read(
      Self.patch(
        callbacks: """
          "tone{i}": { "count": "$three", "comment": "{i}", "kind": "file",
            "path": "a{i + 1}-{date}-{{i}}.wav", "gain": "{-3 * i} dB" }
          """))
    #expect(reading.diagnostics.isEmpty)
    let fields = try #require(reading.document?.callbacks.last?.value.fields)
    #expect(fields.first { $0.name == "path" }?.value.string == "a3-{date}-{{i}}.wav")
    #expect(fields.first { $0.name == "gain" }?.value.string == "-6 dB")
  }

  @Test func `repetitions lie in one another, and sub-graphs, bands, taps and steps are repeated`()
  {
    let reading = Self.read(
      Self.patch(
        nodes: """
          "eq{i}": { "count": 2, "component": "NBandEQ",
            "bands": [ { "count": "{i + 2}", "frequency": "{100 * (i + 1) * 10 ^ j}" } ] },
          "strip{i}": { "subgraph": "strip.json", "count": 2,
            "settings": { "/nodes/eq/parameters/gain": "{i}" } },
          """,
        more: """
          , "taps": { "take{i}": { "count": 2, "kind": "record", "at": "eq{i}", "path": "{i}.wav" } },
          "timeline": [ { "count": 2, "at": "{i + 1}",
            "ramp": { "path": "/nodes/eq{i}/bands/{i}/frequency", "to": "{500 + i}" } } ]
          """))
    #expect(reading.diagnostics.isEmpty)
    let nodes = reading.document?.nodes.filter { $0.value.bands != nil } ?? []
    #expect(
      nodes.map { $0.value.bands?.value.map { $0.parameters.first?.value.number } }
        == [[100, 1000], [200, 2000, 20_000]])
    #expect(
      reading.document?.nodes.compactMap { $0.value.settings.first?.value.number } == [0, 1])
    #expect(reading.document?.taps.map { $0.value.at?.value.node } == ["eq0", "eq1"])
    #expect(
      reading.document?.timeline.map { $0.ramp?.path?.value.description }
        == ["/nodes/eq0/bands/0/frequency", "/nodes/eq1/bands/1/frequency"])
    #expect(reading.document?.timeline.map { $0.at?.value } == [.seconds(1), .seconds(2)])
  }

  @Test func `what has no count stays as it is`() {
    let text = Self.patch(
      callbacks: #""tone": { "kind": "tone", "comment": "{i}" }, "a{i}": { "kind": "tone" }"#,
      inputs: "",
      connections: #"{ "from": "tone", "to": "mixer" }, { "from": "a{i}", "to": "mixer:1" }"#)
    let reading = Self.read(text)
    #expect(reading.diagnostics.isEmpty)
    #expect(reading.source.bytes == Array(text.utf8))
    #expect(reading.document?.callbacks.map(\.name) == ["tone", "a{i}"])
  }

  // MARK: Values from outside

  @Test func `an override sets one copy, or all of them`() {
    func frequencies(_ option: String) -> [Double?] {
      let reading = Self.read(Self.patch(), option)
      #expect(reading.diagnostics.isEmpty)
      return reading.document?.callbacks.map {
        $0.value.fields.first { $0.name == "frequency" }?.value.number
      } ?? []
    }
    #expect(frequencies("/callbacks/tone1/frequency=5") == [110, 5, 440])
    #expect(frequencies("/callbacks/tone{i}/frequency=5") == [5, 5, 5])
    #expect(
      Self.read(Self.patch(), "/nodes/mixer/inputs/1/parameters/volume=0.5").diagnostics.isEmpty)
    #expect(Self.read(Self.patch(), "/nodes/mixer/inputs/1={}").diagnostics.isEmpty)
    #expect(Self.read(Self.patch(), "/callbacks/tone9/frequency=5").hasErrors)
  }

  @Test func `a change while it plays is of a copy, and its document has all of them`() throws {
    let player = try LivePlayer(Self.patch())
    try player.pull(1000)
    let changed = Self.read(Self.patch(), "/callbacks/tone1/frequency=300")
    let changes = try player.live.play(changed)
    #expect(changes.map(\.pointer) == ["/callbacks/tone1/frequency"])
    try player.pull(1000)
    // Another notation with the same meaning changes nothing.
    #expect(try player.live.play(changed).isEmpty)
  }

  // MARK: Errors

  @Test(arguments: [
    ("tone{i}", "0", "'count' is a whole number"), ("tone{i}", "1.5", "'count' is a whole number"),
    ("tone{i}", "\"$word\"", "'count' is a whole number"), ("tone{i}", "[]", "'count' is a whole"),
    ("tone{i}", "25001", "more than 25,000 copies"),
    ("tone", "3", "all copies would be called 'tone'"),
    ("tone{i +}", "3", "a number is missing here"), ("tone{x}", "3", "there is no 'x' here"),
  ])
  func `a mistake that leaves open what the copies are is the only one`(
    name: String, count: String, message: String
  ) {
    let patch = Self.build(
      Self.patch(callbacks: #""\#(name)": { "count": \#(count), "kind": "tone", "frequenzy": 3 }"#))
    #expect(patch.diagnostics.count == 1)
    #expect(patch.diagnostics.first?.message.text.contains(message) == true)
  }

  @Test func `a trailing comma in what is repeated hides no other mistake`() {
    let patch = Self.build(
      Self.patch(
        callbacks: #""tone{i}": { "count": 3, "kind": "tone", "frequency": 440, }"#,
        more: #", "titel": "tones""#))
    #expect(patch.diagnostics.map(\.code) == ["PR0005", "PR0102"], "\(Self.words(patch))")
  }

  @Test(arguments: [
    ("{i / 0}", "this is no number"), ("{i $three}", "'$' cannot stand here"),
    ("{$tree}", "there is no constant 'tree'"), ("{$word}", "the constant 'word' is no number"),
    ("{j}", "there is no 'j' here"), ("{(i}", "this parenthesis is not closed"),
    ("{1.2.3}", "'1.2.3' is no number"), ("{i * }", "a number is missing here"),
    ("{}", "a number is"),
    ("{i%2}", "'%' cannot stand here"),
  ])
  func `a formula that has no value is one mistake, where it is written`(
    formula: String, message: String
  ) throws {
    let text = Self.patch(
      callbacks: #""tone{i}": { "count": 3, "kind": "tone", "frequency": "\#(formula)" }"#)
    let patch = Self.build(text)
    #expect(patch.diagnostics.map(\.code) == ["PR0120"], "\(Self.words(patch))")
    let found = try #require(patch.diagnostics.first)
    #expect(found.message.text.contains(message))
    let (origin, range) = patch.source.origin(of: found.range)
    #expect(origin.bytes == Array(text.utf8))
    let whole = try #require(text.range(of: formula))
    let start = text.utf8.distance(from: text.startIndex, to: whole.lowerBound)
    #expect(range.lowerBound >= start && range.upperBound <= start + formula.utf8.count)
  }

  @Test func `formulas do not nest without end`() {
    let deep = String(repeating: "(", count: 5000) + "i"
    let patch = Self.build(
      Self.patch(
        callbacks: #""tone{i}": { "count": 3, "kind": "tone", "frequency": "{\#(deep)}" }"#))
    #expect(patch.diagnostics.map(\.code) == ["PR0120"])
  }

  @Test func `a mistake in all copies is said once, with an edit that puts all right`() throws {
    let text = Self.patch(
      callbacks: #""tone{i}": { "count": 3, "kind": "tone", "frequenzy": 3 }"#)
    let patch = Self.build(text)
    #expect(patch.diagnostics.map(\.code) == ["PR0211"])
    let found = try #require(patch.diagnostics.first)
    #expect(found.pointer == "/callbacks/tone0/frequenzy")
    #expect(found.help.contains("it is so in all 3 copies"))
    let fixed = PatchFixer.fix(
      SourceText(name: "copies.json", text: text), directory: "",
      device: .assumed(HardwareAssumption()))
    #expect(fixed.patch.diagnostics.isEmpty, "\(Self.words(fixed.patch))")
    #expect(
      String(decoding: fixed.patch.ownSource.bytes, as: UTF8.self)
        == text.replacing("frequenzy", with: "frequency"))
  }

  @Test func `a mistake in some copies says in which`() throws {
    let patch = Self.build(
      Self.patch(inputs: #""{i}": { "count": 3, "parameters": { "pan": "{2 - 2 * i}" } }"#))
    #expect(patch.diagnostics.map(\.code) == ["PR0552"])
    let found = try #require(patch.diagnostics.first)
    #expect(found.help.contains("it is so in 2 of 3 copies: i = 0; i = 2"))
    #expect(found.pointer == "/nodes/mixer/inputs/0/parameters/pan")
    let one = Self.build(
      Self.patch(
        inputs:
          #""{i}": { "count": 3, "parameters": { "pan": "{1 - i}", "volume": "{i / 2} dBB" } }"#))
    #expect(one.diagnostics.count == 1)
    let last = Self.build(
      Self.patch(inputs: #""{i + 1}": { "count": 3, "parameters": { "pan": 0 } }"#))
    #expect(last.diagnostics.map(\.code) == ["PR0503"])
    #expect(last.diagnostics.first?.help.contains("it is so in the copy with i = 2") == true)
  }

  @Test func `an editor and a fixer have places in the text as it is written`() throws {
    let text = Self.patch(
      callbacks: #""tone{i}": { "count": 3, "kind": "tone", "frequenzy": 3 }"#,
      more: #", "titel": "Three""#)
    let patch = Self.build(text).asWritten()
    #expect(patch.source.bytes == Array(text.utf8))
    #expect(
      patch.diagnostics.map { patch.source[$0.range] } == ["\"frequenzy\"", "\"titel\""])
  }

  @Test func `a key twice is one of two copies, or of a copy and another`() {
    let patch = Self.build(
      Self.patch(
        callbacks: """
          "tone{i}": { "count": 3, "kind": "tone" }, "tone1": { "kind": "tone" }
          """))
    #expect(patch.diagnostics.map(\.code) == ["PR0023"], "\(Self.words(patch))")
  }

  /// Mistakes in members with a count.
  static let mutations: [PatchMutation] = [
    PatchMutation("a count is none") { document, random in
      guard let place = copied(document).any(&random) else { return nil }
      document[place + ["count"]] = [0, -1, 1.5, "two", [], 1e9].any(&random)
      return [place + ["count"]]
    },
    PatchMutation("a formula has no value") { document, random in
      let places = document.paths.filter { document[$0]?.text?.hasPrefix("{") == true }
      guard let place = places.any(&random) else { return nil }
      document[place] = ["{i / 0}", "{x}", "{i +}", "{$none * i}", "{2 i}", "{}"].any(&random)
      return [place]
    },
    PatchMutation("a setting of all copies is misspelt") { document, random in
      let places = document.paths.filter {
        $0.count == 3 && $0[1].hasSuffix("{i}") && $0[2] == "kind"
      }
      guard let place = places.any(&random) else { return nil }
      document[place] = "tonne"
      return [place]
    },
    PatchMutation("a value of one copy is out of range") { document, random in
      let places = document.paths.filter {
        $0.suffix(2) == ["parameters", "pan"] && $0.contains("{i}")
      }
      guard let place = places.any(&random) else { return nil }
      document[place] = "{2 - 2 * i}"
      return [place]
    },
    PatchMutation("one copy more is connected than there is") { document, random in
      let places = copied(document).filter { $0[0] == "connections" }
      guard let place = places.any(&random), let to = document[place + ["to"]]?.text else {
        return nil
      }
      document[place + ["to"]] = .string(to.replacing("{i}", with: "{i + 1000}"))
      return [place + ["to"]]
    },
  ]

  /// The paths of members with a count.
  private static func copied(_ document: JSONText) -> [[String]] {
    document.paths.filter { $0.last == "count" && !$0.contains("repeat") }.map {
      Array($0.dropLast())
    }
  }

  @Test(arguments: mutations)
  func `one mistake in what is repeated is one error, where it is`(mutation: PatchMutation) {
    var made = 0
    for seed in 0..<(200 * UInt64(PatchProperties.effort)) where made < 5 * PatchProperties.effort {
      let patch = PatchGenerator.patch(seed: seed)
      let before = PatchProperties.build(patch)
      guard !before.hasErrors,
        let (wrong, places) = mutation.applied(to: patch.document, seed: seed)
      else { continue }
      made += 1
      let built = PatchProperties.build(wrong.document, patch.hardware)
      let what =
        PatchProperties.disorder(built, was: before, mutation, places)
        ?? PatchProperties.disagreement(built)
      guard let what else { continue }
      Issue.record("\(PatchProperties.report(what, wrong.document, built))")
      return
    }
    #expect(made > 0, "no patch to make the mistake in")
  }

  @Test func `limits hold for copies`() {
    var limits = PatchLimits.standard
    limits[.nodes] = 10
    let text = Self.patch(callbacks: #""tone{i}": { "count": 10, "kind": "tone" }"#)
    let reading = PatchReader.read(
      SourceText(name: "copies.json", text: text), limits: limits)
    #expect(reading.diagnostics.map(\.code) == ["PR0226"], "\(reading.diagnostics)")
    limits = .standard
    limits[.bytes] = 100_000
    let deep = Self.patch(
      nodes: """
        "m{i}": { "count": 1000, "component": "MatrixMixer",
          "inputs": { "{j}": { "count": 1000, "parameters": { "volume": 1 } } } },
        """)
    let large = PatchReader.read(SourceText(name: "copies.json", text: deep), limits: limits)
    #expect(large.diagnostics.count == 1 && large.document == nil)
  }
}
