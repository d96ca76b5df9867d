public import Diagnostics

extension PatchReader {
  /// Reads the text of a test file, with all mistakes in one run.
  ///
  /// - Returns: The tests, `nil` where there is no object to read from, or where errors in the JSON
  ///   leave its structure unclear; the text that all ranges refer to; the findings.
  public static func readTests(
    _ source: SourceText, limits: PatchLimits = .standard
  ) -> (document: TestDocument?, source: SourceText, diagnostics: [Diagnostic]) {
    guard source.bytes.count <= limits.bytes else {
      return (nil, source, [.tooManyBytes(source.bytes.count, limits)])
    }
    let json = JSONReader.read(source, dialect: JSONReader.Dialect(fileName: source.name))
    var reader = PatchReader(limits)
    reader.diagnostics += json.diagnostics
    guard let tree = json.tree else { return (nil, source, reader.diagnostics.all) }
    guard json.isStructureIntact else { return (nil, tree.source, reader.diagnostics.all) }
    reader.repeatedKeys = tree.reportDuplicateKeys(to: &reader.diagnostics)
    let document = reader.tests(tree.root)
    return (document, tree.source, reader.diagnostics.all.inDocumentOrder())
  }

  private mutating func tests(_ json: JSONValue) -> TestDocument? {
    guard check(json, "a test file", .object) else { return nil }
    var document = TestDocument(root: json)
    read(json, as: TestGrammar.file, into: &document)
    return document
  }

  mutating func test(_ json: JSONValue) -> TestDocument.Test? {
    guard check(json, "a test", .object) else { return nil }
    var test = TestDocument.Test(json: json)
    read(json, as: TestGrammar.test, into: &test)
    return test
  }

  mutating func expectation(_ json: JSONValue) -> TestDocument.WrittenExpectation? {
    guard check(json, "an expectation", .object, help: "write { \"truePeak\": { \"atMost\": -1 } }")
    else { return nil }
    var expectation = TestDocument.WrittenExpectation(json: json)
    expectation.fields = fields(json, "an expectation", required: []) { reader, key, value in
      switch key {
      case "at": expectation.at = reader.address(value, "'at'")
      case "during": expectation.during = reader.during(value)
      case "channel": expectation.channel = reader.setting(value, TestGrammar.channel)
      default: return false
      }
      return true
    }
    return expectation
  }

  /// A stretch of time: `[0.5, "2 s"]`.
  private mutating func during(_ json: JSONValue) -> Located<ClosedRange<Double>>? {
    let name = "'during'"
    guard check(json, name, .array, help: "write [0, 0.5]: from when to when, in seconds") else {
      return nil
    }
    let ends = json.elements.map { $0.number(in: .seconds) }
    guard ends.count == 2, let from = ends[0], let to = ends[1], from.isFinite, to.isFinite,
      from >= 0, to > from
    else {
      reportType(
        json, name, "two times in seconds, the second after the first",
        help: "write [0, 0.5]: from when to when")
      return nil
    }
    return Located(from...to, at: json)
  }
}
