public import AudioTypes

/// The rules of changes to a document. Each is in a file of its own.
public enum ChangeRules {
  /// All of them.
  public static let all: [Rule] = [
    operation,
    place,
    test,
    intoItself,
    size,
  ]
}
