import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import Testing

/// Checks the examples of the README.
///
/// `PATCHRUN_REPRINT=1 swift test --filter ReadmeTests` rewrites the message on top.
struct ReadmeTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The text of the first code block in a language after a mark in a page.
  static func block(
    _ language: String, of page: String = "README.md", after mark: String
  ) throws -> String {
    let text = try String(contentsOf: package.appending(path: page), encoding: .utf8)
    let start = try #require(text.range(of: mark)).upperBound
    let begin = try #require(text.range(of: "```\(language)\n", range: start..<text.endIndex))
    let end = try #require(text.range(of: "```\n", range: begin.upperBound..<text.endIndex))
    return String(text[begin.upperBound..<end.lowerBound])
  }

  private static func build(_ patch: String) -> BuiltPatch {
    PatchBuilder.build(
      PatchReader.read(bytes: Array(patch.utf8), name: "guitar.json"),
      directory: package.appending(path: "patches").path, device: .assumed(HardwareAssumption()))
  }

  private static func rendered(_ patch: BuiltPatch) -> String {
    TextRenderer(source: patch.source).render(patch.diagnostics)
  }

  @Test
  func `the patch on top is a patch`() throws {
    let built = Self.build(try Self.block("json", after: "# patchrun"))
    #expect(built.diagnostics.isEmpty, "\(Self.rendered(built))")
  }

  @Test
  func `the message on top is the one that the mistake has`() throws {
    let patch = try Self.block("json", after: "# patchrun")
    let wrong = patch.replacing("\"volume\"", with: "\"volum\"")
    let message = Self.rendered(Self.build(wrong)).trimmingCharacters(in: .newlines) + "\n"
    let mark = "<!-- diagnostic-example:begin -->"
    if ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil {
      let file = Self.package.appending(path: "README.md")
      let text = try String(contentsOf: file, encoding: .utf8)
      let old = "\(mark)\n```\n" + (try Self.block("", after: mark))
      try text.replacing(old, with: "\(mark)\n```\n\(message)")
        .write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(message == (try Self.block("", after: mark)))
  }
}
