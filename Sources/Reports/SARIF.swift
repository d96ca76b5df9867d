import AudioTypes
import Diagnostics
import PatchReference
import PatchSyntax

extension ReportFormat {
  /// The Static Analysis Results Interchange Format.
  public static let sarif = ReportFormat("sarif") { $0.sarif() }
}

extension Report {
  /// SARIF 2.1.0: the violated rules with their `explain` pages as text and Markdown, the
  /// artifacts, and a result for each finding with its region, related locations, fixes and a
  /// fingerprint.
  public func sarif() -> String {
    var indices: [String: Int] = [:]
    var artifacts: [JSONText] = []
    for patch in patches where indices[patch.path] == nil {
      indices[patch.path] = artifacts.count
      artifacts.append(["location": sarifLocation(patch.path), "roles": ["analysisTarget"]])
    }
    // Files that are only read as sub-graphs.
    for path in patches.flatMap({ $0.subgraphPaths.values.sorted() }) where indices[path] == nil {
      indices[path] = artifacts.count
      artifacts.append(["location": sarifLocation(path), "roles": ["attachment"]])
    }
    let codes = Set(findings.map(\.diagnostic.code))
    let broken = rules.filter { codes.contains($0.code) }
    let ruleIndices = Dictionary(
      broken.enumerated().map { ($1.code, $0) }, uniquingKeysWith: { first, _ in first })
    var fingerprints = Fingerprints()
    let results = findings.map { patch, diagnostic in
      SARIFWriter(patch: patch, artifacts: indices).result(
        diagnostic, rule: ruleIndices[diagnostic.code],
        fingerprint: fingerprints.next(diagnostic, in: patch))
    }
    var invocation: JSONText = ["executionSuccessful": .boolean(unreadablePaths.isEmpty)]
    if !unreadablePaths.isEmpty {
      invocation = invocation.adding([
        "toolExecutionNotifications": .array(
          unreadablePaths.map {
            [
              "level": "error", "message": ["text": .string(printable($0.message))],
              "locations": [["physicalLocation": ["artifactLocation": sarifLocation($0.path)]]],
            ]
          })
      ])
    }
    let run: JSONText = [
      "tool": [
        "driver": [
          "name": "patchrun", "version": .string(version), "semanticVersion": .string(version),
          "rules": .array(broken.map(Self.rule)),
        ]
      ],
      "invocations": [invocation],
      "columnKind": "unicodeCodePoints",
      "newlineSequences": ["\r\n", "\n", "\r"],
      "artifacts": .array(artifacts),
      "results": .array(results),
    ]
    let document: JSONText = [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
      "version": "2.1.0",
      "runs": [run],
    ]
    return document.document
  }

  private static func rule(_ rule: Rule) -> JSONText {
    [
      "id": .string(rule.code.rawValue),
      "name": .string(rule.name),
      "shortDescription": ["text": .string(rule.summary)],
      "fullDescription": ["text": .string(rule.page.demand.onOneLine)],
      "help": [
        "text": .string(ExplanationText(width: 100).page(.rule(rule))),
        "markdown": .string(ExplanationText.markdown(.rule(rule))),
      ],
      "defaultConfiguration": ["level": .string(rule.severity.rawValue)],
    ]
  }
}

extension String {
  /// The text without the line breaks of its source.
  fileprivate var onOneLine: String {
    split(whereSeparator: { $0 == "\n" || $0 == " " }).joined(separator: " ")
  }
}

/// A path as a SARIF location: a URI, relative to the root of the sources unless it is absolute.
private func sarifLocation(_ path: String) -> JSONText {
  let uri = percentEncoded(path)
  return path.hasPrefix("/")
    ? ["uri": .string("file://" + uri)]
    : [
      "uri": .string(uri), "uriBaseId": "%SRCROOT%",
    ]
}

/// Writes the results of one patch.
private struct SARIFWriter {
  let patch: CheckedPatch
  /// The index of each path in the artifacts.
  let artifacts: [String: Int]

  func result(_ diagnostic: Diagnostic, rule: Int?, fingerprint: String) -> JSONText {
    var location: JSONText = ["physicalLocation": physicalLocation(diagnostic.range)]
    if let pointer = diagnostic.pointer, !pointer.isEmpty {
      location = location.adding([
        "logicalLocations": [["fullyQualifiedName": .string(pointer), "kind": "value"]]
      ])
    }
    var result: JSONText = ["ruleId": .string(diagnostic.code.rawValue)]
    if let rule { result = result.adding(["ruleIndex": .number(rule)]) }
    // The notes are related locations instead.
    var words = diagnostic
    words.notes = []
    result = result.adding([
      "level": .string(diagnostic.severity.rawValue),
      "message": ["text": .string(patch.lines(of: words).joined(separator: "\n"))],
      "locations": [location],
    ])
    if !diagnostic.notes.isEmpty {
      result = result.adding([
        "relatedLocations": .array(
          diagnostic.notes.enumerated().map { index, note in
            [
              "id": .number(index), "message": ["text": .string(printable(note.message.text))],
              "physicalLocation": physicalLocation(note.range),
            ]
          })
      ])
    }
    result = result.adding(["partialFingerprints": ["patchrun/v1": .string(fingerprint)]])
    let fixes = diagnostic.fixes.compactMap(fix)
    if !fixes.isEmpty { result = result.adding(["fixes": .array(fixes)]) }
    if let status = diagnostic.status {
      result = result.adding([
        "properties": [
          "status": .string(status.name ?? ""), "statusNumber": .number(status.rawValue),
        ]
      ])
    }
    return result
  }

  private func artifactLocation(_ path: String) -> JSONText {
    sarifLocation(path).adding(["index": .number(artifacts[path] ?? 0)])
  }

  private func physicalLocation(_ range: SourceRange) -> JSONText {
    let location: JSONText = ["artifactLocation": artifactLocation(patch.path(of: range))]
    guard let place = patch.region(of: range) else { return location }
    return location.adding(["region": region(place)])
  }

  private func region(_ region: Region) -> JSONText {
    [
      "startLine": .number(region.start.line), "startColumn": .number(region.start.column),
      "endLine": .number(region.end.line), "endColumn": .number(region.end.column),
    ]
  }

  private func fix(_ fix: Diagnostic.Fix) -> JSONText? {
    guard let edits = patch.edits(of: fix) else { return nil }
    let replacements: [JSONText] = edits.map { edit in
      let deleted: JSONText = ["deletedRegion": region(edit.region)]
      guard !edit.replacement.isEmpty else { return deleted }
      return deleted.adding(["insertedContent": ["text": .string(edit.replacement)]])
    }
    return [
      "description": ["text": .string(printable(fix.title))],
      "artifactChanges": [
        [
          "artifactLocation": artifactLocation(edits.first?.region.path ?? patch.path),
          "replacements": .array(replacements),
        ]
      ],
    ]
  }
}
