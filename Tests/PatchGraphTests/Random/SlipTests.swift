import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import RenderHost
import TestSupport
import Testing

/// One character added to or removed from a patch of the distribution: one mistake is one error.
///
/// `PATCHRUN_PROPERTY_EFFORT=20 swift test --filter SlipTests` checks 20,000 of them.
@Suite struct SlipTests {
  static let folder = PrintedFiles.package.appending(path: "patches")

  static let patches: [(name: String, bytes: [UInt8])] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? [])
    .filter { $0.hasSuffix(".json") && !$0.hasSuffix(".test.json") }
    .compactMap { name in
      (try? Data(contentsOf: folder.appending(path: name))).map { (name, [UInt8]($0)) }
    }

  private static func errors(_ bytes: [UInt8], _ name: String) -> [Diagnostic] {
    let patch = PatchBuilder.build(
      PatchReader.read(bytes: bytes, name: name), directory: folder.path)
    return patch.diagnostics.filter { $0.severity == .error }
  }

  @Test func `a character that is missing, or one too many, is one error in 99 of 100 cases`() {
    var random = SplitMix64(seed: 12)
    var counts: [Int: Int] = [:]
    var several: [String] = []
    for _ in 0..<(1000 * PatchProperties.effort) {
      guard let (name, bytes) = Self.patches.randomElement(using: &random) else { return }
      let place = Int.random(in: 0..<bytes.count, using: &random)
      var wrong = bytes
      if Bool.random(using: &random) {
        wrong.remove(at: place)
      } else {
        let slips = Array("{}[]\",:0-e.a \\x\n".utf8)
        wrong.insert(slips.randomElement(using: &random) ?? 0, at: place)
      }
      let errors = Self.errors(wrong, name)
      counts[errors.count, default: 0] += 1
      if errors.count > 1 {
        let around = wrong[max(0, place - 20)..<min(wrong.count, place + 20)]
        several.append(
          "\(name) at \(place): …\(String(decoding: around, as: UTF8.self))…: "
            + errors.map(\.code.rawValue).joined(separator: ", "))
      }
    }
    let found = counts.filter { $0.key > 0 }.values.reduce(0, +)
    let one = counts[1] ?? 0
    let distribution = counts.sorted { $0.key < $1.key }.map { "\($0.value) with \($0.key)" }
    print("slips: \(distribution.joined(separator: ", "))")
    #expect(100 * one >= 99 * found, "\(several.joined(separator: "\n"))")
  }

  /// Each with its only error, and the text after the first fix.
  @Test(arguments: [
    // A key and a value without one of their quotes.
    ("\"nodes\": {", "nodes\": {", "PR0031"), ("\"nodes\": {", "\"nodes: {", "PR0012"),
    ("\"component\": \"remoteIO\"", "\"component\": remoteIO\"", "PR0031"),
    ("\"component\": \"remoteIO\"", "\"component: \"remoteIO\"", "PR0012"),
    ("\"kind\": \"tone\",", "\"kind\": \"tone,", "PR0012"),
    ("\"title\": \"A tone\"", "\"title\": A tone\"", "PR0031"),
    // Line ends in a string.
    ("\"A tone\"", "\"A\ntone\"", "PR0012"), ("\"A tone\"", "\"A\n\n  tone\"", "PR0012"),
    // Superfluous quotes.
    ("\"A tone\"", "\"A \"tone\"", "PR0006"),
    ("\"nodes\": {", "\"nod\"es\": {", "PR0032"),
    // Brackets.
    ("\"nodes\": {", "\"nodes\":", "PR0033"), ("\"connections\": [", "\"connections\":", "PR0033"),
    ("\"nodes\": {", "\"nodes\": {{", "PR0010"),
    // Characters in wrong places.
    ("\"nodes\": {", "\"nodes\"x: {", "PR0021"), ("{ \"from\"", "{, \"from\"", "PR0007"),
  ])
  func `a slip of the hand is one error, and its edit makes the patch right`(
    _ right: String, _ wrong: String, _ code: String
  ) throws {
    let text = """
      {
        "title": "A tone",
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "tone": { "kind": "tone", "frequency": 440 } },
        "nodes": { "io": { "component": "remoteIO" } },
        "connections": [
          { "from": "tone", "to": "io" }
        ]
      }
      """
    #expect(Self.errors(Array(text.utf8), "p.json").isEmpty)
    let slipped = text.replacing(right, with: wrong, maxReplacements: 1)
    #expect(slipped != text)
    let errors = Self.errors(Array(slipped.utf8), "p.json")
    #expect(errors.map(\.code.rawValue) == [code], "\(errors.map(\.message))")
    if let fix = errors.first?.fixes.first {
      let source = SourceText(name: "p.json", text: slipped)
      #expect(Self.errors(source.applying(fix.edits).bytes, "p.json").isEmpty)
    }
  }

  @Test func `two slips in different places are two errors`() {
    let text = """
      {
        "title": "A tone",
        "streamFormat": { "sample": float32", "channels": 2, "sampleRate": 44100 },
        "callbacks": { "tone": { "kind": "tone", "frequency": 440 } },
        "nodes": { "io": { "component: "remoteIO" } },
        "connections": [ { "from": "tone", "to": "io" } ]
      }
      """
    let codes = Self.errors(Array(text.utf8), "p.json").map(\.code.rawValue)
    #expect(codes == ["PR0031", "PR0012"])
  }

  @Test func `a long text with many mistakes is read in a time that its length allows`() {
    // Each attempt reads the text again, so the number of attempts decreases with its length.
    let line = "  { \"from\": tone\", \"to\": \"io\" },\n"
    let text = "{ \"connections\": [\n" + String(repeating: line, count: 20_000) + "] }"
    let errors = Self.errors(Array(text.utf8), "p.json")
    #expect(!errors.isEmpty && errors.count <= 50)
  }
}
