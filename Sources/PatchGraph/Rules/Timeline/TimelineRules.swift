public import AudioTypes

/// The rules of a timeline that a graph knows nothing of.
public enum TimelineRules {
  /// All of them.
  public static let all: [Rule] = [
    tempo,
    curve,
    updateKeeps,
    trigger,
  ]
}
