import AudioTypes
import Diagnostics
import PatchGraph

extension LivePatch.Refusal {
  /// The refusal as a failure of the command.
  func failure(_ status: Int32) -> CommandFailure {
    CommandFailure(status, message)
  }
}
