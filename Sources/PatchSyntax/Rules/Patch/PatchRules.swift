public import AudioTypes

/// The rules that a patch keeps before its names are looked up. Each rule is in a file of its own.
public enum PatchRules {
  /// All rules in this group.
  public static let all: [Rule] = [
    type,
    unknownKey,
    missingKey,
    schemaVersion,
    address,
    busNumber,
    name,
    emptyNodes,
    range,
    exclusive,
    override,
    ambiguousName,
    pointer,
    constant,
    elementName,
    repetition,
    sampleType,
    subgraphSetting,
    nodes,
    category,
    preferredRate,
    sessionDecision,
    curve,
  ]
}
