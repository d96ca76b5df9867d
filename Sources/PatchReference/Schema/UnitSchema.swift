import AudioTypes
import AudioUnits
import PatchGraph
import PatchSyntax

/// The schemas of nodes: one for each unit, chosen by `component`.
struct UnitSchema {
  var catalog: UnitCatalog

  // MARK: Nodes

  /// The schema of any node. What depends on the unit is in the definition for its component.
  var node: JSONText {
    Schema.object(PatchGrammar.node.form).adding([
      "if": ["required": ["subgraph"]],
      "then": [
        "properties": [
          "component": false, "preset": false, "device": false, "properties": false,
          "parameters": Schema.setKnobs,
          "bands": false, "inputCount": false, "outputCount": false, "inputs": false,
          "outputs": false,
        ]
      ],
      "else": ["required": ["component"], "properties": ["settings": false]],
      "allOf": .array(
        catalog.components.map { component in
          [
            "if": [
              "properties": ["component": Schema.reference("names.\(component.name)")],
              "required": ["component"],
            ],
            "then": Schema.reference("node.\(component.name)"),
          ]
        }),
    ])
  }

  /// A component by name, or by its codes.
  var component: JSONText {
    let description =
      "Which audio unit the node is: its name, its kAudioUnitSubType_ name, its four-character "
      + "subtype, all three codes (aumx/mcmx/appl), or an object with type, subtype and "
      + "manufacturer."
    return [
      "description": .string(description),
      "anyOf": [
        [
          "enum": .strings(catalog.units.map { $0.description.name }),
          "enumDescriptions": .strings(catalog.units.map { $0.description.summary }),
        ],
        [
          "type": "string",
          "pattern": .string(
            "^(" + catalog.components.flatMap(namePatterns).joined(separator: "|") + ")$"),
        ],
        Schema.reference("componentDescription"),
      ],
    ]
  }

  var componentDescription: JSONText {
    Schema.object(
      PatchGrammar.component.form,
      with: [
        "type": code(
          "The type.", catalog.components.map(\.description.type),
          names: ComponentResolver.types.keys.sorted()),
        "subtype": code(
          "The subtype.", catalog.components.map(\.description.subtype),
          names: catalog.components.map(\.constant)),
        "manufacturer": code(
          "The manufacturer.", catalog.components.map(\.description.manufacturer),
          names: ["kAudioUnitManufacturer_Apple"]),
      ])
  }

  private func code(_ summary: String, _ codes: [FourCharCode], names: [String]) -> JSONText {
    var texts: [String] = []
    for text in codes.compactMap(\.text) where !texts.contains(text) { texts.append(text) }
    return [
      "description": .string(
        summary + " Four characters, a kAudio… name, or a number; 0 matches any."),
      "anyOf": [["enum": .strings(texts + names)], Schema.fourCharCode, Schema.unsigned],
    ]
  }

  /// Every spelling of a component as regular expressions.
  private func namePatterns(_ component: UnitCatalog.Component) -> [String] {
    let codes = [
      component.description.type.text, component.description.subtype.text,
      component.description.manufacturer.text,
    ].compactMap(\.self).map(escaped)
    return ([component.name, component.constant] + component.aliases).map(escaped)
      + (component.description.subtype.text.map { [escaped($0)] } ?? [])
      + ["[/ ]*" + codes.joined(separator: "[/ ]+") + "[/ ]*"]
  }

  // MARK: Definitions

  var definitions: [JSONText.Member] {
    catalog.components.flatMap { component in
      let unit = component.unit.description
      return [
        JSONText.Member("names.\(unit.name)", names(component)),
        JSONText.Member("node.\(unit.name)", node(unit)),
      ] + buses(unit, .input) + buses(unit, .output)
    }
  }

  /// The values of `component` that select a unit.
  private func names(_ component: UnitCatalog.Component) -> JSONText {
    let isAlone =
      catalog.count(matching: ComponentDescription(type: component.description.type)) == 1
    let subtype = native(component.description.subtype, [component.constant])
    var descriptions: [JSONText] = [
      ["properties": ["subtype": ["enum": .array(subtype)]], "required": ["subtype"]]
    ]
    if isAlone {
      // No other unit has the type, so it selects the unit without a subtype.
      descriptions.append([
        "properties": [
          "type": [
            "enum": .array(
              native(
                component.description.type,
                ComponentResolver.types.filter { $0.value == component.description.type }
                  .keys.sorted()))
          ],
          "subtype": ["const": 0],
        ],
        "required": ["type"],
      ])
    }
    return [
      "anyOf": [
        [
          "type": "string",
          "pattern": .string("^(" + namePatterns(component).joined(separator: "|") + ")$"),
        ],
        ["type": "object", "anyOf": .array(descriptions)],
      ]
    ]
  }

  private func native(_ code: FourCharCode, _ names: [String]) -> [JSONText] {
    (code.text.map { [.string($0)] } ?? []) + names.map(JSONText.string)
      + [.number(code.rawValue)]
  }

  private func node(_ unit: UnitDescription) -> JSONText {
    [
      "description": .string(unit.summary),
      "properties": [
        "properties": settings(
          "The properties of the \(unit.name)'s global scope.",
          properties(of: unit, .global, 0),
          at: "node.\(unit.name)/properties/properties"),
        "parameters": settings(
          "The parameters of the \(unit.name)'s global scope.",
          parameters(of: unit, .global),
          at: "node.\(unit.name)/properties/parameters"),
        "bands": bands(unit),
        "device": unit.property(.enableIO) == nil ? false : Schema.reference("device"),
        "inputCount": count(unit, .input),
        "outputCount": count(unit, .output),
        "inputs": elements(unit, .input),
        "outputs": elements(unit, .output),
      ],
    ]
  }

  private func bands(_ unit: UnitDescription) -> JSONText {
    guard let bands = unit.bands else { return false }
    return [
      "description": .string(
        "The bands of the \(unit.name) in order, as many as it has unless its properties say more. One "
          + "that is written here is on unless it has \"bypass\": true."),
      "type": "array",
      "minItems": 1,
      "maxItems": .number(bands.maximumCount),
      "items": settings(
        "A band of the \(unit.name).",
        bands.parameters.map { info in
          var info = info
          if info.id == bands.bypass { info.setting.defaultValue = .boolean(false) }
          return Setting(info.setting)
        } + [Setting(key: "count", constant: "count", value: Schema.copyCount)],
        at: "node.\(unit.name)/properties/bands/items"),
    ]
  }

  private func count(_ unit: UnitDescription, _ scope: Scope) -> JSONText {
    let buses = scope == .input ? unit.inputs : unit.outputs
    guard let range = buses.settable else {
      let phrase = withArticle(unit.name)
      return [
        "description": .string(
          "\(phrase.prefix(1).uppercased())\(phrase.dropFirst()) always has \(counted(buses.count, "\(scope)", "\(scope)s"))."
        ),
        "const": .number(buses.count),
      ]
    }
    return [
      "description": .string(
        "How many \(scope)s the \(unit.name) has (ElementCount of the \(scope) scope), from "
          + "\(range.lowerBound) to \(range.upperBound)."),
      "type": "integer",
      "minimum": .number(range.lowerBound),
      "maximum": .number(range.upperBound),
      "default": .number(buses.count),
    ]
  }

  /// The buses of one scope by number.
  private func elements(_ unit: UnitDescription, _ scope: Scope) -> JSONText {
    let buses = scope == .input ? unit.inputs : unit.outputs
    var members: [JSONText.Member] = [
      .init(
        "description",
        .string(
          "The \(scope) buses of the \(unit.name) by number.\n"
            + unit.formatNotes.joined(separator: "\n"))),
      .init("type", "object"),
      .init(
        "properties",
        JSONText.object(
          (0..<buses.count).map {
            .init("\($0)", Schema.reference(busDefinition(unit, scope, $0)))
          }
        ).adding(["comment": Schema.reference("comment")])),
    ]
    // A repetition keys its buses by formulas.
    var patterns = [JSONText.Member(Schema.formulaPattern, ["type": "object"])]
    if buses.settable != nil {
      let any = Schema.reference(busDefinition(unit, scope, buses.count))
      patterns = [.init(Schema.busPattern, any), .init(Schema.formulaPattern, any)]
    }
    members.append(.init("patternProperties", .object(patterns)))
    members.append(.init("additionalProperties", false))
    return .object(members)
  }

  /// The name of an element's definition. The elements of a scope share a definition where all have
  /// the same properties; otherwise each has its own.
  private func busDefinition(_ unit: UnitDescription, _ scope: Scope, _ element: Int) -> String {
    let name = "\(scope).\(unit.name)"
    return hasSpecialElements(unit, scope) ? "\(name).\(element)" : name
  }

  private func hasSpecialElements(_ unit: UnitDescription, _ scope: Scope) -> Bool {
    unit.properties.contains { $0.isPatchProperty && $0.elements[scope] != nil }
  }

  private func buses(_ unit: UnitDescription, _ scope: Scope) -> [JSONText.Member] {
    let buses = scope == .input ? unit.inputs : unit.outputs
    guard buses.count > 0 || buses.settable != nil else { return [] }
    // Where the number of buses may be set, a further element represents all buses beyond those of
    // a fresh unit.
    let last = buses.settable == nil ? buses.count - 1 : buses.count
    let elements = hasSpecialElements(unit, scope) ? Array(0...last) : [0]
    return elements.map { element in
      let hasOwnDefinition = elements.count > 1
      let bus =
        hasOwnDefinition
        ? "\(scope) bus \(element) of \(withArticle(unit.name))"
        : "\(scope) bus of \(withArticle(unit.name))"
      let definition = busDefinition(unit, scope, element)
      return .init(
        definition,
        Schema.object(
          PatchGrammar.bus.form,
          summary: "An \(bus).\n" + unit.formatNotes.joined(separator: "\n"),
          with: [
            "properties": settings(
              "The properties of the \(bus).",
              properties(of: unit, scope, element),
              at: "\(definition)/properties/properties"),
            "parameters": settings(
              "The parameters of the \(bus).",
              parameters(of: unit, scope),
              at: "\(definition)/properties/parameters"),
          ]))
    }
  }

  // MARK: Properties and parameters

  /// A property or parameter: its key, its `kAudio…` name, the schema of its value.
  struct Setting {
    var key: String
    var constant: String
    var value: JSONText

    init(_ info: SettingInfo) {
      key = info.key
      constant = info.constant
      value = SettingSchema.value(info)
    }

    init(key: String, constant: String, value: JSONText) {
      self.key = key
      self.constant = constant
      self.value = value
    }
  }

  /// The schema of an object of settings, which is at `path` in the definitions.
  func settings(
    _ summary: String, _ settings: [Setting], at path: String
  ) -> JSONText {
    var members: [JSONText.Member] = [
      .init("description", .string(summary)),
      .init("type", "object"),
      .init(
        "properties",
        JSONText.object(settings.map { .init($0.key, $0.value) })
          .adding(["comment": Schema.reference("comment")])),
    ]
    if !settings.isEmpty {
      // The names of Core Audio's headers are valid too; an editor offers the short ones.
      members.append(
        .init(
          "patternProperties",
          .object(
            settings.map {
              .init(
                "^\(escaped($0.constant))$",
                Schema.reference("\(path)/properties/\($0.key)"))
            })))
    }
    members.append(.init("additionalProperties", false))
    return .object(members)
  }

  private func properties(
    of unit: UnitDescription, _ scope: Scope, _ element: Int
  ) -> [Setting] {
    GenericProperties.properties(of: unit).filter { info in
      info.isPatchProperty && info.scopes.contains(scope) && info.access != .readOnly
        && (info.elements[scope].map { $0 == element } ?? true)
    }.map { Setting($0.setting(in: scope)) }
  }

  private func parameters(of unit: UnitDescription, _ scope: Scope) -> [Setting] {
    unit.parameters(in: scope).filter { !$0.isReadOnly && !$0.isOfBand }.map {
      Setting($0.setting)
    }
  }
}

/// A text as a regular expression that matches it alone.
private func escaped(_ text: String) -> String {
  var pattern = ""
  for character in text {
    if "\\^$.|?*+()[]{}/".contains(character) { pattern += "\\" }
    pattern.append(character)
  }
  return pattern
}

/// `1 input`, `2 inputs`.
func counted(_ count: Int, _ one: String, _ more: String) -> String {
  "\(count) \(count == 1 ? one : more)"
}
