import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchGraph
import Testing

/// Nodes that are written with the same bytes as the one before are not read, set and settled anew.
@Suite struct RepeatedNodesTests {
  private static let mixer = #"""
    { "component": "MultichannelMixer", "inputCount": 2,
      "properties": { "maximumFramesPerSlice": 4096 },
      "inputs": { "0": { "parameters": { "volume": 0.5 } },
                  "1": { "properties": { "meteringMode": true } } },
      "outputs": { "0": { "sampleRate": 48000, "parameters": { "volume": 0.25 } } } }
    """#

  /// A mixer with a part of its text replaced.
  private static func mixer(_ part: String, _ other: String) -> String {
    mixer.replacing(part, with: other, maxReplacements: 1)
  }

  /// A patch of units in series.
  private static func build(_ units: [String]) -> BuiltPatch {
    let nodes = units.enumerated().map { "\"m\($0)\": \($1)" }
    let links = units.indices.dropFirst().map { "{ \"from\": \"m\($0 - 1)\", \"to\": \"m\($0)\" }" }
    return PatchBuilder.build(
      """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
        "callbacks": { "tone": { "kind": "tone" } },
        "nodes": { \(nodes.joined(separator: ",\n")), "out": { "component": "GenericOutput" } },
        "connections": [ { "from": "tone", "to": "m0" }, \(links.joined(separator: ",\n")),
          { "from": "m\(units.count - 1)", "to": "out" } ]
      }
      """)
  }

  private static let format = #"{ "sample": "float32", "channels": 1, "sampleRate": 48000 }"#

  static let chains: [[String]] = [
    [],
    [mixer("0.5", "0.7"), mixer, mixer],
    ["{ \"component\": \"iPodEQ\" }", "{ \"component\": \"iPodEQ\" }", mixer, mixer],
    // Mistakes, which are found in each.
    Array(repeating: mixer("0.5", "\"loud\""), count: 4),
    Array(repeating: mixer("4096", "0"), count: 4),
    Array(repeating: mixer("4096", "256"), count: 4),
    Array(repeating: mixer("48000", "44100"), count: 4),
    Array(repeating: mixer("\"0\"", "\"2\""), count: 4),
    Array(repeating: mixer("volume", "volum"), count: 4),
    Array(repeating: mixer("\"inputCount\": 2", "\"inputCount\": 2, \"inputCount\": 1"), count: 4),
    // Formats of inputs that are connected.
    Array(repeating: mixer("\"0\": {", "\"0\": { \"streamFormat\": \(format),"), count: 4),
    Array(repeating: mixer("\"0\": {", "\"0\": { \"sampleRate\": 44100,"), count: 4),
  ]

  @Test(arguments: chains) func `they are what they are alone`(_ chain: [String]) throws {
    let units = Array(repeating: Self.mixer, count: 4) + chain
    // A blank more in every second one.
    let apart = Self.build(
      units.enumerated().map { $0 % 2 == 0 ? $1 : $1.replacing("{ \"comp", with: "{  \"comp") })
    let together = Self.build(units)
    func findings(_ patch: BuiltPatch) -> [String] {
      patch.diagnostics.map { diagnostic in
        let line = patch.source.position(of: diagnostic.range.lowerBound).line
        let text = patch.source[diagnostic.range].replacing("{  ", with: "{ ")
        return "\(line) \(text) \(diagnostic.code) \(diagnostic.message) "
          + "\(diagnostic.pointer ?? "") \(diagnostic.help)"
      }
    }
    #expect(findings(together) == findings(apart))
    let (one, other) = (try #require(together.graph), try #require(apart.graph))
    #expect(one.nodes == other.nodes)
    for id in one.nodes {
      #expect(try one.unit(id).settings == other.unit(id).settings)
      let (here, there) = (one.configurations[id], other.configurations[id])
      #expect(here?.inputs == there?.inputs && here?.outputs == there?.outputs)
      #expect(here?.ditherSeed == there?.ditherSeed)
    }
  }

  @Test func `a change of one leaves the others`() throws {
    let graph = try #require(Self.build(Array(repeating: Self.mixer, count: 4)).graph)
    let (first, last) = (try graph.unit(graph.nodes[0]), try graph.unit(graph.nodes[3]))
    let volume = MultichannelMixer.Parameter.volume
    try first.setParameter(volume, .input, 0, to: 0.125)
    try first.setProperty(.maximumFramesPerSlice, to: .uint32(512))
    #expect(try last.parameter(volume, .input, 0) == 0.5)
    #expect(try last.property(.maximumFramesPerSlice) == .uint32(4096))
    #expect(graph.violations().count { $0.place.node == graph.nodes[0] } == 1)
    #expect(!graph.violations().contains { $0.place.node == graph.nodes[3] })
  }
}
