import AudioTypes

/// What is good to know of a patch and no mistake: said where somebody asks for notes.
enum PatchNotes {
  /// All of them.
  static let all: [Rule] = [
    conversion,
    effectiveGain,
    inputsOff,
  ]
}
