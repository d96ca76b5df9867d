public import AudioTypes

/// The rules about changes of a document. Each rule is in a file of its own.
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
