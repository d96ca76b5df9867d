public import AudioTypes

/// What a test file has to keep to, and what is broken where an expectation does not hold. Each is in a file
/// of its own: the rules of kinds beside what measures them.
public enum ExpectationRules {
  /// All of them.
  public static let all: [Rule] =
    [file, kind, bound, setting, place, input, render, goldenFile]
    + ExpectationCatalog.kinds.map(\.rule)

  /// The rules of the file, and of what it names.
  public static let ofFiles: [Rule] = [
    file, kind, bound, setting, place, input, render, goldenFile,
  ]
}
