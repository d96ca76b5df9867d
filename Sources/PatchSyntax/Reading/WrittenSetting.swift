public import AudioTypes

extension JSONValue {
  /// The value of a setting; `nil` for JSON of another type. The names of choices and presets and
  /// the ranges of numbers are checked elsewhere.
  public func value(for setting: SettingInfo) -> SettingValue? {
    switch setting.kind {
    case .number, .integer:
      return number(in: Quantity.Measure(setting.unit)).flatMap { $0.isFinite ? .number($0) : nil }
    case .boolean:
      if let flag = bool { return .boolean(flag) }
      return setting.unit == .boolean ? number.map { .number($0) } : nil
    case .choice(let choices):
      if let string { return .text(string) }
      return choices.contains { $0.value != nil } ? integer.map { .number(Double($0)) } : nil
    case .path, .text, .symbol, .expression: return string.map { .text($0) }
    case .numbers, .structure: return nil
    case .list: return list(of: .number).map { .list($0) }
    case .integers:
      guard let list = list(of: .number), elements.allSatisfy({ $0.integer != nil }) else {
        return nil
      }
      return .list(list)
    case .rows:
      let rows = elements.compactMap { $0.list(of: .decibels) }
      let isWhole = kind == .array && rows.count == elements.reduce(0) { count, _ in count + 1 }
      let width = rows.first?.count ?? 0
      return isWhole && width > 0 && rows.allSatisfy { $0.count == width } ? .rows(rows) : nil
    case .preset:
      return string.map { .text($0) } ?? integer.map { .number(Double($0)) }
        ?? ownPreset.map { .preset($0) }
    }
  }

  /// The number of a setting's value: 1 for `true`, that of a choice; `nil` for a value without one.
  public func number(for setting: SettingInfo) -> Double? {
    setting.kind.number(of: value(for: setting))
  }

  /// The numbers of an array; `nil` where an element is none.
  private func list(of measure: Quantity.Measure) -> [Double]? {
    guard kind == .array else { return nil }
    var numbers: [Double] = []
    for element in elements {
      guard let number = element.number(in: measure), number.isFinite else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// A preset of the user's own: a number below 0 and a name.
  private var ownPreset: Preset? {
    let keys = members.compactMap { $0.key.string }
    guard keys.allSatisfy({ ["number", "name", "comment"].contains($0) }),
      let number = self["number"]?.integer.flatMap({ Int32(exactly: $0) }), number < 0,
      let name = self["name"]?.string, !name.isEmpty
    else { return nil }
    return Preset(number: number, name: name)
  }
}

extension JSONText {
  /// The value of a setting as a document writes it.
  public init(_ value: SettingValue) {
    switch value {
    case .number(let number): self = .number(number)
    case .text(let text): self = .string(text)
    case .boolean(let flag): self = .boolean(flag)
    case .numbers(let numbers):
      self = .object(numbers.sorted { $0.key < $1.key }.map { Member($0.key, .number($0.value)) })
    case .list(let list): self = .array(list.map { .number($0) })
    case .rows(let rows): self = .array(rows.map { .array($0.map { .number($0) }) })
    case .preset(let preset):
      self = ["number": .number(preset.number), "name": .string(preset.name)]
    }
  }
}

extension SettingInfo {
  /// `expectation`, with the texts that a number may be written as.
  public var writtenExpectation: String {
    switch kind {
    case .number, .integer: expectation + WrittenQuantity.alternative(for: Quantity.Measure(unit))
    default: expectation
    }
  }
}
