import TestSupport
import Testing

/// Patches of many parts, rendered by the program.
@Suite struct ScaleCommandTests {
  @Test func `a chain of a hundred thousand callbacks is rendered`() throws {
    let count = 100_000
    let gains = (0..<count).map {
      "\"g\($0)\": { \"kind\": \"gain\", \"gain\": 1, \"from\": \"\($0 == 0 ? "in" : "g\($0 - 1)")\" }"
    }
    let place = try Workplace()
    try place.write(
      """
      {
        "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 48000 },
        "callbacks": {
          "in": { "kind": "tone", "amplitude": 0.5 },
          \(gains.joined(separator: ",\n    "))
        },
        "nodes": { "out": { "component": "GenericOutput" } },
        "connections": [{ "from": "g\(count - 1)", "to": "out" }]
      }
      """, to: "patch.json")
    let outcome = try place.run(
      "render", "--limit", "callbacks=1000000", "--limit", "nodes=1000000", "--limit", "memory=8G",
      "--duration", "0.01", "patch.json", "-o", "out.wav")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try place.samples("out.wav").contains { $0 > 0.4 })
  }

  @Test func `the file is the same with any number of threads`() throws {
    let branches = 0..<16
    let place = try Workplace()
    try place.write(
      """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
        "callbacks": {
          \(branches.map {
            "\"n\($0)\": { \"kind\": \"noise\", \"amplitude\": 0.03, \"seed\": \($0 + 1) }"
          }.joined(separator: ",\n    "))
        },
        "nodes": {
          \(branches.map {
            "\"e\($0)\": { \"component\": \"iPodEQ\", \"properties\": { \"presentPreset\": \"Rock\" } }"
          }.joined(separator: ",\n    ")),
          "mix": { "component": "MultichannelMixer", "inputCount": 16 },
          "out": { "component": "GenericOutput" }
        },
        "connections": [
          \(branches.map {
            "{ \"from\": \"n\($0)\", \"to\": \"e\($0)\" }, { \"from\": \"e\($0)\", \"to\": \"mix:\($0)\" }"
          }.joined(separator: ",\n    ")),
          { "from": "mix", "to": "out" }
        ]
      }
      """, to: "patch.json")
    try expectSameFile(in: place, seconds: 0.7)
  }

  @Test func `the file is the same with any number of threads that share one mix`() throws {
    let parts = 0..<24
    let place = try Workplace()
    try place.write(
      """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
        "callbacks": { "noise": { "kind": "noise", "amplitude": 0.03 } },
        "nodes": { "out": { "component": "GenericOutput" } },
        "connections": [{ "from": "noise", "to": "out" }]
      }
      """, to: "noise.json")
    let noise = try place.run("render", "--duration", "1", "noise.json", "-o", "noise.wav")
    #expect(noise.status == 0, "\(noise.errors)")
    try place.write(
      """
      {
        "session": { "preferredSampleRate": 48000, "preferredIOBufferDuration": 0.08533 },
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
        "callbacks": {
          \(parts.map {
            """
            "n\($0)": {
              "kind": "file", "path": "noise.wav", "loop": true, "start": \(Double($0) / 64)
            }
            """
          }.joined(separator: ",\n    "))
        },
        "nodes": {
          "mix": {
            "component": "MultichannelMixer", "inputCount": \(parts.count),
            "properties": { "maximumFramesPerSlice": 4096 }
          },
          "out": { "component": "GenericOutput", "properties": { "maximumFramesPerSlice": 4096 } }
        },
        "connections": [
          \(parts.map { "{ \"from\": \"n\($0)\", \"to\": \"mix:\($0)\" }" }
            .joined(separator: ",\n    ")),
          { "from": "mix", "to": "out" }
        ]
      }
      """, to: "patch.json")
    try expectSameFile(in: place, seconds: 20)
  }

  private func expectSameFile(in place: Workplace, seconds: Double) throws {
    for threads in ["1", "2", "5"] {
      let outcome = try place.run(
        "render", "--threads", threads, "--duration", "\(seconds)", "patch.json", "-o",
        "\(threads).wav")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(try place.bytes("1.wav") == place.bytes("2.wav"))
    #expect(try place.bytes("1.wav") == place.bytes("5.wav"))
  }
}
