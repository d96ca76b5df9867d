import AudioTypes
import Diagnostics

extension ReportFormat {
  /// A line for each finding.
  public static let concise = ReportFormat("concise") { $0.concise() }
}

extension Report {
  /// A line for each finding, `file:line:column: severity[code] message`, and a line with the
  /// totals.
  public func concise() -> String {
    var text = ""
    for (patch, diagnostic) in findings { text += patch.conciseLine(of: diagnostic) + "\n" }
    return text + tally.text + "\n"
  }
}

extension CheckedPatch {
  /// A finding in one line.
  func conciseLine(of diagnostic: Diagnostic) -> String {
    let place = printable(place(of: diagnostic.range))
    let words = printable(diagnostic.message.text)
    return "\(place): \(diagnostic.severity.rawValue)[\(diagnostic.code)] \(words)"
  }
}
