public import AudioTypes

/// The rules of the files that a patch names: what whoever wrote it may have read and written.
public enum FileRules {
  /// All of them.
  public static let all: [Rule] = [
    reading,
    writing,
  ]
}
