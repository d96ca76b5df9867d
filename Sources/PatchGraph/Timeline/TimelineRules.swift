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
  /// The graph's own, as it is said of a patch.
  public static let liveSetting = RuleInfo(
    "PR0558", "callback/live-setting",
    "what is ramped of a callback can ramp while it plays, and may have the value",
    status: .init("kAudioUnitErr_InvalidParameter", -10878))

  /// All of them, by code, but for the graph's.
  public static let all = [tempo, curve, updateKeeps]
}
