public import AudioTypes

/// The rules about the names and values of a patch. Each rule is in a file of its own.
public enum NameRules {
  /// All rules in this group.
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
    categoryPermits,
    recordingsApart,
    callbackCircle,
    bufferDuration,
    deviceUnit,
    devicePattern,
    deviceSide,
    takeName,
  ]
}
