import AudioTypes

/// The rules of `limits`. Each is in a file of its own.
enum LimitRules {
  /// All rules in this group.
  static let all: [Rule] = [
    level,
    requestedGain,
  ]
}
