import AudioTypes
import AudioUnits
public import PatchSyntax

extension BuiltPatch {
  /// The settings of a node's unit as a preset: those that differ from the settings of a new unit.
  /// `nil` where there is no such node.
  ///
  /// They are what ClassInfo saves (`kAudioUnitProperty_ClassInfo`), with the names that patches
  /// use.
  ///
  /// - Parameters:
  ///   - node: Its name; in a sub-graph `strip/eq`.
  ///   - name: The name of the preset; `nil` for none.
  public func preset(of node: String, named name: String?) -> JSONText? {
    guard let unit = unit(node) else { return nil }
    var members: [JSONText.Member] = []
    if let name { members.append(.init("name", .string(name))) }
    members.append(.init("component", .string(unit.description.name)))
    members += PresetText.settings(of: unit, .global, 0)
    if let bands = PresetText.bands(of: unit) { members.append(.init("bands", bands)) }
    for (scope, key) in [(Scope.input, "inputs"), (.output, "outputs")] {
      let buses = (0..<unit.elementCount(scope)).compactMap { bus -> JSONText.Member? in
        let settings = PresetText.settings(of: unit, scope, bus)
        return settings.isEmpty ? nil : .init("\(bus)", .object(settings))
      }
      if !buses.isEmpty { members.append(.init(key, .object(buses))) }
    }
    return .object(members)
  }
}

/// Writes the settings of a unit.
private enum PresetText {
  /// The properties and the parameters of an element, without those of bands.
  static func settings(
    of unit: UnitInstance, _ scope: Scope, _ element: Int
  ) -> [JSONText.Member] {
    var replaced: Set<UInt32> = []
    var hasFactoryPreset = false
    let properties = unit.properties.compactMap { info -> JSONText.Member? in
      guard info.isPatchProperty, info.isState, info.scopes.contains(scope),
        info.elements[scope, default: element] == element, unit.hasSet(info.id, scope, element),
        let value = try? unit.property(info.id, scope, element),
        value != info.scopeDefaults[scope] ?? info.defaultValue,
        let written = info.kind.written(value)
      else { return nil }
      if let parameter = info.replacedBy { replaced.insert(parameter) }
      if case .preset(let preset) = value, preset.number >= 0 { hasFactoryPreset = true }
      return .init(info.key, JSONText(written))
    }
    let parameters = unit.description.parameters(in: scope).compactMap {
      info -> JSONText.Member? in
      guard !info.isReadOnly, !info.isOfBand, !replaced.contains(info.id),
        let value = try? unit.parameter(info.id, scope, element),
        // The factory preset may set the parameter to another value.
        hasFactoryPreset || value != info.defaultValue
      else { return nil }
      return .init(info.key, JSONText(info.written(value)))
    }
    return [("properties", properties), ("parameters", parameters)].compactMap { key, members in
      members.isEmpty ? nil : .init(key, .object(members))
    }
  }

  /// The bands; `nil` for a unit without.
  static func bands(of unit: UnitInstance) -> JSONText? {
    guard let bands = unit.description.bands,
      case .uint32(let count)? = try? unit.property(bands.countProperty)
    else { return nil }
    let all = unit.description.parameters.filter(\.isOfBand)
    return .array(
      (0..<Int(count)).map { number in
        let own = all.filter { Int($0.path[1]) == number }
        return .object(
          own.compactMap { info in
            guard let value = try? unit.parameter(info.id, info.scope, 0) else { return nil }
            // A band of a patch is on unless its bypass is written.
            let isBypass = info.id == bands.bypass + UInt32(number)
            guard value != (isBypass ? 0 : info.defaultValue) else { return nil }
            return .init(info.path[2], JSONText(info.written(value)))
          })
      })
  }
}
