import AudioTypes
import Diagnostics

extension ReportFormat {
  /// Annotations of a pull request on GitHub.
  public static let github = ReportFormat("github") { $0.github() }
}

extension Report {
  /// The number of annotations of a kind that GitHub shows for a step; it drops the others.
  static let annotationLimit = 10

  /// Workflow commands that annotate the lines of a pull request, errors first. Findings over
  /// GitHub's limit follow as lines of the log; `githubSummary()` has all.
  public func github() -> String {
    let names = names
    var text = ""
    var rest = ""
    var counts: [Severity: Int] = [:]
    func mayAnnotate(_ severity: Severity) -> Bool {
      counts[severity, default: 0] += 1
      return counts[severity, default: 0] <= Self.annotationLimit
    }
    for unreadable in unreadablePaths {
      if mayAnnotate(.error) {
        text += Self.command(
          .error, [("title", "patchrun validate")], printable(unreadable.message))
      } else {
        rest += Self.logLine("error: \(printable(unreadable.message))")
      }
    }
    let findings = findings
    for severity in Severity.allCases {
      for (patch, diagnostic) in findings where diagnostic.severity == severity {
        if mayAnnotate(severity) {
          text += Self.command(
            severity, Self.properties(of: diagnostic, in: patch, name: names[diagnostic.code]),
            patch.lines(of: diagnostic).joined(separator: "\n"))
        } else {
          rest += Self.logLine("- " + patch.conciseLine(of: diagnostic))
        }
      }
    }
    if !rest.isEmpty {
      text += "More than GitHub shows as annotations; the step's summary has all of them:\n" + rest
    }
    return text + tally.text + "\n"
  }

  private static func properties(
    of diagnostic: Diagnostic, in patch: CheckedPatch, name: String?
  ) -> [(String, String)] {
    var properties: [(String, String)] = []
    if let region = patch.region(of: diagnostic.range) {
      let start = region.start
      let end = region.end
      properties += [
        ("file", region.path), ("line", "\(start.line)"), ("endLine", "\(end.line)"),
      ]
      // Columns are valid only for a range within one line.
      if start.line == end.line {
        properties += [("col", "\(start.column)"), ("endColumn", "\(end.column)")]
      }
    } else {
      properties.append(("file", patch.path))
    }
    return properties + [
      (
        "title",
        [diagnostic.code.rawValue, name].compactMap(\.self)
          .joined(separator: " ")
      )
    ]
  }

  private static func command(
    _ severity: Severity, _ properties: [(String, String)], _ message: String
  ) -> String {
    let name = severity == .note ? "notice" : severity.rawValue
    let list = properties.map { "\($0)=\(githubProperty($1))" }.joined(separator: ",")
    return "::\(name) \(list)::\(githubData(message))\n"
  }

  /// Escapes `##[`, which the runner takes for a command anywhere in a line.
  ///
  /// The other form of a command, `::` at the beginning of a line, cannot occur here.
  private static func logLine(_ text: String) -> String {
    text.replacing("##[", with: "## [") + "\n"
  }
}

// MARK: The step summary

extension Report {
  /// The most bytes of a step summary. GitHub's limit is 1 MiB.
  static let summaryLimit = 512 << 10

  /// Markdown for the file of GITHUB_STEP_SUMMARY: a table of all findings.
  public func githubSummary() -> String {
    var text = "### patchrun validate\n\n\(markdown(tally.text))\n"
    var rows =
      unreadablePaths.map {
        "| error | \(markdown($0.path)) | | \(markdown(printable($0.message))) |\n"
      }
      + Severity.allCases.flatMap { severity in
        findings.lazy.filter { $0.diagnostic.severity == severity }.map { patch, diagnostic in
          let place = markdown(printable(patch.place(of: diagnostic.range)))
          let words = patch.lines(of: diagnostic).map(markdown).joined(separator: "<br>")
          return "| \(severity.rawValue) | \(place) | \(diagnostic.code) | \(words) |\n"
        }
      }
    guard !rows.isEmpty else { return text }
    text += "\n| | Place | Code | Finding |\n| --- | --- | --- | --- |\n"
    var length = 0
    let fitting = rows.prefix { row in
      length += row.utf8.count
      return length <= Self.summaryLimit
    }
    text += fitting.joined()
    rows.removeFirst(fitting.count)
    return rows.isEmpty ? text : text + "\nAnd \(rows.count) more, in the log.\n"
  }
}

/// Escapes the message of a workflow command.
func githubData(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "%": result += "%25"
    case "\r": result += "%0D"
    case "\n": result += "%0A"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Escapes the value of a property of a workflow command.
func githubProperty(_ text: String) -> String {
  githubData(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
}

/// Escapes a text for a cell of a Markdown table.
func markdown(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&", "<", ">", "|", "`", "*", "_", "[", "]", "\\", "~", "#", "@", "!", "$", "\r", "\n":
      result += "&#\(scalar.value);"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}
