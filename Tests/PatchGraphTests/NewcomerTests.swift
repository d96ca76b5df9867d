import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderHost
import Testing

/// What those who write their first patches take for right: the message names the cure.
@Suite struct NewcomerTests {
  private static func build(rate: String, mixer: String = "MultichannelMixer") -> [Diagnostic] {
    let patch = """
      {
        "callbacks": { "hum": { "kind": "tone", "frequency": 110 }, "sea": { "kind": "noise" } },
        "nodes": {
          "mixer": {
            "component": "\(mixer)",
            "inputs": {
              "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 } },
              "1": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": \(rate) } }
            },
            "outputs": { "0": { "sampleRate": 44100 } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "hum", "to": "mixer:0" }, { "from": "sea", "to": "mixer:1" },
          { "from": "mixer", "to": "io" }
        ]
      }
      """
    return PatchBuilder.build(patch, name: "first.json").diagnostics
  }

  @Test func `a rate in kilohertz at a mixer is told the rate in hertz`() throws {
    let error = try #require(Self.build(rate: "44.1").first { $0.code == "PR0405" })
    #expect(error.help.first == "rates are in hertz: 44100 was meant?")
    let other = try #require(Self.build(rate: "48000").first { $0.code == "PR0405" })
    #expect(!other.help.contains { $0.contains("hertz") })
  }

  @Test func `who asks for a mixer is offered the one for stereo first`() throws {
    let error = try #require(
      Self.build(rate: "44100", mixer: "Mixer").first { $0.code == "PR0201" })
    #expect(error.help.first == "did you mean 'MultichannelMixer' or '3DMixer'?")
  }

  private static func errors(_ text: String) -> [Diagnostic] {
    PatchBuilder.build(text, name: "first.json").diagnostics.filter { $0.severity == .error }
  }

  /// A patch in which these inputs of a mixer are set and fed.
  private static func fed(_ inputs: [Int], more: String = "") -> String {
    let tones = inputs.map { "\"t\($0)\": { \"kind\": \"tone\" }" }
    let volumes = inputs.map { "\"\($0)\": { \"parameters\": { \"volume\": 0.5 } }" }
    let connections = inputs.map { "{ \"from\": \"t\($0)\", \"to\": \"mix:\($0)\" }, " }
    return """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { \(tones.joined(separator: ", ")) },
        "nodes": {
          "mix": {
            "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }\(more),
            "inputs": { \(volumes.joined(separator: ", ")) }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [ \(connections.joined()){ "from": "mix", "to": "io" } ]
      }
      """
  }

  @Test(arguments: [
    (Array(0..<12), "inputs 8 to 11", 12), ([0, 9, 14], "inputs 9 and 14", 15),
    ([3, 8, 9, 20], "inputs 8, 9 and 20", 21), ([0, 8], "input element 8", 9),
  ])
  func `a mixer with too few inputs is one mistake, however many are named`(
    inputs: [Int], named: String, needed: Int
  ) throws {
    let text = Self.fed(inputs)
    let error = try #require(Self.errors(text).first)
    #expect(Self.errors(text).map(\.code) == ["PR0503"])
    #expect(error.message.text.contains(" has no \(named): "))
    #expect(error.help.first?.contains("\"inputCount\": \(needed)") == true)
    let fixed = SourceText(name: "p.json", text: text).applying(error.fixes.flatMap(\.edits))
    #expect(Self.errors(String(decoding: fixed.bytes, as: UTF8.self)).isEmpty)
  }

  @Test func `a number of inputs that a mixer cannot have is one mistake, whatever is named`() {
    let refused = Self.errors(Self.fed(Array(0..<12), more: ", \"inputCount\": 2000"))
    #expect(refused.map(\.code) == ["PR0508"])
    #expect(Self.errors(Self.fed([0, 5000])).map(\.code) == ["PR0503"])
    #expect(
      Self.errors(Self.fed([0, 8, 5000])).map(\.help) == [["it has at most 1024 inputs"]])
  }
}
