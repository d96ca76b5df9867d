package import AudioTypes

extension PropertyInfo {
  /// A value of the property, in a word or two; `-` for none.
  package func text(of value: PropertyValue?) -> String {
    if case .choice(let choices) = kind, case .uint32(let word)? = value {
      return choices.first { $0.value == word }?.name ?? "\(word)"
    }
    return switch value {
    case .uint32(let word): kind == .boolean ? (word == 0 ? "false" : "true") : "\(word)"
    case .float64(let number): rateText(number)
    case .string(let text): text
    case .preset(let preset):
      preset.number < 0 ? preset.name : "\(preset.number) \(preset.name)"
    case .presets(let presets): "\(presets.count) presets"
    case .status(let status): "\(status.rawValue)"
    case .streamFormat(let format): format.summary
    case .channelCounts(let counts):
      counts.map { "\($0.input)/\($0.output)" }.joined(separator: ", ")
    case .object(let object): object.object == nil ? "none" : "-"
    case .matrix(let rows):
      rows.map { $0.map { rateText(Double($0)) }.joined(separator: ", ") }.joined(separator: "; ")
    case .floats(let numbers): numbers.map { rateText(Double($0)) }.joined(separator: ", ")
    case .doubles, .ids, .integers, .parameterInfo, .strings, .parameterText, .classInfo, .clipping,
      .startTime, nil:
      "-"
    }
  }
}

/// A number as text, without a decimal point where it is whole.
package func plain(_ value: Float) -> String {
  value == value.rounded() && abs(value) < 1e6 ? String(Int(value)) : "\(value)"
}
