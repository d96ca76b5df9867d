public import Diagnostics

/// What a patch has to keep to before any of its names is looked up.
public enum PatchRules {
  public static let type = RuleInfo(
    "PR0101", "patch/type", "each value is of the type that belongs there")
  public static let unknownKey = RuleInfo(
    "PR0102", "patch/unknown-key", "objects have no keys but those that are defined")
  public static let missingKey = RuleInfo(
    "PR0103", "patch/missing-key", "objects have the keys they need")
  public static let schemaVersion = RuleInfo(
    "PR0104", "patch/schema-version", "the schema version is 1")
  public static let address = RuleInfo(
    "PR0105", "patch/address", "an address is node or node:bus")
  public static let busNumber = RuleInfo(
    "PR0106", "patch/bus-number", "the keys of inputs and outputs are bus numbers")
  public static let name = RuleInfo(
    "PR0107", "patch/name", "names are not empty and have no colon")
  public static let emptyNodes = RuleInfo(
    "PR0108", "patch/empty-nodes", "a patch has at least one node")
  public static let range = RuleInfo(
    "PR0109", "patch/range", "numbers are such as can be meant")
  public static let exclusive = RuleInfo(
    "PR0110", "patch/exclusive", "a thing is written in one of its forms, not in two")
  public static let override = RuleInfo(
    "PR0111", "patch/override", "--set names a place that the patch has")
  public static let ambiguousName = RuleInfo(
    "PR0112", "patch/ambiguous-name", "nodes and callbacks have different names")
  public static let pointer = RuleInfo(
    "PR0113", "patch/pointer", "a place in the patch is written as a JSON Pointer")
  public static let subgraphSetting = RuleInfo(
    "PR0224", "subgraph/setting", "what a sub-graph changes in its patch has a place there")

  public static let nodes = RuleInfo(
    "PR0226", "limit/nodes",
    "a patch has no more nodes, callbacks and taps than the limit allows")

  /// All of them, by code.
  public static let all = [
    type, unknownKey, missingKey, schemaVersion, address, busNumber, name, emptyNodes, range,
    exclusive, override, ambiguousName, pointer, subgraphSetting, nodes,
  ]
}
