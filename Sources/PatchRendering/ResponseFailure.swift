public import AudioGraphs
public import PatchGraph

/// Why a response could not be measured.
public enum ResponseFailure: Error, Sendable {
  /// There is no such place, or no path from the one to the other. A sentence that starts in lower
  /// case.
  case misuse(String, help: [String] = [])
  /// The measurement has failed.
  case failed(String, help: [String] = [])
  case wrongPatch(BuiltPatch)
  /// The graph could not be initialized.
  case refused(Violation, BuiltPatch)
}
