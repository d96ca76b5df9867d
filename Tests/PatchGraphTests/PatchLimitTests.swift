import AudioGraphs
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import PatchSyntax
import TestSupport
import Testing

/// Limits of a patch's cost: exceeding one is an error before the cost arises, and the user can
/// raise it.
@Suite struct PatchLimitTests {
  typealias Limit = PatchLimits.Limit

  private static let audio = PrintedFiles.package.appending(path: "patches")

  private static func build(_ text: String, _ limits: PatchLimits = .standard) -> BuiltPatch {
    PatchBuilder.build(text, limits: limits, directory: audio.path)
  }

  private static func codes(_ patch: BuiltPatch) -> Set<String> {
    Set(patch.diagnostics.filter { $0.severity == .error }.map(\.code.rawValue))
  }

  private static let format =
    #""streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 }"#

  /// A valid patch that exceeds the first number of a limit, but not the second.
  private static func example(_ limit: Limit) -> (text: String, less: Int, enough: Int) {
    func played(_ callbacks: String, _ last: String, _ more: String = "") -> String {
      """
      { \(format), "callbacks": { \(callbacks) },
        "nodes": { "out": { "component": "GenericOutput" } },
        "connections": [ { "from": "\(last)", "to": "out" } ]\(more) }
      """
    }
    switch limit {
    case .bytes:
      let text = played(#""t": { "kind": "tone" }"#, "t")
      return (text, text.utf8.count - 1, text.utf8.count)
    case .nodes: return (played(#""t": { "kind": "tone" }"#, "t"), 1, 2)
    case .buses:
      return (
        """
        { \(format), "callbacks": { "t": { "kind": "tone" } },
          "nodes": { "out": { "component": "GenericOutput" },
            "mixer": { "component": "MultichannelMixer", "inputCount": 4,
              "outputs": { "0": { "sampleRate": 44100 } } } },
          "connections": [ { "from": "t", "to": "mixer:3" }, { "from": "mixer", "to": "out" } ] }
        """, 3, 4
      )
    case .callbacks:
      return (
        played(
          """
          "t": { "kind": "tone" }, "a": { "kind": "gain", "gain": 1, "from": "t" },
          "b": { "kind": "gain", "gain": 1, "from": "a" }
          """, "b"), 2, 3
      )
    case .updates:
      let update = #"[ { "op": "add", "path": "/title", "value": "A" } ]"#
      return (
        played(
          #""t": { "kind": "tone" }"#, "t",
          #", "timeline": [ { "at": 1, "update": \#(update) }, { "at": 2, "update": \#(update) } ]"#
        ),
        1500, 4000
      )
    case .steps:
      return (
        played(
          #""t": { "kind": "tone" }"#, "t",
          """
          , "timeline": [ { "at": 1, "repeat": { "every": 1, "count": 6 },
            "ramp": { "path": "/callbacks/t/frequency", "to": 500 } } ]
          """), 4, 5
      )
    case .memory:
      return (
        played(
          #""t": { "kind": "tone" }, "e": { "kind": "echo", "from": "t" }"#, "e"), 1 << 20, 8 << 20
      )
    case .seconds:
      return (
        played(
          """
          "t": { "kind": "tone" },
          "c": { "kind": "convolution", "path": "audio/caller.wav", "from": "t" }
          """, "c"), 1, 30
      )
    }
  }

  @Test(arguments: Limit.allCases)
  func `what needs more than a limit is refused with its code, and a raised one lets it pass`(
    limit: Limit
  ) throws {
    let (text, less, enough) = Self.example(limit)
    #expect(Self.codes(Self.build(text)) == [])
    var limits = PatchLimits.standard
    limits[limit] = less
    let refused = Self.build(text, limits)
    #expect(Self.codes(refused) == [limit.rule.code.rawValue])
    let help = refused.diagnostics.flatMap(\.help).joined(separator: "\n")
    #expect(help.contains("`--limit \(limit.rawValue)="))
    limits[limit] = enough
    #expect(Self.codes(Self.build(text, limits)) == [])
  }

  @Test(arguments: Limit.allCases)
  func `the help names a value that lets the patch pass`(limit: Limit) throws {
    let (text, less, _) = Self.example(limit)
    var limits = PatchLimits.standard
    limits[limit] = less
    let help = Self.build(text, limits).diagnostics.flatMap(\.help).joined(separator: "\n")
    let option = try #require(help.firstMatch(of: /--limit ([a-z]+=[0-9]+[KMG]?)/))
    var raised = limits
    #expect(raised.set(String(option.1)) == nil)
    #expect(Self.codes(Self.build(text, raised)) == [])
  }

  @Test func `what takes too much memory is refused by initialize, too, before it is allocated`()
    throws
  {
    var limits = PatchLimits.standard
    limits[.memory] = 1 << 20
    let graph = try #require(Self.build(Self.example(.memory).text, limits).graph)
    let heap = heapCost {
      #expect(throws: Violation.self) { try graph.initialize() }
    }
    #expect(heap.bytes < 3 << 20)
    graph.memoryLimit = 8 << 20
    try graph.initialize()
    graph.close()
  }

  @Test func `ten thousand mixers in a row meet no limit`() {
    let patch = Self.build(CostShape.mixers.text(10_000))
    #expect(Self.codes(patch) == [])
  }

  @Test func `sub-graphs that name others are counted with their nodes`() throws {
    let folder = try TemporaryFolder()
    /// Each contains the next twice.
    func level(_ next: String?) -> String {
      let parts =
        next.map { #""a": { "subgraph": "\#($0)" }, "b": { "subgraph": "\#($0)" }, "# } ?? ""
      return #"{ "nodes": { \#(parts) "out": { "component": "GenericOutput" } } }"#
    }
    for number in 0..<40 {
      try folder.write(level(number == 39 ? nil : "\(number + 1).json"), to: "\(number).json")
    }
    var limits = PatchLimits.standard
    limits[.nodes] = 500
    let bytes = try folder.bytes("0.json")
    var patch: BuiltPatch?
    let heap = heapCost {
      patch = PatchBuilder.build(
        PatchReader.read(bytes: bytes, name: "0.json", limits: limits), directory: folder.path)
    }
    #expect(patch?.diagnostics.map(\.code.rawValue).contains("PR0226") == true)
    #expect(heap.calls < 500_000)
  }

  @Test func `a mistake in a sub-graph that is used a thousand times is told once`() throws {
    let folder = try TemporaryFolder()
    let part = """
      { "nodes": { "eq": { "component": "iPodEQ", "parameters": { "loudness": 1 } },
        "out": { "component": "GenericOutput" } } }
      """
    try folder.write(part, to: "part.json")
    let uses = (0..<1000).map { #""s\#($0)": { "subgraph": "part.json" }"# }
    let text =
      #"{ "nodes": { "io": { "component": "GenericOutput" }, \#(uses.joined(separator: ", ")) } }"#
    let patch = PatchBuilder.build(text, directory: folder.path)
    let found = patch.diagnostics.filter { $0.code == "PR0551" }
    #expect(found.count == 1)
    #expect(found.first?.leftOut == 0)
  }

  @Test
  func `the name of a place that is named a thousand times is told once, fifty places with it`() {
    let patch = Self.build(CostShape.oneUnknownName.text(1000))
    let found = patch.diagnostics.filter { $0.message.text.contains("'nobody'") }
    #expect(found.count == 1)
    #expect(found.first?.notes.count == 50)
    #expect(found.first?.help.last == "the same mistake is at 949 more places")
  }

  @Test(
    arguments: [
      ("memory=2G", Limit.memory, 2 << 30), ("bytes=64M", .bytes, 64 << 20),
      ("nodes=100000", .nodes, 100_000), ("updates=100k", .updates, 100 << 10),
      ("seconds=60", .seconds, 60), ("callbacks=1K", .callbacks, 1024), ("buses=1", .buses, 1),
    ])
  func `a limit is set as it is written`(text: String, limit: Limit, value: Int) {
    var limits = PatchLimits.standard
    #expect(limits.set(text) == nil)
    #expect(limits[limit] == value)
    for other in Limit.allCases where other != limit { #expect(limits[other] == other.standard) }
  }

  @Test(
    arguments: [
      "memory", "memory=", "memory=0", "memory=-1", "memory=1.5", "memory=1T", "memory=M",
      "nods=5", "seconds=1000", "bytes=2G", "=5", "memory=99999999999999999999",
    ])
  func `what is no limit is refused with what would be one`(text: String) {
    var limits = PatchLimits.standard
    #expect(limits.set(text) != nil)
    #expect(limits == .standard)
  }

  @Test func `the page about strangers' patches has the limits as they are`() throws {
    let path = ".github/SECURITY.md"
    let rows = PatchLimits.table.map {
      "| `\($0.name)` | \($0.standard) | \($0.summary) | `\($0.code)` |"
    }
    let table =
      (["| Limit | Usually | At most so many | |", "| --- | --- | --- | --- |"] + rows)
      .joined(separator: "\n")
    var text = try #require(PrintedFiles.text(of: path))
    if ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil,
      let begin = text.range(of: "<!-- limits:begin -->\n"),
      let end = text.range(of: "<!-- limits:end -->")
    {
      text.replaceSubrange(begin.upperBound..<end.lowerBound, with: table + "\n")
      try text.write(
        to: PrintedFiles.package.appending(path: path), atomically: true, encoding: .utf8)
    }
    #expect(PrintedFiles.section("limits", of: text) == table)
  }
}
