public import AudioTypes
public import Diagnostics

/// The results of checking patches, in a form that all report formats use.
public struct Report: Sendable {
  /// In the order of the paths on the command line.
  public var entries: [Entry]
  /// The number of findings that were ignored or not selected.
  public var ignoredCount: Int
  /// Whether a warning counts as a failure.
  public var deniesWarnings: Bool
  /// The version of patchrun.
  public var version: String
  /// All rules.
  public var rules: [Rule]
  /// The name of the command in reports.
  public var subject = "validate"

  public init(
    _ entries: [Entry] = [], ignoredCount: Int = 0, deniesWarnings: Bool = false,
    version: String, rules: [Rule]
  ) {
    self.entries = entries
    self.ignoredCount = ignoredCount
    self.deniesWarnings = deniesWarnings
    self.version = version
    self.rules = rules
  }

  /// The result of one path.
  public enum Entry: Sendable {
    case patch(CheckedPatch)
    case unreadable(UnreadablePath)
  }
}

/// A patch with its diagnostics.
public struct CheckedPatch: Sendable {
  /// The path in the report, best relative to the root of the repository.
  public var path: String
  public var source: SourceText
  /// Sorted by position.
  public var diagnostics: [Diagnostic]
  /// The paths of the patch's sub-graph files in the report, by the names of their source texts.
  public var subgraphPaths: [String: String]
  /// The results of the expectations, for a test file that was run.
  public var cases: [CheckedCase] = []

  public init(
    path: String, source: SourceText, diagnostics: [Diagnostic],
    subgraphPaths: [String: String] = [:], cases: [CheckedCase] = []
  ) {
    self.cases = cases
    self.path = path
    self.source = source
    self.diagnostics = diagnostics
    self.subgraphPaths = subgraphPaths
  }
}

/// The result of one expectation of a test.
public struct CheckedCase: Sendable {
  public enum Status: String, Sendable { case passed, failed, notMeasured }

  /// The name of the test.
  public var test: String
  /// The expectation in words: `truePeak at eq`.
  public var title: String
  public var status: Status
  /// The measured values, one line each.
  public var measured: [String]
  /// The worst place; `nil` for none.
  public var place: String?
  /// The duration of the whole test for its first expectation; 0 for the others.
  public var seconds: Double
  /// The diagnostic; `nil` if the expectation has passed.
  public var diagnostic: Diagnostic?

  public init(
    test: String, title: String, status: Status, measured: [String] = [], place: String? = nil,
    seconds: Double = 0, diagnostic: Diagnostic? = nil
  ) {
    self.test = test
    self.title = title
    self.status = status
    self.measured = measured
    self.place = place
    self.seconds = seconds
    self.diagnostic = diagnostic
  }
}

/// A path that could not be read.
public struct UnreadablePath: Sendable {
  public var path: String
  /// A sentence that starts in lower case.
  public var message: String

  public init(path: String, message: String) {
    self.path = path
    self.message = message
  }
}

/// The totals of a report.
public struct Tally: Equatable, Sendable {
  public var patches = 0
  public var errors = 0
  public var warnings = 0
  public var unreadable = 0
  public var ignored = 0

  public init() {}

  public mutating func add(_ diagnostics: [Diagnostic]) {
    patches += 1
    errors += diagnostics.filter { $0.severity == .error }.findingCount
    warnings += diagnostics.filter { $0.severity == .warning }.findingCount
  }

  public mutating func add(_ entry: Report.Entry) {
    switch entry {
    case .patch(let patch): add(patch.diagnostics)
    case .unreadable: unreadable += 1
    }
  }

  /// For example "3 patches checked: 1 error, 2 warnings".
  public var text: String {
    func counted(_ count: Int, _ word: String) -> String? {
      count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")"
    }
    let findings = [counted(errors, "error"), counted(warnings, "warning")].compactMap(\.self)
    let rest = [
      counted(unreadable, "path").map { "\($0) unreadable" },
      ignored > 0 ? "\(ignored) ignored" : nil,
    ].compactMap(\.self)
    return "\(patches) \(patches == 1 ? "patch" : "patches") checked: "
      + ((findings.isEmpty && unreadable == 0 ? ["no errors"] : findings) + rest)
      .joined(separator: ", ")
  }
}

extension Report {
  public var tally: Tally {
    var tally = Tally()
    for entry in entries { tally.add(entry) }
    tally.ignored = ignoredCount
    return tally
  }

  var patches: [CheckedPatch] {
    entries.compactMap { if case .patch(let patch) = $0 { patch } else { nil } }
  }

  var unreadablePaths: [UnreadablePath] {
    entries.compactMap { if case .unreadable(let path) = $0 { path } else { nil } }
  }

  /// All findings in order, with their patches.
  var findings: [(patch: CheckedPatch, diagnostic: Diagnostic)] {
    patches.flatMap { patch in patch.diagnostics.map { (patch, $0) } }
  }

  /// The name of each code's rule, such as `connection/format`.
  var names: [Rule.Code: String] {
    Dictionary(rules.map { ($0.code, $0.name) }, uniquingKeysWith: { first, _ in first })
  }
}
