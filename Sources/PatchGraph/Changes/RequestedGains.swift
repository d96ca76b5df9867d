import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Glibc
import PatchSyntax
import RenderCallbacks
import RenderCore

/// Finds the gains in a request that are above the limit of the patch.
enum RequestedGains {
  /// - Parameters:
  ///   - old: The patch that plays.
  ///   - new: The patch that the request would make, without errors.
  static func diagnostics(from old: BuiltPatch, to new: BuiltPatch) -> [Diagnostic] {
    let limit = new.layout.limits.requestedGain
    return parameters(old, new, limit) + levels(old, new, limit) + ramps(old, new, limit)
      + settings(old, new, limit)
  }

  /// A gain in decibels; `nil` for another unit.
  private static func decibels(_ value: Double, _ unit: ParameterUnit) -> Double? {
    switch unit {
    case .linearGain: value == 0 ? -.infinity : 20 * log10(value.magnitude)
    case .decibels: value
    default: nil
    }
  }

  private static func parameters(
    _ old: BuiltPatch, _ new: BuiltPatch, _ limit: Double
  ) -> [Diagnostic] {
    let inQuestion = new.origin.flatMap { $0.graph === old.graph ? $0.nodes : nil }
    var found: [Diagnostic] = []
    for name in new.layout.nodeNames {
      if let inQuestion, !inQuestion.contains(name), old.layout.nodes[name] != nil { continue }
      guard let unit = new.unit(name) else { continue }
      // Read once: `settings` collects all settings at each call, and an NBandEQ has hundreds.
      let before = old.unit(name)?.settings.parameters ?? [:]
      let now = unit.settings.parameters
      let places = now.keys.sorted {
        ($0.scope.rawValue, $0.element, $0.id) < ($1.scope.rawValue, $1.element, $1.id)
      }
      for place in places {
        guard let value = now[place], before[place] != value,
          let info = unit.parameterInfo(place.id, place.scope),
          let level = decibels(Double(value), info.unit), level > limit
        else { continue }
        let bus: [String] =
          switch place.scope {
          case .global: []
          case .input: ["inputs", String(place.element)]
          case .output: ["outputs", String(place.element)]
          }
        found.append(
          .tooLoud(
            info.key, of: name, level, limit, new, ["nodes", name] + bus + info.path.dropLast()))
      }
    }
    return found
  }

  private static func ramps(
    _ old: BuiltPatch, _ new: BuiltPatch, _ limit: Double
  ) -> [Diagnostic] {
    let known = Set(old.ramps.map(\.ramp.target))
    return new.ramps.compactMap { name, ramp in
      guard !known.contains(ramp.target), let unit = new.unit(name) else { return nil }
      let info = unit.parameterInfo(ramp.parameter, ramp.scope)
      // A parameter without a description is a level of a matrix.
      guard let level = decibels(Double(ramp.target), info?.unit ?? .linearGain), level > limit
      else { return nil }
      return .tooLoud(info?.key ?? "matrixLevels", of: name, level, limit, new, ["timeline"])
    }
  }

  /// The levels of matrices that are too loud.
  private static func levels(
    _ old: BuiltPatch, _ new: BuiltPatch, _ limit: Double
  ) -> [Diagnostic] {
    new.layout.nodeNames.flatMap { name -> [Diagnostic] in
      guard let unit = new.unit(name), unit.info(.matrixLevels) != nil else { return [] }
      let before = old.unit(name)?.settings.properties ?? [:]
      return unit.settings.properties.compactMap { place, value -> (PropertyPlace, Double)? in
        guard place.id == .matrixLevels, before[place] != value else { return nil }
        let (known, levels) = (numbers(before[place]), numbers(value))
        let louder = levels.indices.filter {
          !known.indices.contains($0) || known[$0] != levels[$0]
        }
        let most = louder.map { levels[$0].magnitude }.max() ?? 0
        guard let level = decibels(Double(most), .linearGain), level > limit else { return nil }
        return (place, level)
      }.sorted { $0.0.element < $1.0.element }.map { place, level in
        let bus = place.scope == .input ? ["inputs", String(place.element)] : []
        return .tooLoud(
          "matrixLevels", of: name, level, limit, new, ["nodes", name] + bus + ["properties"])
      }
    }
  }

  private static func numbers(_ value: PropertyValue?) -> [Float] {
    switch value {
    case .matrix(let rows)?: rows.flatMap(\.self)
    case .floats(let numbers)?: numbers
    default: []
    }
  }

  /// The number of a callback's setting. The value that a knob sets follows the written one, so the
  /// last one counts.
  private static func number(_ info: SettingInfo, of callback: PatchDocument.Callback) -> Double? {
    callback.fields.last { $0.name == info.key }?.value.number(in: SettingReader.measure(of: info))
  }

  private static func settings(
    _ old: BuiltPatch, _ new: BuiltPatch, _ limit: Double
  ) -> [Diagnostic] {
    guard let document = new.document else { return [] }
    let before = Dictionary(
      (old.document?.callbacks ?? []).map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first })
    var found: [Diagnostic] = []
    for callback in document.callbacks {
      guard
        let kind = CallbackCatalog.standard.first(where: {
          $0.kind == callback.value.kind?.value
        })
      else { continue }
      for info in kind.settings {
        guard
          let value = number(info, of: callback.value),
          before[callback.name].flatMap({ number(info, of: $0) }) != value,
          let level = decibels(value, info.unit), level > limit
        else { continue }
        found.append(
          .tooLoud(info.key, of: callback.name, level, limit, new, ["callbacks", callback.name]))
      }
    }
    return found
  }
}

extension BuiltPatch {
  /// The unit of a node, in the graph of this patch.
  fileprivate func unit(_ name: String) -> UnitInstance? {
    layout.nodes[name].flatMap { try? graph?.unit($0) }
  }
}

extension Diagnostic {
  /// - Parameter place: The keys that lead to the value. Keys that the document does not have are
  ///   skipped.
  fileprivate static func tooLoud(
    _ key: String, of name: String, _ level: Double, _ limit: Double, _ patch: BuiltPatch,
    _ place: [String]
  ) -> Diagnostic {
    var value = patch.document?.root
    for token in place + [key] { value = value?[JSONPointer([token])] ?? value }
    let text = OutputLimits.decibelText(level)
    return LimitRules.requestedGain.diagnostic(
      "\(Message(quoted(key))) of \(Message(quoted(name))) would be \(Message(text)) dB",
      at: value?.markRange ?? 0..<0, pointer: value?.pointer.description,
      label: "a request may set up to \(Message(OutputLimits.decibelText(limit))) dB",
      help: ["the patch allows more with \"limits\": { \"requestedGain\": \"\(text) dB\" }"])
  }
}
