public import AudioTypes

/// The rules about imported files of other programs. Each rule is in a file of its own.
public enum ImportRules {
  /// All rules in this group.
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
