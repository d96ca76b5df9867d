/// A rule for patches or graphs.
///
/// A rule is declared once, in a file of its own, in the room that checks it. A finding refers to
/// its rule; `patchrun explain`, reports, tables and the language server read the same value.
public struct Rule: Sendable {
  /// A code such as `PR0107`: the key of its page and of its fixtures. A code is never reused, not
  /// even after its rule is gone.
  public let code: Code
  /// Two memorable words such as `connection/format`.
  public let name: String
  /// The severity of its findings.
  public let severity: Severity
  /// The state in which the rule is kept: a sentence that starts in lower case and has no full
  /// stop.
  public let summary: String
  /// The statuses of Core Audio for it, the usual one first; empty for none.
  public let statuses: [Status]
  /// The status of a finding without one of its own; `nil` for none.
  public let status: Status?
  /// The doubts under which a finding would only repeat an error that has been reported.
  public let silencedBy: Doubts
  private let makePage: @Sendable () -> Page

  /// The page that explains the rule. Built at each call.
  public var page: Page { makePage() }

  /// - Parameters:
  ///   - code: `PR` and four digits.
  ///   - name: The family and the rule, in lower case, with a slash between them.
  ///   - statuses: The usual one first.
  ///   - isStatusUsual: Whether a finding without a status of its own has the first of `statuses`.
  ///   - silencedBy: By default `unreadNode`: the rule is silent about a node that could not be
  ///     read completely.
  ///   - page: Evaluated at each call of `page`.
  public init(
    _ code: Code, _ name: String, _ summary: String, severity: Severity = .error,
    statuses: [Status] = [], isStatusUsual: Bool = true, silencedBy: Doubts = .unreadNode,
    page: @autoclosure @escaping @Sendable () -> Page
  ) {
    self.code = code
    self.name = name
    self.severity = severity
    self.summary = summary
    self.statuses = statuses
    status = isStatusUsual ? statuses.first : nil
    self.silencedBy = silencedBy
    makePage = page
  }

  /// A stable code such as `PR0107`.
  public struct Code: Hashable, Sendable, RawRepresentable, Comparable, ExpressibleByStringLiteral,
    CustomStringConvertible
  {
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    /// - Precondition: `PR` and four digits.
    public init(stringLiteral rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// Compares the texts.
    public static func < (left: Code, right: Code) -> Bool { left.rawValue < right.rawValue }
  }
}

extension Rule: Hashable {
  /// Rules are equal if their codes are.
  public static func == (left: Rule, right: Rule) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
