package import AudioTypes
import Synchronization

/// What a graph asks of each unit's type.
package struct UnitKind: Sendable {
  package let component: ComponentDescription
  /// Whether it is an I/O unit, with a device's two sides.
  package let isIO: Bool
  /// Whether it is an output unit, which ends the graph.
  package let isOutput: Bool

  package init(_ description: UnitDescription) {
    component = description.component
    isIO = component.type == .outputType && description.property(.enableIO) != nil
    isOutput = description.isOutput
  }
}

/// The data shared by all units of one type, made for the first of them and kept.
final class UnitBlueprint: Sendable {
  let description: UnitDescription
  let kind: UnitKind
  /// The generic properties and the unit's own, in the order of their numbers.
  let properties: [PropertyInfo]
  /// Properties that a parameter replaces.
  let replaceable: [PropertyInfo]
  let factoryPresets: [Preset]
  let controls: ControlMap
  /// The initial values of the properties.
  let values: [PropertyPlace: PropertyValue]
  /// The initial formats of an element.
  let initialInputFormat: StreamFormat
  let initialOutputFormat: StreamFormat
  /// Elements of new units, by scope: units share their memory until they change. Those that were
  /// asked for last, as units in a row often have as many.
  private let elements = Mutex<(inputs: [UnitInstance.Element], outputs: [UnitInstance.Element])>(
    ([], []))
  /// The outputs that a unit settled last.
  private let settledOutputs = Mutex<[UnitInstance.Element]>([])
  private let parameters: [ParameterInfo]
  /// Their numbers and scopes, side by side to be searched.
  private let parameterPlaces: [(id: UInt32, scope: Scope)]
  private let propertiesByID: [PropertyID: Int]
  private let propertiesByName: [String: Int]

  private struct Made {
    var blueprints: [ObjectIdentifier: UnitBlueprint] = [:]
    /// The one that was asked for last, as units in a row often have one type.
    var last: (unit: ObjectIdentifier, blueprint: UnitBlueprint)?
  }

  private static let made = Mutex(Made())

  /// The blueprint of a type of units.
  static func of(_ unit: any AudioUnit.Type) -> UnitBlueprint {
    made.withLock { made in
      let key = ObjectIdentifier(unit)
      if let last = made.last, last.unit == key { return last.blueprint }
      let blueprint = made.blueprints[key] ?? UnitBlueprint(unit)
      made.blueprints[key] = blueprint
      made.last = (key, blueprint)
      return blueprint
    }
  }

  private init(_ unit: any AudioUnit.Type) {
    let description = unit.description
    self.description = description
    kind = UnitKind(description)
    parameters = description.parameters
    parameterPlaces = description.parameters.map { ($0.id, $0.scope) }
    initialInputFormat = unit.initialFormat(.input)
    initialOutputFormat = unit.initialFormat(.output)
    let properties = GenericProperties.properties(of: description)
    self.properties = properties
    replaceable = properties.filter { $0.replacedBy != nil }
    if case .presets(let presets)? = description.property(.factoryPresets)?.defaultValue {
      factoryPresets = presets
    } else {
      factoryPresets = []
    }
    controls = ControlMap(description)
    propertiesByID = Dictionary(
      properties.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    propertiesByName = Dictionary(
      properties.enumerated().flatMap { [($1.key, $0), ($1.constant, $0)] },
      uniquingKeysWith: { first, _ in first })
    var values: [PropertyPlace: PropertyValue] = [:]
    for info in properties where info.isWritable {
      for (scope, value) in info.scopeDefaults {
        values[PropertyPlace(info.id, scope, info.elements[scope] ?? 0)] = value
      }
    }
    self.values = values
  }

  /// The elements of the input or the output scope of a new unit.
  func initialElements(_ scope: Scope, _ count: Int) -> [UnitInstance.Element] {
    elements.withLock { elements in
      let format = scope == .input ? initialInputFormat : initialOutputFormat
      let known = scope == .input ? elements.inputs : elements.outputs
      guard known.count != count else { return known }
      let new = (0..<count).map { _ in UnitInstance.Element(format: format, origin: .initial) }
      if scope == .input { elements.inputs = new } else { elements.outputs = new }
      return new
    }
  }

  /// The same outputs, in the memory of those that another unit has settled where these are equal.
  func sharing(outputs: [UnitInstance.Element]) -> [UnitInstance.Element] {
    settledOutputs.withLock { settled in
      if settled != outputs { settled = outputs }
      return settled
    }
  }

  func parameter(_ id: UInt32, _ scope: Scope) -> ParameterInfo? {
    parameterPlaces.firstIndex { $0.id == id && $0.scope == scope }.map { parameters[$0] }
  }

  /// A parameter by its key or its `k…` name.
  func parameter(named name: String, _ scope: Scope) -> ParameterInfo? {
    parameters.firstIndex {
      $0.scope == scope && ($0.key == name || $0.constant == name)
    }.map { parameters[$0] }
  }

  func property(_ id: PropertyID) -> PropertyInfo? { propertiesByID[id].map { properties[$0] } }

  /// A property by its key or its `kAudio…` name.
  func property(named name: String) -> PropertyInfo? {
    propertiesByName[name].map { properties[$0] }
  }
}
