import AudioTypes
import Diagnostics
import PatchSyntax

extension ReportFormat {
  /// GitLab's code quality report.
  public static let gitlab = ReportFormat("gitlab") { $0.gitlab() }
}

extension Report {
  /// A code quality report for GitLab.
  public func gitlab() -> String {
    var fingerprints = Fingerprints()
    var issues: [JSONText] = findings.map { patch, diagnostic in
      let region = patch.region(of: diagnostic.range)
      return Self.issue(
        patch.lines(of: diagnostic).joined(separator: "\n"), check: diagnostic.code.rawValue,
        fingerprint: fingerprints.next(diagnostic, in: patch),
        severity: diagnostic.severity.gitlab, path: region?.path ?? patch.path,
        lines: (region?.start.line ?? 1)...(region?.end.line ?? 1))
    }
    for unreadable in unreadablePaths {
      issues.append(
        Self.issue(
          printable(unreadable.message), check: "unreadable",
          fingerprint: fingerprints.next(unreadable: unreadable.path), severity: "blocker",
          path: unreadable.path, lines: 1...1))
    }
    return JSONText.array(issues).document
  }

  private static func issue(
    _ description: String, check: String, fingerprint: String, severity: String, path: String,
    lines: ClosedRange<Int>
  ) -> JSONText {
    [
      "type": "issue",
      "description": .string(description),
      "check_name": .string(check),
      "fingerprint": .string(fingerprint),
      "severity": .string(severity),
      "location": [
        "path": .string(path),
        "lines": ["begin": .number(lines.lowerBound), "end": .number(lines.upperBound)],
      ],
    ]
  }
}

extension Severity {
  fileprivate var gitlab: String {
    switch self {
    case .error: "major"
    case .warning: "minor"
    case .note: "info"
    }
  }
}
