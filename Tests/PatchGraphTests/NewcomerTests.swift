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
}
