public import AudioTypes
public import AudioUnits

/// A component description finds exactly one component.
public enum ComponentsFound {
  /// The rule that a named component exists.
  public static let rule = Rule(
    "PR0201", "component/found",
    "a component that is named is found exactly once",
    statuses: [.invalidAudioUnit],
    page: .init(
      "A component is named so that exactly one is found: by its name, or by its type, subtype "
        + "and manufacturer.",
      because: """
        AudioComponentFindNext takes 0 for any code, and then finds the first that fits, which may be
        another one tomorrow. `patchrun units` lists what there is. Units of the desktop and those
        that are not part of iOS 4 are not found.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.mixer, wrong: ["\"MultichannelMixer\"": "\"MultichannelMixr\""])))

  /// The one component that a description matches. Core Audio documents no status for a failure
  /// here.
  public static func find(
    _ wanted: ComponentDescription, in catalog: UnitCatalog
  ) throws(Violation) -> any AudioUnit.Type {
    let found = catalog.units.filter { wanted.matches($0.description.component) }
    if found.count == 1, let only = found.first { return only }
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
        + found.map { $0.description.name }.joined(separator: ", "),
      at: .graph, help: ["give the subtype as well, or the component's name"])
  }
}
