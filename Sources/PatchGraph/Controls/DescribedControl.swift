import AudioTypes
import PatchSyntax

extension PatchControl {
  /// The control of a setting; `nil` for a text, a list of numbers, or presets that there are none
  /// of. The caller fills in its place and its value.
  ///
  /// - Parameters:
  ///   - key: Its name; `nil` for the setting's own.
  ///   - value: Its value at first; `nil` for the default value.
  init?(
    _ info: SettingInfo, named key: String? = nil, scope: Scope = .global,
    value: SettingValue? = nil
  ) {
    let kind: Kind
    switch info.kind {
    case .boolean: kind = .switch
    case .choice, .preset:
      if info.kind.names.isEmpty { return nil }
      kind = .list
    case .number, .integer:
      kind =
        switch info.unit {
        case .linearGain where (info.range?.lowerBound ?? 0) >= 0: .gain
        case .decibels: .decibels
        case .pan: .pan
        case .degrees: .angle
        case .meters: .distance
        case .hertz: .frequency
        default: .number
        }
    default: return nil
    }
    let range = kind == .switch || kind == .list ? nil : info.range
    let isBounded = range.map { $0.lowerBound.isFinite && $0.upperBound.isFinite } ?? false
    self.init(
      key ?? info.key, kind, scope: scope, unit: info.unit, range: isBounded ? range : nil,
      isRangeEnforced: info.isRangeEnforced,
      defaultValue: (info.defaultValue ?? value).map(JSONText.init) ?? .null,
      value: value.map(JSONText.init),
      choices: info.kind.names.map { Choice(value: .string($0), title: $0) },
      isWritable: info.change != .readOnly, summary: info.summary)
  }
}
