public import AudioTypes

/// The rules of test files and of expectations. Each is in a file of its own; a kind's rule is in
/// the file of the kind.
public enum ExpectationRules {
  /// The rules of test files, then those of the kinds in the order of listings.
  public static let all: [Rule] =
    [file, kind, bound, setting, place, input, render, goldenFile]
    + ExpectationCatalog.kinds.map(\.rule)
}
