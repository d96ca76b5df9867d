/// Core Audio's values of properties, as patches write them and back.
extension SettingInfo.Kind {
  /// The value of a property as a patch writes it; `nil` for a structure.
  public func written(_ value: PropertyValue) -> SettingValue? {
    switch value {
    case .uint32(let word): self.value(of: Double(word))
    case .float64(let number): .number(number)
    case .string(let text): .text(text)
    case .preset(let preset): preset.number < 0 ? .preset(preset) : .text(preset.name)
    case .floats(let numbers): .list(numbers.map(\.decimal))
    case .integers(let numbers): .list(numbers.map(Double.init))
    case .matrix(let rows): .rows(rows.map { $0.map(\.decimal) })
    default: nil
    }
  }

  /// The value of a property that a patch writes; `nil` for one of another type, and for the name of
  /// a choice or a preset that there is not.
  public func stored(_ value: SettingValue?) -> PropertyValue? {
    switch (self, value) {
    case (.boolean, .boolean?), (.choice, _), (.integer, .number?):
      number(of: value).flatMap { UInt32(exactly: $0) }.map { .uint32($0) }
    case (.number, .number(let number)?): .float64(number)
    case (.text, .text(let text)?): .string(text)
    case (.list, .list(let numbers)?): Self.floats(numbers).map { .floats($0) }
    case (.integers, .list(let numbers)?):
      Self.each(numbers) { Int32(exactly: $0) }.map { .integers($0) }
    case (.rows, .rows(let rows)?): Self.each(rows, Self.floats).map { .matrix($0) }
    case (.preset(let presets), .text(let name)?):
      presets.first { $0.name == name }.map { .preset($0) }
    case (.preset, .number(let number)?):
      // The unit knows its presets, and says which they are.
      Int32(exactly: number).flatMap { $0 < 0 ? nil : .preset(Preset(number: $0, name: "")) }
    case (.preset, .preset(let preset)?): .preset(preset)
    default: nil
    }
  }

  private static func floats(_ numbers: [Double]) -> [Float]? {
    each(numbers) { Float($0).isFinite ? Float($0) : nil }
  }

  /// `nil` where one of the elements has no other form.
  private static func each<Element, Other>(
    _ elements: [Element], _ other: (Element) -> Other?
  ) -> [Other]? {
    let found = elements.compactMap(other)
    return found.count == elements.count ? found : nil
  }
}
