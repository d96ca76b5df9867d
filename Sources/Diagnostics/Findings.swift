public import AudioTypes

/// Diagnostics as they are found, with a limit for each kind. Beyond the limit only the number of
/// them is kept, and the place of the first.
///
/// A kind is a rule with a severity. A document with a hundred thousand mistakes of one kind has a
/// report of a few lines, and takes no memory for the rest.
public struct Findings: Sendable {
  /// The default limit for each kind.
  public static let standardLimit = 50

  private struct Kind: Hashable {
    var rule: Rule
    var severity: Severity
  }

  /// How many diagnostics of a kind were kept and left out.
  private struct Counts {
    var kept = 0
    var leftOut = 0
    /// The place of the first one that was left out.
    var place: SourceRange = 0..<0
  }

  /// How many diagnostics of each kind are kept.
  public let limit: Int
  /// The diagnostics that were kept, in the order in which they came.
  public private(set) var kept: [Diagnostic] = []
  /// How many were appended, including those that were left out.
  public private(set) var count = 0
  private var countsByKind: [Kind: Counts] = [:]

  /// - Parameter limit: At least 1.
  public init(limit: Int = Findings.standardLimit) { self.limit = max(1, limit) }

  /// Adds a diagnostic, or counts it where its kind has reached the limit.
  ///
  /// - Returns: Its index in `kept`; `nil` where it was counted.
  @discardableResult
  public mutating func append(_ diagnostic: Diagnostic) -> Int? {
    append(
      diagnostic.rule, diagnostic.severity, at: diagnostic.range, leftOut: diagnostic.leftOut
    ) { diagnostic }
  }

  /// Adds a diagnostic of a rule, which is made only where it is kept.
  ///
  /// - Parameters:
  ///   - place: Where the mistake is.
  ///   - make: Makes the diagnostic, with the rule's code and severity.
  @discardableResult
  public mutating func append(
    _ rule: Rule, at place: SourceRange, _ make: () -> Diagnostic
  ) -> Int? { append(rule, rule.severity, at: place, make) }

  /// Adds a diagnostic of a rule with another severity.
  ///
  /// - Parameter leftOut: For a sum, how many findings it sums up: they are only counted. 0 for a
  ///   finding.
  @discardableResult
  public mutating func append(
    _ rule: Rule, _ severity: Severity, at place: SourceRange,
    leftOut: Int = 0, _ make: () -> Diagnostic
  ) -> Int? {
    count += max(1, leftOut)
    var counts = countsByKind[Kind(rule: rule, severity: severity)] ?? Counts()
    defer { countsByKind[Kind(rule: rule, severity: severity)] = counts }
    guard counts.kept < limit, leftOut == 0 else {
      if counts.leftOut == 0 { counts.place = place }
      counts.leftOut += max(1, leftOut)
      return nil
    }
    counts.kept += 1
    kept.append(make())
    return kept.count - 1
  }

  /// Adds diagnostics, one after the other.
  public static func += (findings: inout Findings, more: some Sequence<Diagnostic>) {
    for diagnostic in more { findings.append(diagnostic) }
  }

  /// Changes a diagnostic that was kept.
  public mutating func change(_ index: Int, _ body: (inout Diagnostic) -> Void) {
    body(&kept[index])
  }

  /// The diagnostics that were kept and, for each kind of which some were left out, a line with
  /// their number. It follows the last one of its kind that was kept.
  public var all: [Diagnostic] {
    guard countsByKind.values.contains(where: { $0.leftOut > 0 }) else { return kept }
    var result: [Diagnostic] = []
    result.reserveCapacity(kept.count + countsByKind.count)
    var remaining = countsByKind
    for diagnostic in kept {
      result.append(diagnostic)
      let kind = Kind(rule: diagnostic.rule, severity: diagnostic.severity)
      remaining[kind]?.kept -= 1
      guard let counts = remaining[kind], counts.kept == 0, counts.leftOut > 0 else { continue }
      result.append(.sum(of: kind.rule, kind.severity, counts.leftOut, at: counts.place))
      remaining[kind] = nil
    }
    // Kinds of which only sums were appended.
    let others = remaining.filter { $0.value.kept == 0 && $0.value.leftOut > 0 }
    for (kind, counts) in others.sorted(by: { $0.key.rule.code < $1.key.rule.code }) {
      result.append(.sum(of: kind.rule, kind.severity, counts.leftOut, at: counts.place))
    }
    return result
  }
}

extension Diagnostic {
  /// The line that sums up findings that were left out.
  fileprivate static func sum(
    of rule: Rule, _ severity: Severity, _ count: Int, at place: SourceRange
  ) -> Diagnostic {
    var diagnostic = rule.diagnostic(
      "and \(Message(decimal(count))) more \(Message(rule.code.rawValue))", status: .ok, at: place)
    diagnostic.severity = severity
    diagnostic.leftOut = count
    return diagnostic
  }
}

extension Sequence<Diagnostic> {
  /// The diagnostics with a limit for each kind, the rest summed up.
  public func limited(to limit: Int) -> [Diagnostic] {
    var findings = Findings(limit: limit)
    findings += self
    return findings.all
  }
}
