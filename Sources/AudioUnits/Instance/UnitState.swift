import AudioTypes
import RenderCore
import Synchronization

extension UnitInstance {
  /// The value of ClassInfo: the parameters, the properties that belong to the sound, the names of
  /// the elements, and the present preset.
  func classInfo(_ state: State) -> ClassInfo {
    var present = Preset(number: -1, name: "")
    let presetPlace = PropertyPlace(.presentPreset, .global, 0)
    if case .preset(let preset)? = state.values[presetPlace]
      ?? info(.presentPreset)?.defaultValue
    {
      present = preset
    }
    var info = ClassInfo(component: description.component, preset: present)
    if present.number < 0, let factory = state.rare.factoryPreset {
      // The preset has the user's name, and the sound of the factory preset.
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
    // A matrix property that has been set contains all levels.
    if state.values[PropertyPlace(.matrixLevels, .global, 0)] == nil {
      for place in unit.parametersToSave(in: state.controls) {
        guard
          let slot = unit.controlSlot(of: place.id, place.scope, place.element, in: state.controls)
        else { continue }
        info.parameters.append(
          .init(place.id, place.scope, place.element, state.controls.block[slot]))
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
    let name =
      state.elements(scope)?[element].name ?? (scope == .global ? state.rare.globalName : nil)
    if let name { found.append(.init(.elementName, scope, element, .string(name))) }
    return found
  }

  /// Restores a state, and calls every listener. Settings of elements that do not exist are
  /// skipped. What the state does not mention stays, except the levels of a matrix: where it
  /// mentions one, the others get their initial values.
  ///
  /// - Throws: `kAudioUnitErr_InvalidPropertyValue` for the state of another kind of unit or of
  ///   another version; the violation of a setting that the unit refuses.
  func restore(_ saved: ClassInfo) throws(Violation) {
    guard saved.component == description.component, saved.version == 0 else {
      throw Violation(
        UnitRules.propertyValue, status: .invalidPropertyValue,
        saved.version == 0
          ? "this is the state of \(saved.component), not of \(withArticle(description.name))"
          : "this is a state of version \(saved.version), and there is only version 0",
        at: .init(node: nil, .property(.classInfo, .global, 0)))
    }
    let controls = state.withLock { $0.controls }
    var apart: Set<ParameterPlace> = []
    for setting in saved.parameters {
      let (parameter, scope, element) = (setting.parameter, setting.scope, setting.element)
      if unit.controlSlot(of: parameter, scope, element, in: controls) != nil {
        apart.insert(.init(parameter, scope, element))
      } else if element >= elementCount(scope) {
        continue
      }
      try setParameter(parameter, scope, element, to: setting.value)
    }
    if !apart.isEmpty { try resetOthers(apart, controls) }
    // After the parameters, which replace some properties.
    for setting in saved.properties where setting.element < elementCount(setting.scope) {
      try setProperty(setting.property, setting.scope, setting.element, to: setting.value)
    }
    if info(.presentPreset) != nil, !(saved.preset.number < 0 && saved.preset.name.isEmpty) {
      try setProperty(.presentPreset, to: .preset(saved.preset))
    }
    // The preset has overwritten parameters that may have been changed after it was chosen.
    guard let preset = state.withLock({ $0.rare.factoryPreset }) else { return }
    let changed = unit.parameters(ofPreset: preset.number)
    for setting in saved.parameters where changed[setting.parameter] != nil {
      try setParameter(setting.parameter, setting.scope, setting.element, to: setting.value)
    }
  }

  /// Sets the parameters with a word from `controlSlot`, except those in `kept`, to their initial
  /// values.
  private func resetOthers(
    _ kept: Set<ParameterPlace>, _ controls: ControlLayout
  ) throws(Violation) {
    for place in unit.parametersToSave(in: controls) where !kept.contains(place) {
      guard let slot = unit.controlSlot(of: place.id, place.scope, place.element, in: controls)
      else { continue }
      let word = blueprint.controls.global.initial[slot]
      try setParameter(place.id, place.scope, place.element, to: Float(bitPattern: word))
    }
  }
}
