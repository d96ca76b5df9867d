/// A step of an expression in reverse Polish notation: operands first, then the operation.
enum ExpressionStep: Hashable, Sendable {
  case number(Double)
  /// A named constant, by its index in the order of the names, and its value.
  case constant(Int, Double)
  case variable(ExpressionVariable)
  case operation(ExpressionOperation)
}

/// Parses an expression by recursive descent, as deep as `ExpressionLanguage` allows.
///
/// Parsing goes on behind unknown names and characters, and where a parenthesis is not closed at
/// the end; another mistake in the structure ends it.
struct ExpressionParser {
  private let tokens: [ExpressionToken]
  private let constants: [String: Double]
  private let names: [String]
  private var position = 0
  private var depth = 0
  private var noiseCount = 0
  private var steps: [ExpressionStep] = []
  private var errors: [ExpressionError] = []

  private init(tokens: [ExpressionToken], constants: [String: Double]) {
    self.tokens = tokens
    self.constants = constants
    names = constants.keys.sorted()
  }

  struct Mistakes: Error {
    var errors: [ExpressionError]
  }

  static func parse(
    _ text: String, constants: [String: Double] = [:]
  ) -> Result<[ExpressionStep], Mistakes> {
    let length = text.utf8.count
    guard length <= ExpressionLanguage.longestText else {
      return .failure(
        Mistakes(errors: [
          ExpressionError(
            "an expression has at most \(ExpressionLanguage.longestText) bytes, not \(length)",
            at: 0..<length)
        ]))
    }
    let (tokens, strays) = ExpressionLexer.tokens(of: text)
    var parser = ExpressionParser(tokens: tokens, constants: constants)
    do throws(ExpressionError) {
      try parser.whole()
    } catch {
      // A missing value next to an unknown character is only a consequence of it.
      let isEcho = strays.contains {
        $0.range.lowerBound <= error.range.upperBound
          && error.range.lowerBound <= $0.range.upperBound + 1
      }
      if !isEcho { parser.errors.append(error) }
    }
    let errors = (strays + parser.errors).enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }.map(\.element)
    return errors.isEmpty ? .success(parser.steps) : .failure(Mistakes(errors: errors))
  }

  // MARK: Tokens

  private var token: ExpressionToken { tokens[position] }

  private mutating func take(_ symbol: String) -> ExpressionToken? {
    guard token.isSymbol(symbol) else { return nil }
    defer { position += 1 }
    return token
  }

  private mutating func take(among symbols: [String: ExpressionOperation]) -> ExpressionOperation? {
    guard case .symbol(let text) = token.kind, let operation = symbols[text] else { return nil }
    position += 1
    return operation
  }

  private mutating func emit(_ operation: ExpressionOperation) {
    steps.append(.operation(operation))
  }

  private mutating func nested(
    _ body: (inout ExpressionParser) throws(ExpressionError) -> Void
  ) throws(ExpressionError) {
    depth += 1
    guard depth <= ExpressionLanguage.deepestNesting else {
      throw ExpressionError(
        "the expression is nested more than \(ExpressionLanguage.deepestNesting) deep",
        at: token.range)
    }
    try body(&self)
    depth -= 1
  }

  // MARK: Precedence, the lowest first

  private mutating func whole() throws(ExpressionError) {
    if token.kind == .end {
      throw ExpressionError(
        "the expression is empty", at: token.range, help: "write 0.1 * sin(tau * 440 * time), say")
    }
    try choice()
    switch token.kind {
    case .end: return
    case .symbol(")"):
      throw ExpressionError("this parenthesis closes nothing", at: token.range)
    case .symbol(","):
      throw ExpressionError(
        "a comma stands between the values of a function", at: token.range,
        help: "a decimal point is written as a point: 0.5")
    case .symbol(":"):
      throw ExpressionError(
        "a ':' belongs to a '?'", at: token.range, help: "a choice is written a ? b : c")
    case .symbol(let text):
      throw ExpressionError("'\(text)' does not fit here", at: token.range)
    case .number, .name:
      throw ExpressionError(
        "an operator is missing before this", at: token.range, help: "to multiply, write *")
    }
  }

  private mutating func choice() throws(ExpressionError) {
    try nested { (parser) throws(ExpressionError) in
      try parser.either()
      guard let question = parser.take("?") else { return }
      try parser.choice()
      guard parser.take(":") != nil else {
        throw ExpressionError(
          "this '?' has no ':'", at: question.range, help: "a choice is written a ? b : c")
      }
      try parser.choice()
      parser.emit(.select)
    }
  }

  private mutating func either() throws(ExpressionError) {
    try both()
    while take("||") != nil {
      try both()
      emit(.or)
    }
  }

  private mutating func both() throws(ExpressionError) {
    try equality()
    while take("&&") != nil {
      try equality()
      emit(.and)
    }
  }

  private mutating func equality() throws(ExpressionError) {
    try comparison()
    while let operation = take(among: ["==": .equal, "!=": .unequal]) {
      try comparison()
      emit(operation)
    }
  }

  private static let comparisons: [String: ExpressionOperation] = [
    "<": .less, "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
  ]

  private mutating func comparison() throws(ExpressionError) {
    try sum()
    guard let operation = take(among: Self.comparisons) else { return }
    try sum()
    emit(operation)
    if case .symbol(let text) = token.kind, Self.comparisons[text] != nil {
      throw ExpressionError(
        "comparisons do not chain", at: token.range, help: "write a < b && b < c")
    }
  }

  private mutating func sum() throws(ExpressionError) {
    try product()
    while let operation = take(among: ["+": .add, "-": .subtract]) {
      try product()
      emit(operation)
    }
  }

  private mutating func product() throws(ExpressionError) {
    try signed()
    while let operation = take(among: ["*": .multiply, "/": .divide, "%": .modulo]) {
      try signed()
      emit(operation)
    }
  }

  private mutating func signed() throws(ExpressionError) {
    if let operation = take(among: ["-": .negate, "!": .not]) {
      try nested { (parser) throws(ExpressionError) in try parser.signed() }
      emit(operation)
    } else if take("+") != nil {
      try nested { (parser) throws(ExpressionError) in try parser.signed() }
    } else {
      try power()
    }
  }

  private mutating func power() throws(ExpressionError) {
    try primary()
    guard take("^") != nil else { return }
    try nested { (parser) throws(ExpressionError) in try parser.signed() }
    emit(.power)
  }

  private mutating func primary() throws(ExpressionError) {
    switch token.kind {
    case .number(let value):
      position += 1
      steps.append(.number(value))
    case .name(let name):
      let range = token.range
      position += 1
      if let open = take("(") {
        try call(name, range, open)
      } else {
        value(name, range)
      }
    case .symbol("("):
      let open = token
      position += 1
      if token.isSymbol(")") {
        throw ExpressionError(
          "there is nothing in these parentheses",
          at: open.range.lowerBound..<token.range.upperBound)
      }
      try choice()
      try close(open)
    case .symbol, .end:
      let isEnd = token.kind == .end
      throw ExpressionError(
        isEnd ? "a value is missing at the end" : "a value is missing here", at: token.range,
        help: "a value is a number, a name, a function, or something in parentheses")
    }
  }

  private mutating func close(_ open: ExpressionToken) throws(ExpressionError) {
    if take(")") != nil { return }
    switch token.kind {
    case .number, .name:
      throw ExpressionError(
        "an operator is missing before this", at: token.range, help: "to multiply, write *")
    case .symbol("("):
      throw ExpressionError(
        "an operator is missing before this", at: token.range, help: "to multiply, write *")
    case .end:
      errors.append(
        ExpressionError("this parenthesis is not closed", at: open.range, help: "add a ')'"))
    default:
      throw ExpressionError("this parenthesis is not closed", at: open.range, help: "add a ')'")
    }
  }

  // MARK: Names

  private mutating func value(_ name: String, _ range: Range<Int>) {
    if let number = constants[name], let place = names.firstIndex(of: name) {
      steps.append(.constant(place, number))
    } else if let number = ExpressionLanguage.constants[name] {
      steps.append(.number(number))
    } else if let variable = ExpressionVariable(rawValue: name) {
      steps.append(.variable(variable))
    } else {
      if let function = ExpressionFunction.byName[name] {
        errors.append(
          ExpressionError(
            "'\(name)' is a function", at: range, help: "write \(function.signature)"))
      } else {
        reportUnknown(name, range, isFunction: false)
      }
      steps.append(.number(0))
    }
  }

  private mutating func reportUnknown(_ name: String, _ range: Range<Int>, isFunction: Bool) {
    let list =
      isFunction
      ? "the functions are: " + ExpressionFunction.all.map(\.name).joined(separator: ", ")
      : "there are: "
        + (ExpressionLanguage.values.map(\.name) + names).joined(separator: ", ")
        + "; others are defined under \"constants\""
    errors.append(
      ExpressionError(
        isFunction ? "there is no function '\(name)'" : "there is no value '\(name)'", at: range,
        help: list, unknownName: .init(name: name, isFunction: isFunction)))
  }

  private mutating func call(
    _ name: String, _ range: Range<Int>, _ open: ExpressionToken
  ) throws(ExpressionError) {
    let function = ExpressionFunction.byName[name]
    let isInput = name == ExpressionVariable.input.rawValue
    if function == nil && !isInput {
      if constants[name] != nil || ExpressionLanguage.names.contains(name) {
        errors.append(
          ExpressionError(
            "'\(name)' is no function", at: range, help: "to multiply, write \(name) * (…)"))
      } else {
        reportUnknown(name, range, isFunction: true)
      }
    }
    var count = 0
    while !token.isSymbol(")") || count > 0 {
      try choice()
      count += 1
      // A function of any number of values takes them two by two.
      if let function, function.argumentCounts.upperBound > 3, count > 1 {
        emit(function.operation)
      }
      guard take(",") != nil else { break }
    }
    try close(open)
    let last = tokens[max(0, position - 1)]
    let whole = range.lowerBound..<max(range.upperBound, last.range.upperBound)
    if isInput {
      check(count, 1...1, "input(channel)", name, whole)
      emit(.inputOf)
    } else if let function {
      check(count, function.argumentCounts, function.signature, name, whole)
      if function.operation == .noise {
        if count == 0 { noiseCount += 1 }
        if count == 0 { steps.append(.number(0)) }
        steps.append(.number(count == 0 ? Double(noiseCount) : 0))
        emit(.noise)
      } else if function.argumentCounts.upperBound <= 3 {
        emit(function.operation)
      }
    }
  }

  private mutating func check(
    _ count: Int, _ counts: ClosedRange<Int>, _ signature: String, _ name: String,
    _ range: Range<Int>
  ) {
    guard !counts.contains(count) else { return }
    let wanted =
      counts.count == 1
      ? "\(counts.lowerBound)"
      : counts.lowerBound == 0
        ? "at most \(counts.upperBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
    let noun = counts.upperBound == 1 ? "value" : "values"
    errors.append(
      ExpressionError(
        "'\(name)' takes \(wanted) \(noun), not \(count)", at: range, help: "write \(signature)"))
  }
}
