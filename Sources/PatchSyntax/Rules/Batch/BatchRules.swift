public import AudioTypes

/// The rules about the jobs of a batch. Each rule is in a file of its own.
public enum BatchRules {
  /// All rules in this group.
  public static let all: [Rule] = [
    line,
    patch,
    input,
    output,
    settings,
    render,
    loudness,
    repeated,
    plan,
  ]
}
