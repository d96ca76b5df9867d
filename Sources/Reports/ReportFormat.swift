/// A format in which a report is printed. Each is declared in the file that prints it.
public struct ReportFormat: Sendable {
  /// The value of `--output-format`: `sarif`.
  public let name: String
  /// Whether it can print only the results of tests.
  public let isForTestsOnly: Bool
  /// Prints a report.
  public let text: @Sendable (Report) -> String

  init(_ name: String, isForTestsOnly: Bool = false, text: @escaping @Sendable (Report) -> String) {
    self.name = name
    self.isForTestsOnly = isForTestsOnly
    self.text = text
  }
}

/// The formats of reports.
public enum ReportCatalog {
  /// A line for each, in the order of the manual.
  public static let all: [ReportFormat] = [
    .concise,
    .json,
    .tap,
    .sarif,
    .junit,
    .github,
    .gitlab,
    .rdjson,
  ]
}
