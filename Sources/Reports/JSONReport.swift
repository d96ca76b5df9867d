import AudioTypes
import Diagnostics
import PatchSyntax

extension ReportFormat {
  /// The whole report as JSON, for programs.
  public static let json = ReportFormat("json") { $0.json() }
}

extension Report {
  /// The whole report as JSON: the patches in order, each with its diagnostics.
  ///
  /// Lines and columns count from 1, columns in Unicode scalars; offsets count bytes from 0.
  public func json() -> String {
    let names = names
    let tally = tally
    let document: JSONText = [
      "formatVersion": 1,
      "patchrun": .string(version),
      "summary": [
        "patches": .number(tally.patches), "errors": .number(tally.errors),
        "warnings": .number(tally.warnings), "unreadable": .number(tally.unreadable),
        "ignored": .number(tally.ignored),
      ],
      "patches": .array(patches.map { $0.json(names) }),
      "unreadable": .array(
        unreadablePaths.map { ["path": .string($0.path), "message": .string($0.message)] }),
    ]
    return document.document
  }
}

extension CheckedPatch {
  fileprivate func json(_ names: [Rule.Code: String]) -> JSONText {
    let object: JSONText = [
      "path": .string(path),
      "diagnostics": .array(diagnostics.map { json($0, names) }),
    ]
    guard !cases.isEmpty else { return object }
    return object.adding(["expectations": .array(cases.map(\.json))])
  }

  private func json(_ diagnostic: Diagnostic, _ names: [Rule.Code: String]) -> JSONText {
    [
      "code": .string(diagnostic.code.rawValue),
      "rule": names[diagnostic.code].map(JSONText.string) ?? .null,
      "count": .number(diagnostic.count),
      "severity": .string(diagnostic.severity.rawValue),
      "message": .string(diagnostic.message.text),
      "label": diagnostic.label.map { .string($0.text) } ?? .null,
      "status": diagnostic.status.map {
        ["name": .string($0.name ?? ""), "number": .number($0.rawValue)]
      } ?? .null,
      "pointer": diagnostic.pointer.map(JSONText.string) ?? .null,
      "location": json(diagnostic.range),
      "notes": .array(
        diagnostic.notes.map {
          ["message": .string($0.message.text), "location": json($0.range)]
        }),
      "help": .strings(diagnostic.help),
      "fixes": .array(
        diagnostic.fixes.compactMap { fix in
          guard let edits = edits(of: fix) else { return nil }
          return [
            "title": .string(fix.title),
            "edits": .array(
              edits.map {
                ["location": json($0.region), "replacement": .string($0.replacement)]
              }),
          ]
        }),
    ]
  }

  /// A range on the command line is `null`.
  private func json(_ range: SourceRange) -> JSONText {
    region(of: range).map { json($0) } ?? .null
  }

  private func json(_ region: Region) -> JSONText {
    func position(_ place: SourcePosition, _ offset: Int) -> JSONText {
      [
        "line": .number(place.line), "column": .number(place.column), "offset": .number(offset),
      ]
    }
    let place: JSONText = [
      "start": position(region.start, region.range.lowerBound),
      "end": position(region.end, region.range.upperBound),
    ]
    // In the file of a sub-graph.
    return region.path == path ? place : place.adding(["path": .string(region.path)])
  }
}

extension CheckedCase {
  /// The result as JSON.
  var json: JSONText {
    [
      "test": .string(test), "expectation": .string(title), "status": .string(status.rawValue),
      "measured": .strings(measured), "worst": place.map(JSONText.string) ?? .null,
      "code": diagnostic.map { .string($0.code.rawValue) } ?? .null,
      "message": diagnostic.map { .string($0.message.text) } ?? .null,
    ]
  }
}
