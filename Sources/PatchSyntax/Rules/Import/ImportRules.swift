public import AudioTypes

/// The rules about imported files of other programs. Each rule is in a file of its own.
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
