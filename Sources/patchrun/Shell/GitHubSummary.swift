import Diagnostics
import Reports

/// The step summary of GitHub Actions.
enum GitHubSummary {
  /// Appends the findings to it, if `GITHUB_STEP_SUMMARY` is set.
  static func write(_ report: Report, _ appearance: any Appearance) {
    guard let path = environmentVariable("GITHUB_STEP_SUMMARY"), !path.isEmpty else { return }
    let number = StandardStream.append(report.githubSummary(), to: path)
    if number != 0 {
      appearance.report(
        "warning", "the step summary \(quoted(path)) cannot be written: \(systemMessage(number))")
    }
  }
}
