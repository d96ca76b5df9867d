public import AudioTypes

/// What the names and values of a patch have to mean. Each rule is in a file of its own.
public enum NameRules {
  /// All of them.
  public static let all: [Rule] = [
    unknownName,
    unknownFormat,
    unusedCallback,
    destination,
    callbackBus,
    notYet,
    callbackKind,
    tapKind,
    setting,
    tapPlace,
    sampleType,
    formatField,
    timelinePath,
    subgraphFile,
    subgraphCircle,
    subgraphOutput,
    subgraphInside,
    knobTarget,
    knobRange,
    knobKnown,
    knobValue,
    knobApart,
    presetFile,
    presetUnit,
    category,
    categoryPermits,
    recordingsApart,
    callbackCircle,
    preferredRate,
    sessionDecision,
    bufferDuration,
    deviceUnit,
    devicePattern,
    deviceSide,
    takeName,
  ]
}
