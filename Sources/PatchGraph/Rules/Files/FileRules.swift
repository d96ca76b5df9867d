public import AudioTypes

/// The rules about the files that a patch reads and writes.
public enum FileRules {
  /// All rules in this group.
  public static let all: [Rule] = [
    reading,
    writing,
  ]
}
