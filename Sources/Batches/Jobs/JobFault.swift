public import AudioTypes
public import PatchSyntax

/// A mistake in a job, or a failure while rendering it.
public struct JobFault: Error, Sendable, Hashable {
  public var code: String
  public var severity: Severity
  /// A sentence that starts in lower case.
  public var message: String
  public var help: [String]

  public init(_ rule: Rule, _ message: String, help: [String] = []) {
    self.init(code: rule.code.rawValue, severity: rule.severity, message, help: help)
  }

  public init(code: String, severity: Severity, _ message: String, help: [String] = []) {
    self.code = code
    self.severity = severity
    self.message = message
    self.help = help.filter { !$0.isEmpty }
  }

  public var json: JSONText {
    var members: [JSONText.Member] = [
      .init("code", .string(code)), .init("severity", .string(severity.rawValue)),
      .init("message", .string(message)),
    ]
    if !help.isEmpty { members.append(.init("help", .strings(help))) }
    return .object(members)
  }
}
