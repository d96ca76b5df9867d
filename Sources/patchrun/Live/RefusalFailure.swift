import AudioTypes
import Diagnostics
import PatchGraph

extension LivePatch.Refusal {
  /// The refusal as a failure of the command.
  func failure(_ status: Int32) -> CommandFailure {
    switch self {
    case .wrong(let patch):
      CommandFailure(
        status,
        patch.diagnostics.first { $0.severity == .error }?.message.text ?? "the patch is wrong")
    case .restart(_, let changes):
      CommandFailure(
        status,
        "what plays cannot be changed without a gap: "
          + (changes.first { $0.heard == .restart }?.text ?? "it has to begin again"))
    }
  }
}
