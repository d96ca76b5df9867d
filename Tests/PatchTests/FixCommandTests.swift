import TestSupport
import Testing

@Suite struct FixCommandTests {
  private let wrong = """
    { "nodes":  { "out": { "component": "GenericOutpt", "properties": { "maximumFramesPerSlice": 4096 } } },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": { "sound": { "kind": "ton", } },
      "connections": [ { "from": "sound", "to": "out" } ] }
    """

  @Test func `validate --fix puts a file right, and says what it did`() throws {
    let place = try Workplace()
    try place.write(wrong, to: "patch.json")
    let outcome = try place.run("validate", "--fix", "patch.json")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("fixed[PR") }.count == 3)
    #expect(outcome.output.contains("patch.json:3:42: remove the comma\n"))
    #expect(outcome.output.contains("write 'GenericOutput'\n"))
    let right = wrong.replacing("GenericOutpt", with: "GenericOutput")
      .replacing("\"ton\", }", with: "\"tone\" }")
    #expect(try place.bytes("patch.json") == Array(right.utf8))
    let again = try place.run("validate", "--fix", "patch.json")
    #expect(!again.output.contains("fixed"))
  }

  @Test func `what cannot safely be fixed is reported, and the rest is fixed`() throws {
    let place = try Workplace()
    try place.write(wrong.replacing("\"to\": \"out\"", with: "\"to\": \"x\""), to: "patch.json")
    let outcome = try place.run("validate", "--fix", "patch.json")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("fixed[PR0209]"))
    #expect(outcome.output.contains("error[PR0203]"))
  }

  @Test func `what is not selected is not fixed`() throws {
    let place = try Workplace()
    try place.write(wrong, to: "patch.json")
    let outcome = try place.run("validate", "--fix", "--ignore", "PR0201", "patch.json")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("fixed[PR0209]"))
    let right = wrong.replacing("\"ton\", }", with: "\"tone\" }")
    #expect(try place.bytes("patch.json") == Array(right.utf8))
  }

  @Test func `--fix needs files, as they are`() throws {
    let place = try Workplace()
    #expect(try place.run("validate", "--fix", "-").status == 2)
    try place.write(wrong, to: "patch.json")
    #expect(try place.run("validate", "--fix", "--set", "/title=x", "patch.json").status == 2)
    #expect(try place.bytes("patch.json") == Array(wrong.utf8))
  }
}
