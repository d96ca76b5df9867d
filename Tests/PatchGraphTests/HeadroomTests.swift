import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import Testing

/// Gains with a sum beyond the range of a bus or a loudspeaker, and notes about gains and
/// conversions.
@Suite struct HeadroomTests {
  private func build(
    _ callbacks: String, volumes: [Double], master: Double = 1, sample: String = "float32",
    head: String = "remoteIO", notes: Bool = false
  ) -> [Diagnostic] {
    let names = ["a", "b", "c", "d"].prefix(volumes.count)
    let inputs = volumes.enumerated().map { index, volume in
      "\"\(index)\": { \"parameters\": { \"volume\": \(volume) } }"
    }.joined(separator: ", ")
    let connections = names.enumerated().map { index, name in
      "{ \"from\": \"\(name)\", \"to\": \"mixer:\(index)\" }, "
    }.joined()
    let text = """
      {
        "streamFormat": { "sample": "\(sample)", "channels": 2, "sampleRate": 44100 },
        "callbacks": { \(callbacks) },
        "nodes": {
          "mixer": {
            "component": "mcmx", "properties": { "maximumFramesPerSlice": 4096 },
            "inputs": { \(inputs) },
            "outputs": { "0": { "parameters": { "volume": \(master) } } }
          },
          "io": { "component": "\(head)" }
        },
        "connections": [ \(connections) { "from": "mixer", "to": "io" } ]
      }
      """
    return PatchBuilder.build(text, name: "test.json", notes: notes).diagnostics
  }

  private func tone(_ name: String, _ amplitude: Double) -> String {
    "\"\(name)\": { \"kind\": \"tone\", \"amplitude\": \(amplitude) }"
  }

  private func file(_ name: String) -> String {
    let path = PrintedFiles.package.appending(path: "patches/audio/guitar.wav").path
    return "\"\(name)\": { \"kind\": \"file\", \"path\": \"\(path)\" }"
  }

  @Test func `tones that add up to more than full scale are said to be clipped, by how much`() {
    let found = build(tone("a", 1) + "," + tone("b", 1), volumes: [0.8, 0.7])
    #expect(found.map(\.code) == ["PR0314"])
    #expect(found.first?.severity == .warning)
    #expect(found.first?.message.text.contains("3.5 dB over full scale") == true)
    #expect(found.first?.message.text.contains("the loudspeaker") == true)
    #expect(found.first?.help.first?.contains("\"volume\": 0.66") == true)
  }

  @Test func `the cure that is offered is one`() {
    #expect(build(tone("a", 1) + "," + tone("b", 1), volumes: [0.8, 0.7], master: 0.66) == [])
  }

  @Test func `what adds up to full scale is let be`() {
    #expect(build(tone("a", 0.5) + "," + tone("b", 0.5), volumes: [1, 1]) == [])
  }

  @Test func `two files may be as loud as they are, more are too many`() {
    #expect(build(file("a") + "," + file("b"), volumes: [1, 1]) == [])
    let found = build(
      [file("a"), file("b"), file("c")].joined(separator: ","), volumes: [1, 1, 1])
    #expect(found.map(\.code) == ["PR0314"])
    #expect(found.first?.message.text.contains("can go up to 9.5 dB") == true)
  }

  @Test func `a float bus without a loudspeaker clips nothing, an integer one does`() {
    let callbacks = tone("a", 1) + "," + tone("b", 1)
    #expect(build(callbacks, volumes: [1, 1], head: "GenericOutput") == [])
    // The mix is a float32 bus, whatever its inputs are.
    #expect(build(callbacks, volumes: [1, 1], sample: "int16", head: "GenericOutput") == [])
    let found = build(
      tone("a", 1.5) + "," + tone("b", 0.1), volumes: [0.5, 0.5], sample: "int16",
      head: "GenericOutput")
    #expect(found.map(\.code) == ["PR0314"])
    #expect(found.first?.message.text.contains("a bus of int16 clips it") == true)
  }

  @Test func `a volume above 1 is told of once`() {
    let found = build(tone("a", 0.9) + "," + tone("b", 0.1), volumes: [2, 1])
    #expect(found.map(\.code) == ["PR0554"])
  }

  @Test func `what volumes come to is noted where one asks for notes`() {
    let callbacks = tone("a", 0.2) + "," + tone("b", 0.2)
    #expect(build(callbacks, volumes: [0.5, 1], master: 0.5) == [])
    let found = build(callbacks, volumes: [0.5, 1], master: 0.5, notes: true)
    #expect(found.map(\.code) == ["PR0557"])
    #expect(found.first?.severity == .note)
    #expect(found.first?.message.text == "the input is heard at 0.5 × 0.5 = 0.25, -12.0 dB")
    #expect(!found.hasErrors)
  }

  @Test func `a conversion that was asked for is noted`() {
    let text = """
      {
        "callbacks": { "a": { "kind": "tone" } },
        "nodes": {
          "converter": {
            "component": "FormatConverter", "properties": { "maximumFramesPerSlice": 4096 },
            "inputs": {
              "0": { "streamFormat": { "sample": "int16", "channels": 1, "sampleRate": 22050 } }
            },
            "outputs": {
              "0": { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 44100 } }
            }
          },
          "out": { "component": "GenericOutput" }
        },
        "connections": [
          { "from": "a", "to": "converter" }, { "from": "converter", "to": "out" }
        ]
      }
      """
    let found = PatchBuilder.build(text, name: "test.json", notes: true).diagnostics
    #expect(found.map(\.code) == ["PR0424"])
    #expect(
      found.first?.message.text
        == "'converter' converts 1 ch, 22050 Hz, int16 to 1 ch, 44100 Hz, float32")
  }
}
