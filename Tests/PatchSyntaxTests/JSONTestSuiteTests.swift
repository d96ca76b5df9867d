import Diagnostics
import Foundation
import PatchSyntax
import Testing

/// Finds the files of github.com/nst/JSONTestSuite.
enum JSONTestSuite {
  /// The files that every JSON reader must accept.
  static var accepted: [URL] {
    JSONTestSuiteTests.cases.filter { $0.lastPathComponent.hasPrefix("y_") }
  }
}

/// The cases of github.com/nst/JSONTestSuite, an independent oracle, if its folder is beside the
/// repository.
struct JSONTestSuiteTests {
  private static func candidates() -> [URL] {
    var folders: [URL] = []
    if let path = ProcessInfo.processInfo.environment["JSON_TEST_SUITE"] {
      folders.append(URL(filePath: path))
    }
    // `shared` is beside the repository or beside a parent folder of it.
    var parent = URL(filePath: #filePath).deletingLastPathComponent()
    for _ in 0..<6 {
      parent = parent.deletingLastPathComponent()
      folders.append(parent.appending(path: "shared/data/json_test_suite"))
    }
    return folders
  }

  fileprivate static let cases: [URL] = {
    for folder in candidates() {
      let files = try? FileManager.default.contentsOfDirectory(
        at: folder.appending(path: "test_parsing"), includingPropertiesForKeys: nil)
      if let files, !files.isEmpty {
        return files.sorted { $0.lastPathComponent < $1.lastPathComponent }
      }
    }
    return []
  }()

  private static func read(_ file: URL) throws -> (SourceText, JSONReader.Result) {
    let source = SourceText(name: file.lastPathComponent, bytes: Array(try Data(contentsOf: file)))
    return (source, JSONReader.read(source, dialect: .json))
  }

  @Test(
    .enabled(
      if: !cases.isEmpty,
      "the suite is not there: set JSON_TEST_SUITE to a clone of github.com/nst/JSONTestSuite"))
  func `every case of JSONTestSuite is classified right`() throws {
    #expect(Self.cases.count > 300)
    for file in Self.cases {
      let name = file.lastPathComponent
      let (source, result) = try Self.read(file)
      switch name.prefix(2) {
      case "y_":
        #expect(result.diagnostics.isEmpty, "\(name) is JSON")
        #expect(result.tree != nil)
      case "n_": #expect(result.hasErrors, "\(name) is not JSON")
      default: break
      }
      for diagnostic in result.diagnostics {
        #expect(diagnostic.range.upperBound <= source.bytes.count)
        let position = source.position(of: diagnostic.range.lowerBound)
        #expect(position.line >= 1 && position.column >= 1)
        #expect(!TextRenderer(source: source).render(diagnostic).isEmpty)
      }
    }
  }

  @Test(.enabled(if: !cases.isEmpty, "the suite is not there: see above"))
  func `every case may be read as a patch`() throws {
    for file in Self.cases {
      let (source, _) = try Self.read(file)
      let result = PatchReader.read(source)
      // None of them is a patch.
      #expect(result.hasErrors)
    }
  }

  @Test(.enabled(if: !cases.isEmpty, "the suite is not there: see above"))
  func `values are what Foundation reads`() throws {
    for file in Self.cases where file.lastPathComponent.hasPrefix("y_") {
      let data = try Data(contentsOf: file)
      guard
        let expected = try? JSONSerialization.jsonObject(with: data, options: [.fragmentsAllowed])
      else { continue }
      let (_, result) = try Self.read(file)
      let tree = try #require(result.tree)
      #expect(matches(tree.root, expected), "\(file.lastPathComponent)")
    }
  }

  private func matches(_ value: JSONValue, _ expected: Any) -> Bool {
    switch value.kind {
    case .null: expected is NSNull
    case .bool: expected as? Bool == value.bool
    case .number:
      // Foundation converts by way of decimals with 38 digits, and can miss the nearest double by a
      // few ulps.
      (expected as? NSNumber).map { abs($0.doubleValue - (value.number ?? .nan)) } ?? .infinity
        <= 4 * (value.number ?? 0).ulp
    case .string: expected as? String == value.string
    case .array:
      (expected as? [Any]).map { array in
        let elements = Array(value.elements)
        return array.count == elements.count
          && zip(elements, array).allSatisfy { matches($0, $1) }
      } ?? false
    case .object:
      (expected as? [String: Any]).map { object in
        // Foundation keeps one member of a repeated key, and the reader keeps both.
        Set(value.members.compactMap { $0.key.string }) == Set(object.keys)
          && object.allSatisfy { key, inside in
            value.members.contains { $0.key.string == key && matches($0.value, inside) }
          }
      } ?? false
    case .invalid: false
    }
  }
}
