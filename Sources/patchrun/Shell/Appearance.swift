import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax

/// How messages are printed.
protocol Appearance: Sendable {
  var color: ColorChoice { get }
}

/// An appearance without an option: for errors before a command is known, and for commands that are
/// read without swift-argument-parser.
struct PlainAppearance: Appearance {
  var color = ColorChoice.auto
}

extension Appearance {
  /// Prints a message on standard error.
  func report(_ kind: String, _ message: String, help: [String] = []) {
    let isColored = color.colors(.error)
    let message = printable(message)
    let paint = kind == "error" ? "\u{1B}[1;31m" : kind == "warning" ? "\u{1B}[1;33m" : "\u{1B}[1m"
    var text = isColored ? "\(paint)\(kind)\u{1B}[0m: \(message)\n" : "\(kind): \(message)\n"
    for line in help.map(printable) {
      text += isColored ? "  = \u{1B}[1mhelp\u{1B}[0m: \(line)\n" : "  = help: \(line)\n"
    }
    StandardStream.error.put(WrappedHelp.wrapped(text, to: StandardStream.error.columns))
  }

  /// Prints the failure of a command on standard error.
  ///
  /// - Parameter path: The file that failed, if it is one of several.
  func report(_ failure: CommandFailure, with path: String? = nil) {
    if let findings = failure.findings { StandardStream.error.put(printableLines(findings)) }
    guard !failure.message.isEmpty else { return }
    report("error", (path.map { $0 + ": " } ?? "") + failure.message, help: failure.help)
  }

  /// Diagnostics as text with an empty line after each, and a summary.
  func text(
    _ diagnostics: [Diagnostic], in source: SourceText, for stream: StandardStream
  ) -> String {
    let renderer = TextRenderer(
      source: source, color: color.colors(stream), width: stream.columns ?? 120)
    return WrappedHelp.wrapped(
      renderer.render(diagnostics) + renderer.summary(of: diagnostics) + "\n", to: stream.columns)
  }

  /// Diagnostics as text for standard output, with an empty line after each.
  func findings(_ diagnostics: [Diagnostic], in source: SourceText) -> String {
    let columns = StandardStream.output.columns
    let renderer = TextRenderer(
      source: source, color: color.colors(.output), width: columns ?? 120)
    return WrappedHelp.wrapped(renderer.render(diagnostics), to: columns)
  }

  /// Prints the diagnostics of a patch on standard error.
  func report(_ patch: BuiltPatch) {
    guard !patch.diagnostics.isEmpty else { return }
    StandardStream.error.put(text(patch.diagnostics, in: patch.source, for: .error))
    hint(at: patch.diagnostics.mainFinding)
  }

  /// Prints a violation from initialization, with its place in the patch.
  func report(_ violation: Violation, of patch: BuiltPatch) -> CommandFailure {
    guard let diagnostic = patch.diagnostic(of: violation) else {
      return CommandFailure(ExitStatus.unavailable, violation.message, help: violation.help)
    }
    StandardStream.error.put(text([diagnostic], in: patch.source, for: .error))
    return .reported(ExitStatus.unavailable)
  }

  /// On a terminal, prints which command explains the finding.
  func hint(at finding: Diagnostic?) {
    guard let finding, StandardStream.error.isTerminal else { return }
    StandardStream.error.put(findingHint(finding) + "\n")
  }

}

/// Which command explains a finding.
func findingHint(_ finding: Diagnostic) -> String {
  "`patchrun explain \(finding.code)` says more"
}

extension Sequence<Diagnostic> {
  /// The first error; without errors, the first diagnostic.
  var mainFinding: Diagnostic? { first { $0.severity == .error } ?? first { _ in true } }
}
