import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import Testing

/// Compares the output of `patchrun validate` for each wrong patch in `Fixtures` with the expected
/// text.
///
/// `PATCHRUN_REPRINT=1 swift test --filter FixtureTests` rewrites the expected texts. Read the
/// differences before you commit them.
@Suite struct FixtureTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }) ?? []

  private static func build(_ name: String) throws -> (PatchReader.Result, BuiltPatch) {
    let file = folder.appending(path: name + ".json")
    let reading = PatchReader.read(bytes: try [UInt8](Data(contentsOf: file)), name: name + ".json")
    return (reading, PatchBuilder.build(reading, directory: folder.path))
  }

  private static func text(of patch: BuiltPatch) -> String {
    TextRenderer(source: patch.source).render(patch.diagnostics)
      .replacing(folder.path + "/", with: "")
  }

  @Test(arguments: names)
  func `a wrong patch is answered with the words expected`(name: String) throws {
    let (reading, patch) = try Self.build(name)
    let found = Self.text(of: patch)
    let expectation = Self.folder.appending(path: name + ".expected")
    if ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil {
      try found.write(to: expectation, atomically: true, encoding: .utf8)
    }
    #expect(found == (try String(contentsOf: expectation, encoding: .utf8)))
    // Initialization fails exactly if the validator finds an error.
    if let graph = patch.graph, !reading.hasErrors {
      let isRefused = graph.violations().contains { $0.severity == .error }
      var hasFailed = false
      do { try graph.initialize() } catch { hasFailed = true }
      #expect(hasFailed == isRefused)
    }
  }

  /// The page of broken patches that the manual links to.
  private static func page() throws -> String {
    var rows = ""
    for name in names {
      // Not the file: where all texts are printed again, it may not be there yet.
      let text = Self.text(of: try build(name).1)
      let heads = text.split(separator: "\n").filter {
        $0.hasPrefix("error[") || $0.hasPrefix("warning[")
      }
      let codes = Set(heads.compactMap { $0.split(separator: "[").dropFirst().first?.prefix(6) })
      let first = heads.first?.split(separator: ": ", maxSplits: 1).last ?? ""
      let shown = first.replacing("|", with: "\\|").replacing("<", with: "&lt;")
      rows +=
        "| [`\(name).json`](\(name).json) | [\(codes.sorted().joined(separator: ", "))](\(name).expected) | "
        + "\(shown)\(heads.count > 1 ? ", and \(heads.count - 1) more" : "") |\n"
    }
    return """
      # Broken patches

      Each with what `patchrun validate` prints of it, to the letter: the tests hold both, and print this
      page. `patchrun explain CODE` says more about a code, with a wrong and a right patch.

      | Patch | What is printed | It begins |
      | --- | --- | --- |
      \(rows)
      """
  }

  @Test func `the page about the broken patches is the one that is printed`() throws {
    let file = Self.folder.appending(path: "README.md")
    if ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil {
      try Self.page().write(to: file, atomically: true, encoding: .utf8)
    }
    #expect((try String(contentsOf: file, encoding: .utf8)) == (try Self.page()))
  }

  @Test func `there are fixtures`() { #expect(Self.names.count >= 10) }
}
