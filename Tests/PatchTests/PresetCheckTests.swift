import Foundation
import TestSupport
import Testing

/// The findings of `validate` for presets beside patches.
@Suite struct PresetCheckTests {
  @Test func `a preset below a folder is checked as one, and its mistake is said once`() throws {
    let place = try Workplace()
    try place.write(
      """
      { "name": "Nearer", "component": "ParametricEQ", "parameters": { "gain": 4 } }
      """, to: "parts/voice.json")
    let patch = """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "callbacks": { "tone": { "kind": "tone" } },
        "nodes": {
          "eq": {
            "component": "ParametricEQ", "preset": "parts/voice.json",
            "properties": { "maximumFramesPerSlice": 4096 }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "tone", "to": "eq" }, { "from": "eq", "to": "io" } ]
      }
      """
    try place.write(patch, to: "patch.json")
    let right = try place.run("validate", ".")
    #expect(right.status == 0, "\(right.output)")
    #expect(right.output.contains("2 patches checked: no errors"), "\(right.output)")
    try place.write(
      """
      { "name": "Nearer", "component": "ParametricEQ", "parameters": { "gian": 4 } }
      """, to: "parts/voice.json")
    let wrong = try place.run("validate", ".")
    #expect(wrong.status == 1)
    #expect(wrong.output.matches(of: /error\[/).count == 1, "\(wrong.output)")
    #expect(wrong.output.contains("gian"))
  }
}
