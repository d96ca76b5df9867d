import Foundation
import PatchGraph
import Reports
import TestSupport
import Testing

/// External validators with the public schemas of the formats, if they are installed.
enum ReportOracle {
  /// PATCHRUN_REPORT_SCHEMAS, or a folder beside the package.
  private static let schemas: URL = {
    if let path = ProcessInfo.processInfo.environment["PATCHRUN_REPORT_SCHEMAS"] {
      return URL(filePath: path)
    }
    var folder = URL(filePath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let data = folder.appending(path: "shared/data/report_schemas")
      if FileManager.default.fileExists(atPath: data.path) { return data }
    }
    return folder
  }()

  private static let sarifSchema = schemas.appending(path: "sarif-schema-2.1.0.json").path
  private static let junitSchema = schemas.appending(path: "junit-10.xsd").path

  static let checksSARIF =
    FileManager.default.fileExists(atPath: sarifSchema)
    && (try? run("python3", "-c", "import jsonschema").isEmpty) == true
  static let readsXML = (try? run("xmllint", "--version")) != nil
  static let checksJUnit = readsXML && FileManager.default.fileExists(atPath: junitSchema)

  /// The errors that a program finds in each of some documents; empty for none.
  private static func mistakes(
    _ documents: [String], _ check: (String) throws -> String
  ) throws -> [String] {
    let folder = try TemporaryFolder()
    var found: [String] = []
    for (index, document) in documents.enumerated() {
      let file = folder.url.appending(path: "\(index)")
      try Data(document.utf8).write(to: file)
      let mistakes = try check(file.path)
      if !mistakes.isEmpty { found.append("\(index): \(mistakes)") }
    }
    return found
  }

  static func sarifMistakes(_ documents: [String]) throws -> [String] {
    let script = """
      import json, sys
      from jsonschema import Draft4Validator
      validator = Draft4Validator(
          json.load(open(sys.argv[1])), format_checker=Draft4Validator.FORMAT_CHECKER)
      for error in validator.iter_errors(json.load(open(sys.argv[2], encoding="utf-8"))):
          print(list(error.absolute_path), error.message)
      """
    return try mistakes(documents) { try run("python3", "-c", script, sarifSchema, $0) }
  }

  static func junitMistakes(_ documents: [String]) throws -> [String] {
    try mistakes(documents) {
      try run("xmllint", "--noout", "--nonet", "--schema", junitSchema, $0)
    }
  }

  static func xmlMistakes(_ documents: [String]) throws -> [String] {
    try mistakes(documents) { try run("xmllint", "--noout", "--nonet", $0) }
  }

  private struct Failure: Error {}

  /// The output of a program; empty if it finds no errors.
  private static func run(_ command: String...) throws -> String {
    let output = FileManager.default.temporaryDirectory
      .appending(path: "patchrun-oracle-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: output) }
    let status = try ChildProcess(
      "/usr/bin/env", command, environment: ProcessInfo.processInfo.environment,
      output: output, errors: output
    ).wait()
    if status == 127 { throw Failure() }
    let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    return status == 0 && !text.hasPrefix("[") ? "" : "status \(status): \(text)"
  }
}

struct ReportSchemaTests {
  @Test(.enabled(if: ReportOracle.checksSARIF, "the schema or python3's jsonschema is not there"))
  func `SARIF passes its public schema`() throws {
    let reports = [
      try ReportTests.report(), Report(version: "1.2.3", rules: RuleCatalog.all),
      Report(version: "1.2.3", rules: []),
    ]
    #expect(try ReportOracle.sarifMistakes(reports.map { $0.sarif() }) == [])
    // A validator that accepts a wrong document proves nothing.
    let wrong = reports[0].sarif().replacing("\"startLine\": ", with: "\"startLine\": -")
    #expect(try ReportOracle.sarifMistakes([wrong]).count == 1)
  }

  @Test(.enabled(if: ReportOracle.checksJUnit, "the schema or xmllint is not there"))
  func `JUnit passes its public schema`() throws {
    let report = try ReportTests.report()
    var denying = report
    denying.deniesWarnings = true
    #expect(
      try ReportOracle.junitMistakes([
        report.junit(), denying.junit(), Report(version: "1.2.3", rules: []).junit(),
      ]) == [])
    let wrong = report.junit().replacing("<testcase name", with: "<testcase nam")
    #expect(try ReportOracle.junitMistakes([wrong]).count == 1)
  }
}
