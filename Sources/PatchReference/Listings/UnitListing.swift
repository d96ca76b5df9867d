import AudioTypes
public import AudioUnits
import Diagnostics
import PatchSyntax

/// The output of `patchrun units` and the pages of units in `schema`, printed from the units'
/// descriptions.
public struct UnitListing: Sendable {
  private var catalog: UnitCatalog

  public init(catalog: UnitCatalog = .standard) { self.catalog = catalog }

  /// The component with a name, an alias, a `kAudio…` name or four-character codes.
  public func component(named name: String) -> UnitCatalog.Component? {
    catalog.component(named: name)
  }

  /// The message for an unknown component: a sentence, and suggestions of names.
  public func unknown(_ name: String) -> String {
    let names = catalog.components.flatMap { component in
      [component.name] + component.aliases + [component.constant]
        + [component.description.subtype.text].compactMap(\.self)
    }
    return "there is no audio unit \(quoted(name)); "
      + (didYouMean(name, among: names)
        ?? "there are \(catalog.components.map(\.name).joined(separator: ", "))")
  }

  // MARK: Text

  /// All components, one line each, within 100 columns.
  public func text() -> String {
    var table = TextTable(["NAME", "CODES", "INPUTS", "OUTPUTS", "WHAT IT DOES"])
    for component in catalog.components {
      let codes = component.description.codes
      let unit = component.unit.description
      table.add([unit.name, codes, unit.inputs.text, unit.outputs.text, unit.summary])
    }
    return
      (table.lines(indentation: 0)
      + ["", "`patchrun units NAME` says all about one."]).joined(separator: "\n") + "\n"
  }

  /// The details of one component, within 100 columns.
  public func text(of component: UnitCatalog.Component) -> String {
    let other =
      component.aliases.isEmpty ? "" : ", also \(component.aliases.joined(separator: ", "))"
    var lines = [component.name + other, ""]
    let codes = component.description
    for (name, code) in [
      ("type", codes.type), ("subtype", codes.subtype), ("manufacturer", codes.manufacturer),
    ] {
      let constant = name == "subtype" ? "  \(component.constant)" : ""
      lines.append(
        "  \(name)\(String(repeating: " ", count: 14 - name.count))\(code)  \(code.rawValue)\(constant)"
      )
    }
    lines.append("")
    let unit = component.unit.description
    lines += wrapped(unit.summary, columns: 100) + [""]
    lines += ["Buses"] + buses(unit).map { "  \($0)" } + [""]
    lines.append("Stream formats")
    for note in unit.formatNotes {
      let parts = wrapped(note, columns: 96)
      lines += parts.enumerated().map { ($0 == 0 ? "  " : "    ") + $1 }
    }
    lines += [
      "", "Properties",
      "  * may be set in a patch; \"until init\": may be written until the unit is initialized; others",
      "  that may be written may be while the unit is initialized too",
      "",
    ]
    lines += properties(unit)
    if !unit.presets.isEmpty {
      lines += ["", "Presets"]
      lines += wrapped(
        unit.presets.map { "\($0.number)\u{A0}\($0.name.nonBreaking)" }.joined(separator: ", "),
        columns: 98
      ).map { "  " + $0.map { $0 == "\u{A0}" ? " " : String($0) }.joined() }
    }
    lines += ["", "Parameters"]
    if !unit.parameters.isEmpty {
      lines += ["  those that may be written may be at any time, while the unit renders too", ""]
    }
    lines += parameters(unit)
    return lines.joined(separator: "\n") + "\n"
  }

  private func buses(_ unit: UnitDescription) -> [String] {
    func line(_ name: String, _ buses: UnitDescription.Buses) -> String {
      "\(name)\(buses.count)"
        + (buses.settable.map { ", settable from \($0.lowerBound) to \($0.upperBound)" } ?? "")
    }
    let slices =
      unit.sizesItsOwnSlices
      ? "slices   sized by the unit itself"
      : "slices   up to \(unit.defaultMaximumFramesPerSlice) frames until "
        + "maximumFramesPerSlice is set"
    return [
      line("inputs   ", unit.inputs) + (unit.inputs.settable == nil ? "" : " (inputCount)"),
      line("outputs  ", unit.outputs) + (unit.outputs.settable == nil ? "" : " (outputCount)"),
      slices,
    ]
  }

  private func properties(_ unit: UnitDescription) -> [String] {
    var table = TextTable(["ID", "NAME", "SCOPES", "TYPE", "ACCESS", "DEFAULT"])
    for info in GenericProperties.properties(of: unit) {
      let row = SettingRow(info, of: unit)
      table.add(
        [
          row.id, row.key("*"), row.shortScopes, row.shortType.text, row.shortAccess,
          row.defaultValue,
        ], notes: row.notes + [row.shortType.note, row.ours].compactMap(\.self))
    }
    return table.lines()
  }

  private func parameters(_ unit: UnitDescription) -> [String] {
    guard !unit.parameters.isEmpty else { return ["  none"] }
    var table = TextTable(["ID", "NAME", "SCOPE", "UNIT", "RANGE", "DEFAULT", "ACCESS"])
    for info in unit.listedParameters {
      let row = SettingRow(info)
      table.add(
        [
          row.id, info.key, row.scopes, row.unit, row.range, row.defaultValue, row.access,
        ], notes: row.notes + [row.ours].compactMap(\.self))
    }
    return table.lines()
  }

  // MARK: JSON

  /// All components as a JSON array.
  public func json() -> String {
    JSONText.array(catalog.components.map(json)).document
  }

  /// One component as a JSON object.
  public func json(of component: UnitCatalog.Component) -> String { json(component).document }

  private func json(_ component: UnitCatalog.Component) -> JSONText {
    let codes = component.description
    let head: JSONText = [
      "name": .string(component.name),
      "constant": .string(component.constant),
      "aliases": .strings(component.aliases),
      "type": .string(codes.type.text ?? ""),
      "subtype": .string(codes.subtype.text ?? ""),
      "manufacturer": .string(codes.manufacturer.text ?? ""),
      "isAvailable": true,
    ]
    let unit = component.unit.description
    return head.adding([
      "summary": .string(unit.summary),
      "inputs": json(unit.inputs),
      "outputs": json(unit.outputs),
      "defaultMaximumFramesPerSlice": .number(unit.defaultMaximumFramesPerSlice),
      "sizesItsOwnSlices": .boolean(unit.sizesItsOwnSlices),
      "formatNotes": .strings(unit.formatNotes),
      "properties": .array(GenericProperties.properties(of: unit).map(json)),
      "parameters": .array(unit.listedParameters.map(json)),
    ])
  }

  private func json(_ buses: UnitDescription.Buses) -> JSONText {
    [
      "count": .number(buses.count),
      "settable": buses.settable.map { [.number($0.lowerBound), .number($0.upperBound)] } ?? .null,
    ]
  }

  private func json(_ info: PropertyInfo) -> JSONText {
    let scopes = Scope.allCases.filter(info.scopes.contains)
    let range: JSONText =
      switch info.kind {
      case .integer(let range), .integers(let range):
        [.number(range.lowerBound), .number(range.upperBound)]
      case .choice(let choices):
        .array(
          choices.map { choice in
            [
              "value": .number(choice.value ?? 0), "name": .string(choice.name),
              "constant": .string(choice.constant),
            ]
          })
      default: .null
      }
    func json(_ value: PropertyValue?) -> JSONText {
      if info.kind == .boolean, let value { return .boolean(value == .uint32(1)) }
      return value.map(self.json) ?? .null
    }
    return [
      "id": .number(info.id.rawValue),
      "name": .string(info.key),
      "constant": .string(info.constant),
      "scopes": .strings(scopes.map { "\($0)" }),
      "elements": .object(
        scopes.compactMap { scope in
          info.elements[scope].map { .init("\(scope)", .number($0)) }
        }),
      "type": .string(info.type.name),
      "unit": .string(info.unit.name),
      "range": range,
      "access": .string("\(info.access)"),
      "isWritableWhileInitialized": .boolean(info.isWritableWhileInitialized),
      "size": info.type.size.map { .number($0) } ?? .null,
      "default": info.scopeDefaults.isEmpty
        ? json(info.defaultValue)
        : .object(
          scopes.compactMap { scope in
            info.scopeDefaults[scope].map { .init("\(scope)", json($0)) }
          }),
      "inPatch": .boolean(info.isPatchProperty),
      "isLive": .boolean(info.isLive),
      "summary": .string(info.summary),
      "proposed": .string(info.setting.proposed),
    ]
  }

  private func json(_ value: PropertyValue) -> JSONText {
    func json(_ preset: Preset) -> JSONText {
      ["number": .number(preset.number), "name": .string(preset.name)]
    }
    return switch value {
    case .uint32(let word): .number(word)
    case .float64(let number): .number(number)
    case .streamFormat(let format): .string(format.summary)
    case .string(let text): .string(text)
    case .preset(let preset): json(preset)
    case .presets(let presets): .array(presets.map(json))
    case .matrix(let rows): .array(rows.map { .array($0.map { .number($0) }) })
    case .floats(let values): .array(values.map { .number($0) })
    case .doubles(let values): .array(values.map { .number($0) })
    case .ids(let values): .array(values.map { .number($0) })
    case .integers(let values): .array(values.map { .number($0) })
    case .channelCounts(let counts):
      .array(counts.map { [.number($0.input), .number($0.output)] })
    case .parameterInfo(let info): self.json(info)
    case .status(let status): .number(status.rawValue)
    case .strings(let texts): .strings(texts)
    case .clipping, .parameterText, .classInfo, .startTime, .object: .null
    }
  }

  private func json(_ info: ParameterInfo) -> JSONText {
    [
      "id": .number(info.id),
      "name": .string(info.key),
      "constant": .string(info.constant),
      "scope": "\(info.scope)",
      "unit": .string(info.unit.name),
      "symbol": .string(info.unit.symbol),
      "range": [.number(info.range.lowerBound), .number(info.range.upperBound)],
      "isRangeEnforced": .boolean(info.isRangeEnforced),
      "default": .number(info.defaultValue),
      "isReadOnly": .boolean(info.isReadOnly),
      "isWritableWhileInitialized": .boolean(!info.isReadOnly),
      "flags": .number(info.flags),
      "canRamp": .boolean(info.canRamp),
      "valueNames": .strings(info.valueNames),
      "summary": .string(info.summary),
      "proposed": .string(info.setting.proposed),
    ]
  }

  // MARK: Markdown

  /// All components, with links to their pages in `units`.
  func overviewMarkdown() -> String {
    var overview = MarkdownTable(["Component", "Codes", "Inputs", "Outputs", "What it does"])
    for component in catalog.components {
      let codes = "`\(component.description.codes)`"
      let unit = component.unit.description
      overview.add([
        "[`\(unit.name)`](units/\(unit.name).md)", codes, unit.inputs.text, unit.outputs.text,
        unit.summary,
      ])
    }
    return overview.text
  }

  /// The properties that every unit has.
  func commonMarkdown() -> String { markdown(GenericProperties.all) }

  /// The buses, formats, properties and parameters of a unit.
  func markdown(of unit: UnitDescription) -> String {
    var text = "In Core Audio: `\(unit.constant)`"
    text += unit.aliases.isEmpty ? ".\n\n" : ", also \(codeList(unit.aliases)).\n\n"
    for line in buses(unit) + unit.formatNotes {
      text += "- \(line.split(separator: " ").joined(separator: " "))\n"
    }
    if !unit.properties.isEmpty { text += "\n## Properties\n\n" + markdown(unit.properties) }
    if !unit.parameters.isEmpty {
      text += "\n## Parameters\n\n" + markdown(unit.parameterRows)
    }
    return text
  }

  private func markdown(_ properties: [PropertyInfo]) -> String {
    var table = MarkdownTable([
      "Property", "Id", "Scopes", "Type", "Access", "Default", "What it is",
    ])
    for info in properties {
      let row = SettingRow(info, of: nil)
      table.add([
        "`\(info.key)`\(info.isPatchProperty ? "\\*" : "")", row.id, row.scopes, row.type,
        row.access, row.defaultValue, row.markdown,
      ])
    }
    return table.text
  }

  private func markdown(_ rows: [SettingRow]) -> String {
    var table = MarkdownTable([
      "Parameter", "Id", "Scope", "Unit", "Range", "Default", "Access", "What it is",
    ])
    for row in rows {
      table.add([
        "`\(row.setting.key)`", row.id, row.scopes, row.unit, row.range, row.defaultValue,
        row.access, row.markdown,
      ])
    }
    return table.text
  }

  private func codeList(_ names: [String]) -> String {
    names.map { "`\($0)`" }.joined(separator: ", ")
  }
}

extension ComponentDescription {
  /// `aumx mcmx appl`.
  fileprivate var codes: String {
    [type, subtype, manufacturer].map { $0.text ?? "\($0)" }.joined(separator: " ")
  }
}

extension String {
  /// The text with blanks at which no line is broken.
  fileprivate var nonBreaking: String {
    map { $0 == " " ? "\u{A0}" : String($0) }.joined()
  }
}
