public import Diagnostics

/// A test file as it is written: typed, with the place of every value, and nothing resolved.
///
/// What it leaves out is `nil` or empty here. What was written wrong has been reported, and is left
/// out too.
public struct TestDocument: Sendable {
  public var root: JSONValue
  /// The patch that is tested, relative to the test file.
  public var patch: Located<String>?
  /// The tests, in the order written.
  public var tests: [PatchDocument.Member<Test>] = []

  /// A test: one render of the patch, and what is expected of it.
  public struct Test: Sendable {
    public var json: JSONValue
    /// Values to set in the patch, each by its JSON Pointer.
    public var settings: [PatchDocument.Field] = []
    /// Callbacks that replace others, or feed an input instead of its source, each by the name of a
    /// callback or the address of an input.
    public var feeds: [PatchDocument.Field] = []
    /// The sound file that the microphone hears, relative to the test file.
    public var input: Located<String>?
    /// In seconds; `nil` to render until the patch ends.
    public var duration: Located<Double>?
    /// The assumed device, in the words of `--hardware`.
    public var hardware: Located<String>?
    public var expectations: [WrittenExpectation] = []

    init(json: JSONValue) { self.json = json }
  }

  /// An expectation whose kind has not been looked up.
  public struct WrittenExpectation: Sendable {
    public var json: JSONValue
    public var at: Located<PatchDocument.Address>?
    /// In seconds.
    public var during: Located<ClosedRange<Double>>?
    public var channel: Located<Int>?
    /// All other members, one of which is the expectation.
    public var fields: [PatchDocument.Field] = []

    init(json: JSONValue) { self.json = json }
  }

  init(root: JSONValue) { self.root = root }

  /// The keys of every expectation, besides its kind.
  public static let expectationKeys = ["at", "during", "channel"]

  /// Whether a text is a test file, even one with mistakes: its name ends in `.test.json` or
  /// `.test.jsonc`, or it is an object of up to 1 MiB with "tests" and without "nodes".
  public static func isTests(_ source: SourceText) -> Bool {
    let name = source.name.split(separator: "/").last.map(String.init) ?? ""
    if name.hasSuffix(".test.json") || name.hasSuffix(".test.jsonc") { return true }
    guard source.bytes.count <= 1 << 20 else { return false }
    let tree = JSONReader.read(source, dialect: JSONReader.Dialect(fileName: source.name)).tree
    guard let root = tree?.root, root.kind == .object else { return false }
    return root["tests"] != nil && root["nodes"] == nil
  }
}
