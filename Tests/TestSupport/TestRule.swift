public import AudioTypes

extension Rule {
  /// A rule with only a code and a severity.
  public static func test(
    _ code: Code, _ severity: Severity = .error, statuses: [Status] = []
  ) -> Rule {
    Rule(
      code, "test/\(code)", "a test breaks this rule", severity: severity, statuses: statuses,
      page: .init("A test breaks this rule.", because: "", example: .none("There is none.")))
  }
}
