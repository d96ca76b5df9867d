import Diagnostics
import Reports

/// The summary of the step that GitHub runs.
enum GitHubSummary {
  /// Adds to it what was found, where there is one.
  static func write(_ report: Report, _ appearance: AppearanceOptions) {
    guard let path = environmentVariable("GITHUB_STEP_SUMMARY"), !path.isEmpty else { return }
    let number = StandardStream.append(report.githubSummary(), to: path)
    if number != 0 {
      appearance.report(
        "warning", "the step summary \(quoted(path)) cannot be written: \(systemMessage(number))")
    }
  }
}
