public import AudioTypes

extension UnitInstance {
  /// The size of a property's value in Core Audio, in bytes on a machine with 64 bits, and whether
  /// it may be set now (`AudioUnitGetPropertyInfo`).
  ///
  /// - Throws: `kAudioUnitErr_InvalidProperty`, `…InvalidScope`, `…InvalidElement`; for a list,
  ///   what reading it throws.
  public func propertyInfo(
    _ id: PropertyID, _ scope: Scope = .global, _ element: Int = 0
  ) throws(Violation) -> (size: Int, isWritable: Bool) {
    let isWritable = try isWritable(id, scope, element)
    if let size = info(id)?.size { return (size, isWritable) }
    return (try property(id, scope, element).listSize ?? 0, isWritable)
  }

  /// The answer of a property to a question: the name of a parameter's value, the value with a
  /// name, the name of a parameter or of a clump.
  ///
  /// - Throws: What `property(_:_:_:)` throws; `kAudioUnitErr_InvalidParameter` for a parameter
  ///   that does not exist; `kAudioUnitErr_InvalidPropertyValue` for a text without a value and for
  ///   clump 0, which is reserved; `kAudioUnitErr_PropertyNotInUse` for any other clump, because no
  ///   unit has clumps.
  public func property(
    _ id: PropertyID, _ scope: Scope = .global, _ element: Int = 0, asking question: ParameterText
  ) throws(Violation) -> ParameterText {
    let info = try checkedInfo(id, scope, element)
    guard info.kind == .structure(.parameterText) else {
      throw PropertyCheck.wrongKind(info, .init(node: nil, .property(id, scope, element)))
    }
    if id == .parameterClumpName { throw noClump(question.parameter, scope, element) }
    let parameter = try describedParameter(question.parameter, id, scope)
    var answer = question
    switch id {
    case .parameterIDName:
      answer.text =
        question.length.map { String(parameter.name.prefix(max(0, $0))) }
        ?? parameter.name
    case .parameterStringFromValue:
      let value: Float
      if let asked = question.value {
        value = asked
      } else {
        value = try self.parameter(parameter.id, scope, element)
      }
      answer.value = value
      answer.text = parameter.text(of: value)
    default:
      guard let value = question.text.flatMap({ parameter.value(of: $0) }) else {
        throw Violation(
          UnitRules.propertyValue, status: .invalidPropertyValue,
          "'\(question.text ?? "")' is no value of '\(parameter.key)'",
          at: .init(node: nil, .property(id, scope, element)))
      }
      answer.value = value
    }
    return answer
  }

  private func noClump(_ clump: UInt32, _ scope: Scope, _ element: Int) -> Violation {
    let place = Violation.Place(node: nil, .property(.parameterClumpName, scope, element))
    return clump == 0
      ? Violation(
        UnitRules.propertyValue, status: .invalidPropertyValue, "clump 0 is none", at: place)
      : Violation(
        UnitRules.propertyInUse, status: .propertyNotInUse,
        "\(description.name) has its parameters in no clumps", at: place)
  }
}

extension ParameterInfo {
  /// A value for display: its name, or the number with its unit.
  public func text(of value: Float) -> String {
    let index = value - range.lowerBound
    if index >= 0, index < Float(valueNames.count), index == index.rounded() {
      return valueNames[Int(index)]
    }
    return plain(value) + (unit.symbol.isEmpty ? "" : " \(unit.symbol)")
  }

  /// The value that a text means: a name, or a number with or without its unit; `nil` for any other
  /// text.
  public func value(of text: String) -> Float? {
    if let index = valueNames.firstIndex(where: { $0.lowercased() == text.lowercased() }) {
      return range.lowerBound + Float(index)
    }
    var number = text[...]
    if !unit.symbol.isEmpty, number.hasSuffix(unit.symbol) {
      number = number.dropLast(unit.symbol.count)
    }
    while number.last == " " { number = number.dropLast() }
    while number.first == " " { number = number.dropFirst() }
    return Float(String(number)).flatMap { $0.isFinite ? $0 : nil }
  }
}
