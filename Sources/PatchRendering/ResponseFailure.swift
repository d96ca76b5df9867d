public import AudioGraphs
public import PatchGraph

/// Why a response could not be measured.
public enum ResponseFailure: Error, Sendable {
  /// A place that does not exist, or two places without a path between them. The text is a sentence
  /// that starts in lower case.
  case misuse(String, help: [String] = [])
  /// A failure of the measurement itself. The text is a sentence that starts in lower case.
  case failed(String, help: [String] = [])
  /// The patch has errors.
  case wrongPatch(BuiltPatch)
  /// The graph could not be initialized.
  case refused(Violation, BuiltPatch)
}
