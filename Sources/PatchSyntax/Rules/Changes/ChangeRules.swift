public import AudioTypes

/// The rules about changes of a document. Each rule is in a file of its own.
public enum ChangeRules {
  /// All rules in this group.
  public static let all: [Rule] = [
    operation,
    place,
    test,
    intoItself,
    size,
  ]
}
