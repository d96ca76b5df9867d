/// One rule that a patch or a graph has to keep, and all that is known of it.
///
/// A rule is declared once, in a file of its own in the room that checks it, and a finding is made with
/// the rule: `patchrun explain`, the reports, the tables and the language server read the same value.
public struct Rule: Sendable {
  /// Such as `PR0107`: the key of its page and of its fixtures. Never given to another rule, not even
  /// after this one is gone.
  public let code: Code
  /// Two words that a person remembers, such as `connection/format`.
  public let name: String
  /// How bad it is to break it.
  public let severity: Severity
  /// What holds once the rule is kept: a sentence that starts in lower case and has no full stop.
  public let summary: String
  /// What Core Audio returns where it is broken, the usual status first. Empty where there is none.
  public let statuses: [Status]
  /// What a finding carries that names no other; `nil` for none.
  public let status: Status?
  /// What makes a finding of it an echo of one that has been reported.
  public let silencedBy: Doubts
  private let makePage: @Sendable () -> Page

  /// The page that explains it. It is made anew at each call.
  public var page: Page { makePage() }

  /// - Parameters:
  ///   - code: `PR` and four digits.
  ///   - name: The family and the rule, in lower case, with a slash between them.
  ///   - statuses: The usual one first.
  ///   - isStatusUsual: Whether a finding that names no status carries the first of them.
  ///   - silencedBy: Nothing is said of a node of which a part could not be read, unless this says so.
  ///   - page: Is evaluated where the page is asked for.
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

    /// Codes order by their text.
    public static func < (left: Code, right: Code) -> Bool { left.rawValue < right.rawValue }
  }
}

extension Rule: Hashable {
  /// Rules are told apart by their codes.
  public static func == (left: Rule, right: Rule) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
