import AudioTypes
import AudioUnits

/// The units with all their settings, as entries of a manual page.
struct UnitManual {
  var catalog: UnitCatalog

  func add(to page: inout ManualPage) {
    page.section("Audio units")
    page.paragraph(
      """
      Of each unit: its buses, the stream formats it takes, its properties and its parameters, with \
      their numbers in Core Audio. A property that may be set in a patch is marked *. One that may \
      be written may be while the unit is initialized, unless the opposite is said; a parameter may \
      be set at any time.
      """)
    page.subsection("Every unit")
    page.list(GenericProperties.all.map(entry))
    for component in catalog.components { add(component, to: &page) }
  }

  private func add(_ component: UnitCatalog.Component, to page: inout ManualPage) {
    let unit = component.unit.description
    let codes = component.description
    page.subsection(unit.name)
    let names = ([unit.constant] + unit.aliases).map { "`\($0)`" }
    let number = [codes.type, codes.subtype, codes.manufacturer].map { $0.text ?? "\($0)" }
    page.paragraph(
      "\(unit.summary) Its codes are `\(number.joined(separator: " "))`, and it is also "
        + "\(names.joined(separator: ", ")).")
    let slices =
      unit.sizesItsOwnSlices
      ? "It sizes its slices itself."
      : "Slices have up to \(unit.defaultMaximumFramesPerSlice) frames until "
        + "`maximumFramesPerSlice` is set."
    page.paragraph("Inputs: \(unit.inputs.text). Outputs: \(unit.outputs.text). \(slices)")
    for note in unit.formatNotes { page.paragraph(sentence(note)) }
    if !unit.properties.isEmpty {
      page.paragraph("Properties:")
      page.list(unit.properties.map(entry))
    }
    if !unit.presets.isEmpty {
      let names = unit.presets.map { "\($0.number) `\($0.name)`" }
      page.paragraph("Presets: \(names.joined(separator: ", ")).")
    }
    if !unit.parameters.isEmpty {
      page.paragraph("Parameters:")
      page.list(
        unit.parameterRows.map { row in
          let names = row.setting.kind == .boolean ? ["off", "on"] : row.setting.kind.names
          return row.entry(
            [
              "parameter \(row.id)", "\(row.scopes) scope", row.unit, row.range,
              "default \(row.defaultValue)", row.access,
            ],
            more: names.isEmpty ? "" : " Its values: \(names.joined(separator: ", ")).")
        })
    }
  }

  private func entry(_ info: PropertyInfo) -> ManualPage.Entry {
    let row = SettingRow(info, of: nil)
    return row.entry([
      "property \(row.id)", row.scopes == "all" ? "all scopes" : "\(row.scopes) scope", row.type,
      row.access, row.defaultValue == "-" ? "" : "default \(row.defaultValue)",
    ])
  }
}
