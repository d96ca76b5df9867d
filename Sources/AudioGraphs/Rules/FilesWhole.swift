import AudioTypes
import RenderCore

/// A sound file that is played is as long as its header says.
enum FilesWhole {
  static let rule = Rule(
    "PR0717", "callback/whole", "A sound file that is played is as long as its header says.")

  /// - Parameter behind: How many links of the callback's chain pull the one with the file.
  static func violation(
    _ problem: CallbackProblem, _ callback: InputCallback, behind: Int
  ) -> Violation {
    Violation(
      rule, .warning, status: problem.status, problem.message,
      at: .init(
        node: callback.destination,
        behind == 0 ? .feed(callback.input) : .callback(callback.input, behind: behind)),
      setting: problem.setting, help: problem.help.isEmpty ? [] : [problem.help])
  }
}
