import AudioTypes
public import Diagnostics
import FileAccess
public import PatchGraph
public import PatchSyntax
public import SoundExpectations

/// A test file that has been read: its tests, and the text of the patch that they test.
public struct TestFile: Sendable {
  /// A test with its expectations.
  public struct Test: Sendable {
    public var name: String
    public var key: JSONValue
    public var written: TestDocument.Test
    public var expectations: [Expectation]
  }

  public let source: SourceText
  /// The folder that relative paths start from; empty for the current one.
  public let directory: String
  /// The tests in the order of the file.
  public let tests: [Test]
  /// The findings in the text of the test file, in document order.
  public let diagnostics: [Diagnostic]
  /// The patch; `nil` where it could not be read.
  public let patch: TestedSource?

  /// A patch that a test file names.
  public struct TestedSource: Sendable {
    /// The path as the test file gives it, for messages.
    public let path: String
    public let source: SourceText
    public let surroundings: PatchSurroundings
    let limits: PatchLimits

    func reading(_ overrides: [String] = []) -> PatchReader.Result {
      PatchReader.read(source, overrides: overrides, limits: limits)
    }
  }

  /// The limits for the patches of test files, and what those patches may access.
  public struct Access: Sendable {
    public var limits: PatchLimits
    /// Makes the surroundings of a patch from its folder, which is empty for the current one.
    public var surroundings: @Sendable (_ directory: String) -> PatchSurroundings

    public init(
      limits: PatchLimits = .standard,
      surroundings: @escaping @Sendable (String) -> PatchSurroundings = {
        PatchSurroundings(directory: $0)
      }
    ) {
      self.limits = limits
      self.surroundings = surroundings
    }
  }

  let access: Access
  /// The value of `patch` in the file.
  let patchPlace: JSONValue?

  /// Reads a test file and the patch that it names. Nothing is rendered.
  public init(_ source: SourceText, directory: String, access: Access = Access()) {
    let reading = PatchReader.readTests(source, limits: access.limits)
    var diagnostics = reading.diagnostics
    var reader = ExpectationReader()
    var tests: [Test] = []
    for member in reading.document?.tests ?? [] {
      tests.append(
        Test(
          name: member.name, key: member.key.json, written: member.value,
          expectations: member.value.expectations.compactMap { reader.read($0) }))
    }
    diagnostics += reader.diagnostics
    patchPlace = reading.document?.patch?.json
    var patch: TestedSource?
    if let named = reading.document?.patch {
      do throws(FileRefusal) {
        patch = try Self.patch(named.value, in: directory, access)
      } catch {
        diagnostics.append(
          ExpectationRules.file.diagnostic(
            .init(error.message(for: named.value)), at: named.range, pointer: named.pointer,
            label: "relative to this file",
            help: ["a test file names the patch that it tests, as in \"patch\": \"mix.json\""]))
      }
    }
    self.source = reading.source
    self.directory = directory
    self.tests = tests
    self.diagnostics = diagnostics.inDocumentOrder().limited(to: access.limits.findings)
    self.patch = patch
    self.access = access
  }

  /// Reads the patch at a path relative to a folder.
  static func patch(
    _ path: String, in directory: String, _ access: Access
  ) throws(FileRefusal) -> TestedSource {
    let place = FilePolicy.join(directory, path)
    let bytes = try FilePolicy(patchIn: directory).read(place, limit: access.limits.bytes).bytes
    let folder = place.utf8.lastIndex(of: UInt8(ascii: "/")).map { slash in
      slash == place.startIndex ? "/" : String(place[..<slash])
    }
    return TestedSource(
      path: path, source: SourceText(name: place, bytes: bytes),
      surroundings: access.surroundings(folder ?? ""), limits: access.limits)
  }
}
