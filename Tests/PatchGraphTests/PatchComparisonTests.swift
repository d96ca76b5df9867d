import Diagnostics
import PatchGraph
import PatchSyntax
import Testing

/// The audible effect of changing one patch into another.
@Suite struct PatchComparisonTests {
  private static let text = """
    {
      "title": "One",
      "session": { "preferredSampleRate": 48000 },
      "streamFormats": { "wide": { "sample": "float32", "channels": 2, "sampleRate": 48000 } },
      "streamFormat": "wide",
      "callbacks": {
        "a": { "kind": "tone", "frequency": 440 }, "b": { "kind": "noise", "seed": 1 }
      },
      "nodes": {
        "eq": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
        },
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { "0": { "parameters": { "volume": 0.8 } }, "1": { "parameters": { "pan": 0 } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "a", "to": "eq" }, { "from": "eq", "to": "mixer:0" },
        { "from": "b", "to": "mixer:1" }, { "from": "mixer", "to": "io" }
      ],
      "tempo": 120,
      "timeline": [
        {
          "at": 2,
          "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0, "duration": 1 }
        },
        { "at": 9, "stop": true }
      ]
    }
    """

  private func compare(_ old: String, _ new: String) -> PatchComparison? {
    let here = PatchSurroundings(directory: "")
    return PatchComparison(
      from: (PatchReader.read(SourceText(name: "old.json", text: old)), here),
      to: (PatchReader.read(SourceText(name: "new.json", text: new)), here))
  }

  private func heard(_ part: String, _ replacement: String) throws -> [String] {
    #expect(Self.text.contains(part))
    let new = Self.text.replacing(part, with: replacement, maxReplacements: 1)
    let comparison = try #require(compare(Self.text, new))
    return comparison.changes.map { "\($0.heard) \($0.pointer)" }
  }

  @Test(arguments: [
    ("0.8", "0.80"), ("\"mixer:0\"", "\"mixer\""), ("\"at\": 2,", "\"at\": { \"beats\": 4 },"),
    ("\"at\": 9", "\"comment\": \"The end.\", \"at\": 9.0"), ("{ \"pan\": 0 }", "{}"),
    ("\"component\": \"iPodEQ\"", "\"component\": { \"type\": \"aufx\", \"subtype\": \"ipeq\" }"),
    ("{ \"kind\": \"noise\", \"seed\": 1 }", "{ \"seed\": 1.0, \"kind\": \"noise\" }"),
    (
      "\"session\": {", "\"session\": { \"category\": \"soloAmbient\","
    ),
    ("\"duration\": 1 }", "\"duration\": 1, \"curve\": \"linear\" }"),
  ])
  func `another spelling of the same is not heard`(part: String, replacement: String) throws {
    #expect(try heard(part, replacement) == [])
  }

  @Test(
    arguments: [
      ("0.8", "0.5", ["ramp /nodes/mixer/inputs/0/parameters/volume"]),
      ("\"Rock\"", "\"Flat\"", ["live /nodes/eq/properties/presentPreset"]),
      ("\"frequency\": 440", "\"frequency\": 220", ["ramp /callbacks/a/frequency"]),
      ("\"One\"", "\"Two\"", ["nothing /title"]),
      (
        "\"preferredSampleRate\": 48000", "\"preferredSampleRate\": 44100",
        ["restart /session"]
      ),
      ("\"at\": 9", "\"at\": 8", ["nothing /timeline/1"]),
      ("\"tempo\": 120", "\"tempo\": 90", []),
      ("\"to\": 0,", "\"to\": 0.1,", ["nothing /timeline/0"]),
    ] as [(String, String, [String])])
  func `a change is heard as its place says`(
    part: String, replacement: String, expected: [String]
  ) throws {
    #expect(try heard(part, replacement) == expected)
  }

  @Test func `a format that changes its definition changes every bus that has it`() throws {
    let changes = try heard("\"channels\": 2", "\"channels\": 1")
    #expect(changes.contains("reinitialize /nodes/eq/inputs/0"))
    #expect(changes.contains("reinitialize /nodes/mixer/inputs/1"))
  }

  @Test func `the strongest counts, and a wrong patch is not compared`() throws {
    let new = Self.text.replacing("0.8", with: "0.5").replacing("\"at\": 9", with: "\"at\": 8")
    let comparison = try #require(compare(Self.text, new))
    #expect(comparison.heard == .ramp)
    #expect(
      comparison.text == """
        ramp: 'volume' of 'mixer' goes from 0.8 to 0.5  (/nodes/mixer/inputs/0/parameters/volume)
        nothing is heard: the timeline is another one from 8 s on, heard when that comes  (/timeline/1)

        """)
    #expect(compare(Self.text, Self.text)?.heard == .nothing)
    #expect(compare(Self.text, Self.text.replacing("\"Rock\"", with: "\"Rick\"")) == nil)
  }
}
