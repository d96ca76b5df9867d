import PatchSyntax

extension Schema {
  /// The name of a constant, or a formula of a repetition.
  static let constantPattern = "^\\$[A-Za-z_][A-Za-z0-9_-]*$|" + formulaPattern

  /// A formula in braces, as in a repetition.
  static let formulaPattern = ValuePatterns.formula

  /// The number of copies in a repetition.
  static let copyCount: JSONText = [
    "description": """
    The number of copies. The index of each copy, from 0, takes the place of {i} in its name and its texts; \
    a text that is all braces, such as "{2 * i / 7 - 1}", is a number.
    """,
    "type": "integer", "minimum": 1,
  ]

  /// The name of a constant, in the place of a value that is one of a few choices.
  static let constantName: JSONText = [
    "description": "A value of constants, by its name: \"$level\".",
    "type": "string", "pattern": .string(constantPattern),
  ]

  /// The schema extended so that the name of a constant, or a formula of a repetition, may replace
  /// a number, a Boolean, a text with a pattern or a choice of words.
  static func admittingConstants(_ schema: JSONText) -> JSONText {
    switch schema {
    case .array(let items): return .array(items.map(admittingConstants))
    case .object(let members): return admittingConstants(members)
    default: return schema
    }
  }

  private static func admittingConstants(_ members: [JSONText.Member]) -> JSONText {
    var types: [String] = []
    switch members.first(where: { $0.name == "type" })?.value {
    case .string(let type)?: types = [type]
    case .array(let list)?:
      types = list.compactMap { if case .string(let type) = $0 { type } else { nil } }
    default: break
    }
    let isScalar = types.contains { ["number", "integer", "boolean"].contains($0) }
    var hasPattern = false
    let result = members.map { member -> JSONText.Member in
      switch (member.name, member.value) {
      case ("type", _) where isScalar:
        let all = types.contains("string") ? types : types + ["string"]
        return .init("type", .strings(all))
      case ("pattern", .string(let pattern)):
        hasPattern = true
        return .init("pattern", .string("\(pattern)|\(constantPattern)"))
      case ("anyOf", .array(let schemas)):
        // One reference to `constantName` serves all choices.
        let others = schemas.map { isChoice($0.members) ? $0 : admittingConstants($0) }
        let some = schemas.contains { isChoice($0.members) } ? [reference("constantName")] : []
        return .init("anyOf", .array(others + some))
      // Keywords that choose between schemas, or list values, stay as they are.
      case ("if", _), ("const", _), ("propertyNames", _), ("required", _), ("enum", _),
        ("default", _), ("comment", _):
        return member
      default: return .init(member.name, admittingConstants(member.value))
      }
    }
    if isScalar, !hasPattern {
      return .object(result + [.init("pattern", .string(constantPattern))])
    }
    return isChoice(result) ? orConstantName(result) : .object(result)
  }

  /// Whether a schema admits only a few words, or a single number.
  private static func isChoice(_ members: [JSONText.Member]) -> Bool {
    members.contains { member in
      switch (member.name, member.value) {
      case ("enum", .array(let values)):
        values.contains { if case .string = $0 { true } else { false } }
      case ("const", .number): true
      default: false
      }
    }
  }

  /// The schema of a choice, extended by the name of a constant.
  private static func orConstantName(_ members: [JSONText.Member]) -> JSONText {
    let ofChoice: Set = ["enum", "enumDescriptions", "const"]
    let choice = members.filter { ofChoice.contains($0.name) }
    return .object(
      members.filter { !ofChoice.contains($0.name) }
        + [.init("anyOf", [.object(choice), reference("constantName")])])
  }
}
