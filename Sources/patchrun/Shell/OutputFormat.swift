import ArgumentParser
import Reports

/// The value of `--output-format`: a report, which is printed at the end, or a format that the
/// command prints while it runs.
protocol OutputChoice: ExpressibleByArgument, Equatable {
  /// The formats that the command prints itself; the first is the default.
  static var own: [String] { get }
  /// The reports that it can print.
  static var reports: [ReportFormat] { get }

  var name: String { get }
  init(name: String)
}

extension OutputChoice {
  /// Text with colours, printed while the command runs.
  static var text: Self { Self(name: "text") }
  static var json: Self { Self(name: ReportFormat.json.name) }
  static var github: Self { Self(name: ReportFormat.github.name) }

  /// The report; `nil` for a format that the command prints itself.
  var report: ReportFormat? { Self.reports.first { $0.name == name } }

  init?(argument: String) {
    guard Self.allValueStrings.contains(argument) else { return nil }
    self.init(name: argument)
  }

  static var allValueStrings: [String] { own + reports.map(\.name) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
  var defaultValueDescription: String { name }
}

/// The formats of findings.
struct OutputFormat: OutputChoice {
  static let own = ["text"]
  static let reports = ReportCatalog.all.filter { !$0.isForTestsOnly }

  let name: String
}

/// The formats of test results.
struct TestOutputFormat: OutputChoice {
  static let own = ["text", "jsonl"]
  static let reports = ReportCatalog.all

  /// A line of JSON for each test, printed when the test ends.
  static let jsonl = TestOutputFormat(name: "jsonl")

  let name: String
}
