import AudioTypes
import Diagnostics

extension ReportFormat {
  /// The Test Anything Protocol.
  public static let tap = ReportFormat("tap", isForTestsOnly: true) { $0.tap() }
}

extension Report {
  /// The Test Anything Protocol, version 14: a line for each expectation, and one line for each
  /// patch without expectations.
  public func tap() -> String {
    var lines: [String] = []
    func line(_ isOK: Bool, _ title: String, _ more: [(String, String)] = []) {
      lines.append(
        "\(isOK ? "ok" : "not ok") \(number(lines) + 1) - \(Self.escaped(title))")
      guard !more.isEmpty else { return }
      lines.append("  ---")
      for (key, value) in more { lines.append("  \(key): \(Self.quoted(value))") }
      lines.append("  ...")
    }
    for entry in entries {
      switch entry {
      case .unreadable(let path): line(false, path.path, [("message", path.message)])
      case .patch(let patch) where patch.cases.isEmpty:
        let isOK = !patch.diagnostics.hasErrors
        line(
          isOK, patch.path,
          isOK ? [] : patch.diagnostics.prefix(1).map { ("message", $0.message.text) })
      case .patch(let patch):
        for tested in patch.cases {
          var more: [(String, String)] = []
          if let diagnostic = tested.diagnostic {
            more = [("code", diagnostic.code.rawValue), ("message", diagnostic.message.text)]
            if let region = patch.region(of: diagnostic.range) {
              more.append(("at", "\(region.path):\(region.start)"))
            }
          }
          if tested.status != .passed {
            more += tested.measured.map { ("measured", $0) }.prefix(1)
            if let place = tested.place { more.append(("worst", place)) }
          }
          line(
            tested.status == .passed, "\(patch.path): \(tested.test): \(tested.title)", more)
        }
      }
    }
    return "TAP version 14\n1..\(number(lines))\n"
      + lines.map { $0 + "\n" }.joined()
  }

  private func number(_ lines: [String]) -> Int {
    lines.count { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
  }

  /// Escapes a number sign, which begins a directive.
  private static func escaped(_ text: String) -> String {
    text.map { $0 == "#" || $0 == "\\" ? "\\\($0)" : $0.isNewline ? " " : "\($0)" }.joined()
  }

  /// A quoted string in YAML.
  private static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : $0.isNewline ? " " : "\($0)" }.joined()
      + "\""
  }
}
