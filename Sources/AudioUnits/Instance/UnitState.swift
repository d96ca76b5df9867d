import AudioTypes
import RenderCore

extension UnitInstance {
  /// What ClassInfo keeps of a unit: its parameters, the properties that belong to its sound, the
  /// names of its elements, and the preset in use.
  func classInfo(_ state: State) -> ClassInfo {
    var present = Preset(number: -1, name: "")
    let presetPlace = PropertyPlace(.presentPreset, .global, 0)
    if case .preset(let preset)? = state.values[presetPlace]
      ?? info(.presentPreset)?.defaultValue
    {
      present = preset
    }
    var info = ClassInfo(component: description.component, preset: present)
    if present.number < 0, let factory = state.factoryPreset {
      // The name is a user's, the sound is this one's.
      info.properties.append(.init(.presentPreset, .global, 0, .preset(factory)))
    }
    for scope in Scope.allCases {
      for element in 0..<state.count(scope) {
        for parameter in description.parameters(in: scope) where !parameter.isReadOnly {
          guard let slot = state.controls.slot(parameter.id, scope, element) else { continue }
          info.parameters.append(
            .init(parameter.id, scope, element, state.controls.block[slot]))
        }
        info.properties += settings(scope, element, state)
      }
    }
    return info
  }

  private func settings(
    _ scope: Scope, _ element: Int, _ state: State
  ) -> [ClassInfo.PropertySetting] {
    var found = properties.compactMap { info -> ClassInfo.PropertySetting? in
      guard info.isState, info.id != .presentPreset, info.scopes.contains(scope),
        let value = state.values[PropertyPlace(info.id, scope, element)]
      else { return nil }
      return .init(info.id, scope, element, value)
    }
    let name = state.elements(scope)?[element].name ?? (scope == .global ? state.globalName : nil)
    if let name { found.append(.init(.elementName, scope, element, .string(name))) }
    return found
  }

  /// Puts a state back. What it says of elements that are not there is passed over; what it does not
  /// mention stays. Every listener is told.
  ///
  /// - Throws: `kAudioUnitErr_InvalidPropertyValue` where it is the state of another kind of unit or
  ///   of another version; what a setting in it is refused with.
  func restore(_ saved: ClassInfo) throws(Violation) {
    guard saved.component == description.component, saved.version == 0 else {
      throw Violation(
        UnitRules.propertyValue, status: .invalidPropertyValue,
        saved.version == 0
          ? "this is the state of \(saved.component), not of a \(description.name)"
          : "this is a state of version \(saved.version), and there is only version 0",
        at: .init(node: nil, .property(.classInfo, .global, 0)))
    }
    for setting in saved.parameters where setting.element < elementCount(setting.scope) {
      try setParameter(setting.parameter, setting.scope, setting.element, to: setting.value)
    }
    // After the parameters, which would take the place of some.
    for setting in saved.properties where setting.element < elementCount(setting.scope) {
      try setProperty(setting.property, setting.scope, setting.element, to: setting.value)
    }
    if info(.presentPreset) != nil, !(saved.preset.number < 0 && saved.preset.name.isEmpty) {
      try setProperty(.presentPreset, to: .preset(saved.preset))
    }
  }
}
