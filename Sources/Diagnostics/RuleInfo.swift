/// What a rule says about itself in a catalogue: `patchrun explain` and reports for machines list
/// these.
public struct RuleInfo: Hashable, Sendable {
  /// Such as `PR0107`. Never given to another rule, not even after this one is gone.
  public var code: Diagnostic.Code
  /// Two words that a person remembers, such as `connection/format`.
  public var name: String
  /// One line on what holds once the rule is kept.
  public var summary: String
  /// How bad breaking it is.
  public var severity: Diagnostic.Severity
  /// The status Core Audio gives when it is broken, if it gives one.
  public var status: Diagnostic.Status?

  public init(
    _ code: Diagnostic.Code, _ name: String, _ summary: String,
    severity: Diagnostic.Severity = .error, status: Diagnostic.Status? = nil
  ) {
    self.code = code
    self.name = name
    self.summary = summary
    self.severity = severity
    self.status = status
  }

  /// A diagnostic that carries this rule's code, severity and status.
  public func diagnostic(
    _ message: Diagnostic.Message, at range: SourceRange, pointer: String? = nil,
    label: Diagnostic.Message? = nil, notes: [Diagnostic.Note] = [], help: [String] = [],
    fixes: [Diagnostic.Fix] = []
  ) -> Diagnostic {
    Diagnostic(
      severity, code, message, at: range, pointer: pointer, label: label, status: status,
      notes: notes, help: help, fixes: fixes)
  }
}
