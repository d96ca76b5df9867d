import AudioGraphs
import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderHost
import Testing

/// Updates of the timeline, each of which makes a whole patch.
@Suite struct UpdateTests {
  private func build(
    _ timeline: String, more: String = "", overrides: [String] = []
  ) -> BuiltPatch {
    let text = """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "a": { "kind": "tone" }, "b": { "kind": "tone" } },
        "nodes": {
          "mixer": {
            "component": "MultichannelMixer",
            "properties": { "maximumFramesPerSlice": 4096 }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "a", "to": "mixer:0" }, { "from": "mixer", "to": "io" } ],
        \(more)
        "timeline": [ \(timeline) ]
      }
      """
    return PatchBuilder.build(text, overrides: overrides)
  }

  private let volume = "/nodes/mixer/inputs/0/parameters/volume"

  @Test func `each update makes a patch, of which the next one makes another`() throws {
    let patch = build(
      """
      { "at": 3, "update": [ { "op": "remove", "path": "/connections/0" } ] },
      { "at": 1, "update": [ { "op": "add", "path": "/connections/0",
          "value": { "from": "b", "to": "mixer:1" } } ] },
      { "at": 2, "ramp": { "path": "\(volume)", "to": 0, "duration": 5 } },
      { "at": 4, "ramp": { "path": "/nodes/mixer/inputs/1/parameters/volume", "to": 0 } },
      { "at": 3, "update": [ { "op": "test", "path": "/connections/0/from", "value": "a" },
          { "op": "add", "path": "/title", "value": "Later" } ] }
      """)
    #expect(patch.diagnostics.isEmpty)
    #expect(patch.updates.map(\.time) == [1, 3, 3])
    #expect(patch.updates.map(\.step) == [1, 0, 4])
    #expect(
      patch.updates.map { $0.reading.document?.connections.map { $0.from?.value.node } }
        == [["b", "a", "mixer"], ["a", "mixer"], ["a", "mixer"]])
    #expect(patch.updates.map { $0.reading.document?.title?.value } == [nil, nil, "Later"])
    for update in patch.updates {
      let built = PatchBuilder.build(
        update, in: PatchSurroundings(directory: ""), device: .assumed(HardwareAssumption()))
      #expect(!built.hasErrors)
      try #require(built.graph).initialize()
    }
  }

  @Test func `a ramp has to have its parameter as long as it runs`() {
    let remove = """
      { "at": 2, "update": [ { "op": "remove", "path": "/connections/0" },
        { "op": "remove", "path": "/nodes/mixer" },
        { "op": "replace", "path": "/connections/0/from", "value": "a" } ] }
      """
    func codes(_ at: Double, _ duration: Double, before: Bool = true) -> [String] {
      let ramp =
        "{ \"at\": \(at), \"ramp\": { \"path\": \"\(volume)\", \"to\": 0, \"duration\": \(duration) } }"
      return build(before ? "\(ramp), \(remove)" : "\(remove), \(ramp)")
        .diagnostics.filter { $0.severity == .error }.map(\.code.rawValue)
    }
    #expect(codes(0, 2) == [])
    #expect(codes(0, 2.1) == ["PR0215"])
    #expect(codes(2, 0) == [])
    #expect(codes(2, 0, before: false) == ["PR0215"])
    #expect(codes(5, 0) == ["PR0215"])
  }

  @Test func `ramps overlap across an update, too`() {
    let patch = build(
      """
      { "at": 1, "ramp": { "path": "\(volume)", "to": 0, "duration": 3 } },
      { "at": 2, "update": [ { "op": "remove", "path": "/callbacks/b" } ] },
      { "at": 3, "ramp": { "path": "\(volume)", "to": 1, "duration": 3 } }
      """)
    #expect(patch.diagnostics.map(\.code) == ["PR0205", "PR0801"])
  }

  @Test func `what was wrong before is not said again, and what is wrong now once`() throws {
    let update =
      "\"update\": [ { \"op\": \"add\", \"path\": \"/nodes/mixer/inputs\", \"value\": { \"0\": { \"parameters\": { \"pan\": 9 } } } } ]"
    let patch = build(
      "{ \"at\": 1, \(update) }, { \"at\": 2, \(update) }, { \"at\": 3, \"update\": [] }",
      more: "\"sesion\": {},")
    #expect(patch.diagnostics.map(\.code) == ["PR0102", "PR0552", "PR0552"])
    let found = patch.diagnostics[1]
    #expect(found.pointer == "/timeline/0/update/0/value/0/parameters/pan")
    #expect(patch.source[found.range] == "9")
    #expect(found.notes.isEmpty)
  }

  @Test func `a key that an operation makes is found in its path`() {
    let patch = build(
      "{ \"at\": 1, \"update\": [ { \"op\": \"add\", \"path\": \"/nodes/mixer/inpts\", \"value\": {} } ] }"
    )
    #expect(patch.diagnostics.map(\.code) == ["PR0102"])
    #expect(patch.source[patch.diagnostics[0].range] == "inpts")
    #expect(patch.diagnostics[0].pointer == "/timeline/0/update/0/path")
    #expect(patch.diagnostics[0].fixes.isEmpty)
  }

  @Test func `an edit is offered where it makes the update right`() {
    let patch = build(
      """
      { "at": 1, "update": [ { "op": "add", "path": "/connections/-",
          "value": { "from": "b", "to": "mixxer:1" } } ] }
      """)
    #expect(patch.diagnostics.map(\.code) == ["PR0203"])
    let edit = patch.diagnostics[0].fixes.first?.edits.first
    #expect(edit.map { patch.source[$0.range] } == "mixxer")
    #expect(edit?.replacement == "mixer")
  }

  @Test func `a callback that an update connects is not there for nothing`() {
    let connect = """
      { "at": 1, "update": [
        { "op": "add", "path": "/connections/-", "value": { "from": "b", "to": "mixer:1" } } ] }
      """
    let disconnect =
      "{ \"at\": 2, \"update\": [ { \"op\": \"remove\", \"path\": \"/connections/2\" } ] }"
    #expect(build("").diagnostics.map(\.code) == ["PR0205"])
    #expect(build(connect).diagnostics.isEmpty)
    #expect(build(connect + "," + disconnect).diagnostics.isEmpty)
    #expect(
      build("{ \"at\": 1, \"update\": [] }").diagnostics.map(\.code) == ["PR0205"])
  }

  @Test func `a value from the command line keeps its place in an update's document`() {
    let patch = build(
      "{ \"at\": 1, \"update\": [ { \"op\": \"remove\", \"path\": \"/callbacks/a\" } ] }",
      overrides: ["/connections/0/from=b"])
    #expect(patch.diagnostics.map(\.code) == ["PR0205"])
    let other = build(
      "{ \"at\": 1, \"update\": [ { \"op\": \"remove\", \"path\": \"/callbacks/b\" } ] }",
      overrides: ["/connections/0/from=b"])
    #expect(other.diagnostics.map(\.code) == ["PR0203"])
    let error = other.diagnostics[0]
    let (text, range) = other.source.origin(of: error.range)
    #expect(text.name == "--set" && text[range].hasSuffix("b\""))
  }

  @Test func `times are seconds, frames of the session or beats of the tempo`() throws {
    let patch = build(
      """
      { "at": { "frames": 22050 }, "ramp": { "path": "\(volume)", "to": 0.5,
          "duration": { "beats": 1 }, "curve": "exponential" } },
      { "at": { "beats": 6 }, "stop": true },
      { "at": { "beats": 4 }, "update": [] }
      """, more: "\"tempo\": 90,")
    #expect(patch.diagnostics.map(\.code) == ["PR0205"])
    let fourBeats = 4 * 60 / 90.0
    #expect(patch.updates.map(\.time) == [fourBeats])
    let graph = try #require(patch.graph)
    #expect(graph.stopTime == 4)
    try graph.initialize()
    #expect(graph.duration == 176_400)
  }

  @Test func `an update makes no change that takes a gap`() {
    let patch = build(
      """
      { "at": 1, "update": [
        { "op": "replace", "path": "/nodes/io/component", "value": "voiceProcessingIO" } ] }
      """)
    let errors = patch.diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code) == ["PR0805"])
    #expect(errors.first?.pointer == "/nodes/io")
    #expect(errors.first?.notes.count == 1)
  }
}
