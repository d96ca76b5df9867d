import AudioTypes
import Diagnostics
import PatchSyntax

extension ReportFormat {
  /// reviewdog's JSON.
  public static let rdjson = ReportFormat("rdjson") { $0.rdjson() }
}

extension Report {
  /// A report in reviewdog's diagnostic format, with suggestions. Its columns count bytes.
  public func rdjson() -> String {
    var diagnostics: [JSONText] = findings.map { patch, diagnostic in
      let path = patch.path(of: diagnostic.range)
      var location: JSONText = ["path": .string(path)]
      if let region = patch.region(of: diagnostic.range) {
        location = location.adding(["range": Self.range(region)])
      }
      let suggestions = diagnostic.fixes.compactMap { patch.suggestion($0, in: path) }
      let value: JSONText = [
        "message": .string(patch.lines(of: diagnostic).joined(separator: "\n")),
        "location": location,
        "severity": .string(diagnostic.severity.rdjson),
        "code": ["value": .string(diagnostic.code.rawValue)],
      ]
      return suggestions.isEmpty ? value : value.adding(["suggestions": .array(suggestions)])
    }
    diagnostics += unreadablePaths.map {
      [
        "message": .string(printable($0.message)), "location": ["path": .string($0.path)],
        "severity": "ERROR",
      ]
    }
    let document: JSONText = [
      "source": ["name": "patchrun"], "diagnostics": .array(diagnostics),
    ]
    return document.document
  }

  fileprivate static func range(_ region: Region) -> JSONText {
    func position(_ place: SourcePosition) -> JSONText {
      ["line": .number(place.line), "column": .number(place.column)]
    }
    return ["start": position(region.startByte), "end": position(region.endByte)]
  }
}

extension CheckedPatch {
  /// A single replacement equivalent to all edits of a fix.
  fileprivate func suggestion(_ fix: Diagnostic.Fix, in path: String) -> JSONText? {
    guard let edits = edits(of: fix), let first = edits.first?.region, first.path == path else {
      return nil
    }
    var text = ""
    var end = first.range.lowerBound
    for (region, replacement) in edits {
      guard region.range.lowerBound >= end else { return nil }
      text += region.source[end..<region.range.lowerBound] + replacement
      end = region.range.upperBound
    }
    let whole = Region(
      path: first.path, source: first.source, range: first.range.lowerBound..<end)
    return ["range": Report.range(whole), "text": .string(text)]
  }
}

extension Severity {
  fileprivate var rdjson: String {
    switch self {
    case .error: "ERROR"
    case .warning: "WARNING"
    case .note: "INFO"
    }
  }
}
