public import AudioTypes

/// The rules about a timeline that a graph does not check by itself.
public enum TimelineRules {
  /// All rules in this group.
  public static let all: [Rule] = [
    tempo,
    updateKeeps,
    trigger,
  ]
}
