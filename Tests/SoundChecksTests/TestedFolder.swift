import AudioTypes
import Diagnostics
import FileAccess
import Foundation
import SoundChecks
import TestSupport

/// A temporary folder with the patch of the pages, `tone.json`, for test files beside it.
final class TestedFolder: TemporaryFolder {
  init() throws { try super.init(["tone.json": ExamplePatches.tested]) }

  func tests(_ text: String) -> TestFile {
    TestFile(SourceText(name: "tone.test.json", text: text), directory: url.path)
  }

  /// A test file of one test with one expectation.
  func expecting(_ expectation: String, settings: String = "", duration: Int = 1) -> TestFile {
    tests(ExamplePatches.expectation(expectation, settings: settings, duration: duration))
  }

  /// Runs all tests of a file. With `blesses`, missing goldens are written first.
  func run(_ file: TestFile, blesses: Bool = false) throws -> [CheckedTest] {
    var options = TestChecker.Options()
    options.keepsSound = blesses
    let checked = file.tests.indices.map { TestChecker.check($0, of: file, options) }
    guard blesses else { return checked }
    let blessings = Blessings(checked, of: file, maximumMovement: 0)
    for golden in blessings.goldens {
      try Golden.write(golden.sound, to: golden.path, files: .user)
    }
    return blessings.goldens.isEmpty ? checked : try run(file)
  }
}

extension TestFile {
  /// The diagnostics as text, for messages of tests.
  func rendered(_ diagnostics: [Diagnostic]) -> String {
    TextRenderer(source: source).render(diagnostics)
  }
}
