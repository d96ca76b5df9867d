package import AudioTypes
import RenderCore

/// A sound file that is played is as long as its header says.
package enum FilesWhole {
  package static let rule = Rule(
    "PR0717", "callback/whole",
    "a sound file that is played is as long as its header says",
    severity: .warning,
    statuses: [.invalidFile],
    page: .init(
      "A sound file that is played has all the frames that its header promises.",
      because: """
        A copy that was broken off and a recorder that was killed leave files whose header promises more
        than there is. Of linear samples what there is of them is played, and the sound ends there. A
        compressed file is found out where it ends: `render` fails there with exit 4, or goes on with
        silence where `--on-read-error silence` says so; a live run goes on with silence and says what
        is missing. `patchrun recover FILE` makes a whole file of what there is.
        """,
      statusNote: Rule.Page.undocumented,
      example: .none("It is the file that is wrong, and not the patch.")))

  /// - Parameter behind: How many pulls behind the input the callback with the file is.
  static func violation(
    _ problem: CallbackProblem, _ callback: InputCallback, behind: Int
  ) -> Violation {
    Violation(
      rule, status: problem.status, problem.message,
      at: .init(
        node: callback.destination,
        behind == 0 ? .feed(callback.input) : .callback(callback.input, behind: behind)),
      setting: problem.setting, help: problem.help.isEmpty ? [] : [problem.help])
  }
}
