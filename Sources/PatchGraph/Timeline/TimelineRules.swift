public import Diagnostics

/// The rules of a timeline that a graph knows nothing of.
public enum TimelineRules {
  public static let tempo = RuleInfo(
    "PR0803", "timeline/tempo", "a patch that counts in beats has a tempo")
  public static let curve = RuleInfo(
    "PR0804", "timeline/curve",
    "a ramp is linear, or exponential and on one side of zero")
  public static let updateKeeps = RuleInfo(
    "PR0805", "timeline/update-keeps", "an update leaves alone what holds for the whole run")

  /// All of them, by code.
  public static let all = [tempo, curve, updateKeeps]
}
