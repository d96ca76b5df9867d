public import AudioTypes
public import AudioUnits

/// A component that a node names is found, once, and is there.
public enum ComponentsFound {
  public static let rule = Rule(
    "PR0201", "component/found", "A component that is named is found exactly once.")
  public static let notYet = Rule(
    "PR0202", "component/not-yet", "A component that is named is one that this version has.")

  /// The one component that a description finds. Core Audio documents no code for failing here.
  public static func find(
    _ wanted: ComponentDescription, in catalog: UnitCatalog
  ) throws(Violation) -> any AudioUnit.Type {
    let found = catalog.components.filter { wanted.matches($0.description) }
    if found.count == 1, let only = found.first {
      return try unit(of: only)
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

  /// The unit of a component that may not be there yet.
  public static func unit(
    of component: UnitCatalog.Component
  ) throws(Violation) -> any AudioUnit.Type {
    if let unit = component.unit { return unit }
    throw Violation(
      notYet, status: .invalidAudioUnit,
      "\(component.name) (\(component.description)) is known, but not in this version of patchrun",
      at: .graph, help: ["`patchrun units` lists what is there"])
  }
}
