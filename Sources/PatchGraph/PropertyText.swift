package import AudioTypes

extension PropertyInfo {
  /// A value of the property, in a word or two; `-` for none.
  package func text(of value: PropertyValue?) -> String {
    switch value {
    case .preset(let preset)? where preset.number >= 0: "\(preset.number) \(preset.name)"
    case .presets(let presets)?: "\(presets.count) presets"
    case .status(let status)?: "\(status.rawValue)"
    case .streamFormat(let format)?: format.summary
    case .channelCounts(let counts)?:
      counts.map { "\($0.input)/\($0.output)" }.joined(separator: ", ")
    case .object(let object)?: object.object == nil ? "none" : "-"
    default: value.flatMap(kind.written)?.words ?? "-"
    }
  }
}
