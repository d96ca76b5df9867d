public import AudioTypes
import RenderCore
import Synchronization

/// The settings of a unit, beside its formats and its numbers of elements.
public struct UnitSettings: Hashable, Sendable {
  /// Every property that has been set or has a default, including the names of elements; without
  /// properties that only a program can set.
  public var properties: [PropertyPlace: PropertyValue] = [:]
  /// Every parameter that can be set.
  public var parameters: [ParameterPlace: Float] = [:]
}

extension UnitInstance.State {
  /// Identifies the settings: by the unit that they were taken over from, and its version then, as
  /// long as they have not changed since; else by the unit itself.
  fileprivate func origin(_ serial: Int) -> Origin {
    if let taken, taken.at == version { return taken.origin }
    return Origin(serial: serial, version: version)
  }
}

extension UnitInstance {
  /// The unit's present settings.
  public var settings: UnitSettings {
    state.withLock { state in
      var settings = UnitSettings()
      for (place, value) in state.values {
        if case .object = value { continue }
        guard info(place.id)?.isWritable == true else { continue }
        settings.properties[place] = value
      }
      if let name = state.rare.globalName {
        settings.properties[PropertyPlace(.elementName, .global, 0)] = .string(name)
      }
      for (scope, elements) in [(Scope.input, state.inputs), (.output, state.outputs)] {
        for (index, element) in elements.enumerated() {
          guard let name = element.name else { continue }
          settings.properties[PropertyPlace(.elementName, scope, index)] = .string(name)
        }
      }
      for info in description.parameters where !info.isReadOnly {
        for element in 0..<state.count(info.scope) {
          guard let slot = state.controls.slot(info.id, info.scope, element) else { continue }
          let value = state.controls.block.stored(slot)
          settings.parameters[.init(info.id, info.scope, element)] = value
        }
      }
      return settings
    }
  }

  /// Takes over the settings of another unit, where both are of one type, as new, and have as many
  /// elements. Returns whether it did.
  package func takeSettings(of other: UnitInstance) -> Bool {
    guard unit == other.unit, !description.isOutput else { return false }
    // Not all of the state, most of which is not taken.
    let before = other.state.withLock { state in
      (
        inputs: state.inputs, outputs: state.outputs, values: state.values,
        maximumFramesPerSlice: state.maximumFramesPerSlice,
        rare: state.isPlain ? nil : state.rare, generation: state.generation,
        block: state.controls.block,
        origin: state.origin(other.serial), isInitialized: state.isInitialized
      )
    }
    return state.withLock { state in
      guard state.inputs.count == before.inputs.count,
        state.outputs.count == before.outputs.count,
        !before.isInitialized, !state.isInitialized
      else { return false }
      (state.inputs, state.outputs) = (before.inputs, before.outputs)
      if before.rare != nil || !state.isPlain {
        state.rare.globalName = before.rare?.globalName
        state.rare.factoryPreset = before.rare?.factoryPreset
      }
      (state.maximumFramesPerSlice, state.values) = (before.maximumFramesPerSlice, before.values)
      state.generation = before.generation
      state.controls.block.copy(before.block)
      state.taken = (before.origin, state.version)
      return true
    }
  }

  /// The controls, where the configuration is but for them that of another unit, which the settings
  /// have been taken over from, or which has taken them over from the same one; `nil` for any other.
  package func controls(ifConfiguredAs other: UnitInstance) -> ControlLayout? {
    let (origin, uses) = other.state.withLock {
      ($0.origin(other.serial), ($0.inputUses, $0.outputUses))
    }
    return state.withLock { state in
      state.origin(serial) == origin && (state.inputUses, state.outputUses) == uses
        ? state.controls : nil
    }
  }

  /// A unit of the same type with the same settings, in no graph and not initialized.
  public func copy() -> UnitInstance {
    let original = state.withLock { $0 }
    let copy = UnitInstance(unit)
    let controls = ControlLayout(
      description, inputCount: original.inputs.count, outputCount: original.outputs.count)
    for index in 0..<controls.block.count {
      controls.block[word: index] = original.controls.block[word: index]
    }
    copy.state.withLock { state in
      state.inputs = original.inputs
      state.outputs = original.outputs
      state.rare.globalName = original.rare.globalName
      state.maximumFramesPerSlice = original.maximumFramesPerSlice
      state.values = original.values.filter {
        if case .object = $0.value { false } else { true }
      }
      state.controls = controls
      state.rare.deviceFormats = original.rare.deviceFormats
      state.rare.factoryPreset = original.rare.factoryPreset
      state.generation = original.generation
    }
    if original.isInitialized { copy.forgetConfiguration() }
    return copy
  }
}
