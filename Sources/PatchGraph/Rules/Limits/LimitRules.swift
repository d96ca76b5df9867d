import AudioTypes

/// The rules of `limits`. Each is in a file of its own.
enum LimitRules {
  /// All of them.
  static let all: [Rule] = [
    level,
    requestedGain,
  ]
}
