public import AudioTypes
public import Diagnostics

/// What the check of patches has come to: what is turned into a report of one of the shapes.
public struct Report: Sendable {
  /// In the order in which the patches were named.
  public var entries: [Entry]
  /// Findings that were left out because their codes were ignored, or not selected.
  public var ignoredCount: Int
  /// Whether a warning counts as a failure.
  public var deniesWarnings: Bool
  /// The version of patchrun that has checked.
  public var version: String
  /// Every rule that was checked.
  public var rules: [Rule]
  /// The command that has checked.
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

  /// What has come of one path.
  public enum Entry: Sendable {
    case patch(CheckedPatch)
    case unreadable(UnreadablePath)
  }
}

/// A patch and what was found in it.
public struct CheckedPatch: Sendable {
  /// As a report names it: best relative to the folder of the repository.
  public var path: String
  public var source: SourceText
  /// By place.
  public var diagnostics: [Diagnostic]
  /// How the report names the files of the patch's sub-graphs, by the names of their texts.
  public var subgraphPaths: [String: String]
  /// What has come of its expectations, where it is a test file that was run.
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

/// An expectation of a test, and what has come of it.
public struct CheckedCase: Sendable {
  public enum Status: String, Sendable { case passed, failed, notMeasured }

  /// The test's name.
  public var test: String
  /// What is expected: `truePeak at eq`.
  public var title: String
  public var status: Status
  /// What was measured, a line for each quantity.
  public var measured: [String]
  /// Where it was worst; `nil` for nowhere in particular.
  public var place: String?
  /// Of the test as a whole, with its first expectation; 0 with the others.
  public var seconds: Double
  /// What is said of it; `nil` where it has passed.
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

/// A path that holds no patch that can be read.
public struct UnreadablePath: Sendable {
  public var path: String
  /// A sentence that starts in lower case.
  public var message: String

  public init(path: String, message: String) {
    self.path = path
    self.message = message
  }
}

/// How many there are of each.
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

  /// Such as "3 patches checked: 1 error, 2 warnings".
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

  /// Whether all is well: everything could be read, and nothing in it fails.
  var isSuccess: Bool {
    let tally = tally
    return tally.unreadable == 0 && tally.errors == 0 && (!deniesWarnings || tally.warnings == 0)
  }

  var patches: [CheckedPatch] {
    entries.compactMap { if case .patch(let patch) = $0 { patch } else { nil } }
  }

  var unreadablePaths: [UnreadablePath] {
    entries.compactMap { if case .unreadable(let path) = $0 { path } else { nil } }
  }

  /// Every finding, in order, with the patch that it is in.
  var findings: [(patch: CheckedPatch, diagnostic: Diagnostic)] {
    patches.flatMap { patch in patch.diagnostics.map { (patch, $0) } }
  }

  /// The name of the rule of a code, such as `connection/format`.
  var names: [Rule.Code: String] {
    Dictionary(rules.map { ($0.code, $0.name) }, uniquingKeysWith: { first, _ in first })
  }
}
