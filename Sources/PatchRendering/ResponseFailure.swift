public import AudioGraphs
public import PatchGraph

/// Why a response could not be measured.
public enum ResponseFailure: Error, Sendable {
  /// There is no such place, or no way from the one to the other. A sentence that starts in lower case.
  case misuse(String, help: [String] = [])
  /// Something has failed on the way.
  case failed(String, help: [String] = [])
  case wrongPatch(BuiltPatch)
  /// The graph was refused when it was initialized.
  case refused(Violation, BuiltPatch)
}
