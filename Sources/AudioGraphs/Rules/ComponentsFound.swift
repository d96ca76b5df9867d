public import AudioTypes
public import AudioUnits

/// A component that a node names is found, once.
public enum ComponentsFound {
  public static let rule = Rule(
    "PR0201", "component/found", "A component that is named is found exactly once.")

  /// The one component that a description finds. Core Audio documents no code for failing here.
  public static func find(
    _ wanted: ComponentDescription, in catalog: UnitCatalog
  ) throws(Violation) -> any AudioUnit.Type {
    let found = catalog.components.filter { wanted.matches($0.description) }
    if found.count == 1, let only = found.first {
      return only.unit
    }
    if found.isEmpty {
      throw Violation(
        rule, status: .invalidAudioUnit,
        wanted.flags != 0 || wanted.flagsMask != 0
          ? "no component is found while the search's flags and mask are not 0"
          : "no component has the codes \(wanted)",
        at: .graph, help: ["`patchrun units` lists the components"])
    }
    throw Violation(
      rule, status: .invalidAudioUnit,
      "\(found.count) components have the codes \(wanted): "
        + found.map(\.name).joined(separator: ", "),
      at: .graph, help: ["give the subtype as well, or the component's name"])
  }
}
