public import AudioTypes

/// What is said of files of other programs that are imported. Each rule is in a file of its own.
public enum ImportRules {
  /// All of them.
  public static let all: [Rule] = [
    ignored,
    disabled,
    unsupported,
    approximated,
    refused,
    unclear,
    file,
    headroom,
    size,
    exportedChain,
  ]
}
