import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Glibc
import PatchSyntax
import RenderCallbacks

/// Finds the gains in a request that are above the limit of the patch.
struct RequestedGains {
  private typealias Message = Diagnostic.Message

  private let difference: GraphDifference
  private let new: BuiltPatch
  private let limit: Double

  /// - Parameters:
  ///   - difference: That of the patch that plays and the one that the request would make, both
  ///     without errors.
  ///   - limit: In decibels.
  static func diagnostics(of difference: GraphDifference, above limit: Double) -> [Diagnostic] {
    let gains = RequestedGains(difference: difference, new: difference.new, limit: limit)
    return gains.units() + gains.ramps() + gains.callbacks()
  }

  /// A gain in decibels; `nil` for another unit.
  private static func decibels(_ value: Double, _ unit: ParameterUnit) -> Double? {
    switch unit {
    case .linearGain: value == 0 ? -.infinity : 20 * log10(value.magnitude)
    case .decibels: value
    default: nil
    }
  }

  /// The parameters and the levels of matrices that are too loud.
  private func units() -> [Diagnostic] {
    (difference.settings + difference.initialSettings).compactMap { setting in
      switch setting {
      case .parameter(let name, let place, let value):
        guard let info = new.unit(name)?.parameterInfo(place.id, place.scope) else { return nil }
        return tooLoud(
          Double(value), info.unit, info.key, of: name,
          GraphDifference.pointer(name, place.scope, place.element, info.path))
      case .property(let name, let place, let value) where place.id == .matrixLevels:
        let known = Self.numbers(difference.old.unit(name)?.settings.properties[place])
        let levels = Self.numbers(value)
        let louder = levels.indices.filter {
          !known.indices.contains($0) || known[$0] != levels[$0]
        }
        return tooLoud(
          Double(louder.map { levels[$0].magnitude }.max() ?? 0), .linearGain, "matrixLevels",
          of: name,
          GraphDifference.pointer(name, place.scope, place.element, ["properties", "matrixLevels"]))
      case .property, .live: return nil
      }
    }
  }

  private func ramps() -> [Diagnostic] {
    guard difference.changesTimeline else { return [] }
    let known = Set(difference.old.ramps.map(\.ramp.target))
    return new.ramps.compactMap { name, ramp in
      guard !known.contains(ramp.target), let unit = new.unit(name) else { return nil }
      let info = unit.parameterInfo(ramp.parameter, ramp.scope)
      // A parameter without a description is a level of a matrix.
      let key = info?.key ?? "matrixLevels"
      return tooLoud(
        Double(ramp.target), info?.unit ?? .linearGain, key, of: name,
        JSONPointer(["timeline", key]))
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
    callback.fields.last { $0.name == info.key }?.value.number(for: info)
  }

  /// The settings of callbacks that are too loud. A callback that feeds nothing is not heard, but
  /// a later request may connect it.
  private func callbacks() -> [Diagnostic] {
    func written(_ patch: BuiltPatch) -> [PatchDocument.Member<PatchDocument.Callback>] {
      let names = difference.origin?.callbacks.present
      return (patch.document?.callbacks ?? []).filter { names?.contains($0.name) ?? true }
    }
    let before = Dictionary(
      written(difference.old).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    return written(new).flatMap { callback in
      let kind = CallbackCatalog.standard.first { $0.kind == callback.value.kind?.value }
      return (kind?.settings ?? []).compactMap { info -> Diagnostic? in
        guard let value = Self.number(info, of: callback.value),
          before[callback.name].flatMap({ Self.number(info, of: $0) }) != value
        else { return nil }
        return tooLoud(
          value, info.unit, info.key, of: callback.name,
          JSONPointer(["callbacks", callback.name, info.key]))
      }
    }
  }

  /// The diagnostic of a gain; `nil` where it is not above the limit.
  ///
  /// - Parameter place: Its place. Keys that the document does not have are skipped.
  private func tooLoud(
    _ gain: Double, _ unit: ParameterUnit, _ key: String, of name: String, _ place: JSONPointer
  ) -> Diagnostic? {
    guard let level = Self.decibels(gain, unit), level > limit else { return nil }
    var value = new.document?.root
    for token in place.tokens { value = value?[JSONPointer([token])] ?? value }
    let text = OutputLimits.decibelText(level)
    return LimitRules.requestedGain.diagnostic(
      "\(Message(quoted(key))) of \(Message(quoted(name))) would be \(Message(text)) dB",
      at: value?.markRange ?? 0..<0, pointer: value?.pointer.description,
      label: "a request may set up to \(Message(OutputLimits.decibelText(limit))) dB",
      help: ["the patch allows more with \"limits\": { \"requestedGain\": \"\(text) dB\" }"])
  }
}
