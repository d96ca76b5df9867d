import Glibc

/// Evaluates expressions in Equalizer APO's configurations: arithmetic, comparisons, texts,
/// variables.
struct APOExpression {
  enum Value: Hashable {
    case number(Double)
    case text(String)

    var isTrue: Bool { if case .number(let value) = self { value != 0 } else { false } }

    /// The text that replaces the expression in its line.
    var replacementText: String {
      switch self {
      case .number(let value):
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)"
      case .text(let text): text
      }
    }
  }

  /// Why an expression has no value.
  struct Problem: Error { var message: String }

  private var scalars: [Unicode.Scalar]
  private var index = 0
  private var depth = 0
  private let variables: [String: Value]

  /// The value of an expression with the given variables.
  static func value(
    of text: String, _ variables: [String: Value]
  ) throws(Problem) -> Value {
    var reader = APOExpression(scalars: Array(text.unicodeScalars), variables: variables)
    let value = try reader.disjunction()
    reader.skipBlanks()
    guard reader.index == reader.scalars.count else {
      let rest = String(String.UnicodeScalarView(reader.scalars[reader.index...]))
      throw Problem(message: "'\(rest)' is not understood")
    }
    return value
  }

  private init(scalars: [Unicode.Scalar], variables: [String: Value]) {
    self.scalars = scalars
    self.variables = variables
  }

  private mutating func skipBlanks() {
    while index < scalars.count, TextLine.isBlank(scalars[index]) { index += 1 }
  }

  /// Skips the sign or word that comes next, and returns it; `nil` where none of the given ones
  /// comes next. A sign must be listed before those that it begins with.
  private mutating func take(_ signs: [String]) -> String? {
    skipBlanks()
    for sign in signs {
      let wanted = Array(sign.unicodeScalars)
      guard scalars[index...].starts(with: wanted) else { continue }
      let end = index + wanted.count
      if let last = wanted.last, last.properties.isAlphabetic, end < scalars.count,
        scalars[end].properties.isAlphabetic || NumberText.isDigit(scalars[end])
      {
        continue
      }
      index = end
      return sign
    }
    return nil
  }

  private func number(_ value: Value) throws(Problem) -> Double {
    guard case .number(let number) = value else {
      throw Problem(message: "a text is no number")
    }
    return number
  }

  private mutating func disjunction() throws(Problem) -> Value {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 64 else { throw Problem(message: "it is more than 64 brackets deep") }
    var value = try conjunction()
    while take(["||", "or"]) != nil {
      let other = try conjunction()
      value = .number(value.isTrue || other.isTrue ? 1 : 0)
    }
    return value
  }

  private mutating func conjunction() throws(Problem) -> Value {
    var value = try comparison()
    while take(["&&", "and"]) != nil {
      let other = try comparison()
      value = .number(value.isTrue && other.isTrue ? 1 : 0)
    }
    return value
  }

  private mutating func comparison() throws(Problem) -> Value {
    var value = try sum()
    while let sign = take(["==", "!=", "<=", ">=", "<", ">"]) {
      let other = try sum()
      let result: Bool
      switch sign {
      case "==": result = value == other
      case "!=": result = value != other
      case "<=": result = try number(value) <= number(other)
      case ">=": result = try number(value) >= number(other)
      case "<": result = try number(value) < number(other)
      default: result = try number(value) > number(other)
      }
      value = .number(result ? 1 : 0)
    }
    return value
  }

  private mutating func sum() throws(Problem) -> Value {
    var value = try product()
    while let sign = take(["+", "-"]) {
      let other = try product()
      if sign == "+", case .text(let left) = value, case .text(let right) = other {
        value = .text(left + right)
      } else {
        value = .number(try number(value) + (sign == "+" ? 1 : -1) * number(other))
      }
    }
    return value
  }

  private mutating func product() throws(Problem) -> Value {
    var value = try signed()
    while let sign = take(["*", "/", "%"]) {
      let left = try number(value)
      let right = try number(try signed())
      switch sign {
      case "*": value = .number(left * right)
      case "/": value = .number(left / right)
      default: value = .number(fmod(left, right))
      }
    }
    return value
  }

  private mutating func signed() throws(Problem) -> Value {
    var isNegative = false
    while let sign = take(["-", "+"]) { if sign == "-" { isNegative.toggle() } }
    if take(["!", "not"]) != nil {
      depth += 1
      defer { depth -= 1 }
      guard depth <= 64 else { throw Problem(message: "it is more than 64 signs deep") }
      return .number(try signed().isTrue ? 0 : 1)
    }
    let value = try power()
    return isNegative ? .number(-(try number(value))) : value
  }

  private mutating func power() throws(Problem) -> Value {
    let base = try operand()
    guard take(["^"]) != nil else { return base }
    depth += 1
    defer { depth -= 1 }
    guard depth <= 64 else { throw Problem(message: "it is more than 64 powers deep") }
    return .number(pow(try number(base), try number(try signed())))
  }

  private mutating func operand() throws(Problem) -> Value {
    skipBlanks()
    guard index < scalars.count else {
      throw Problem(message: "it ends where a value should stand")
    }
    let first = scalars[index]
    if first == "(" {
      index += 1
      let value = try disjunction()
      guard take([")"]) != nil else { throw Problem(message: "a bracket is not closed") }
      return value
    }
    if first == "\"" || first == "'" {
      let start = index + 1
      guard let end = scalars[start...].firstIndex(of: first) else {
        throw Problem(message: "a text is not closed")
      }
      index = end + 1
      return .text(String(String.UnicodeScalarView(scalars[start..<end])))
    }
    if NumberText.isDigit(first) || first == "." {
      let start = index
      while index < scalars.count {
        let scalar = scalars[index]
        let isSign =
          (scalar == "-" || scalar == "+") && index > start
          && (scalars[index - 1] == "e" || scalars[index - 1] == "E")
        guard NumberText.isDigit(scalar) || ".eE".unicodeScalars.contains(scalar) || isSign
        else { break }
        index += 1
      }
      let text = String(String.UnicodeScalarView(scalars[start..<index]))
      guard let value = NumberText.value(of: text) else {
        throw Problem(message: "'\(text)' is no number")
      }
      return .number(value)
    }
    return try variableOrCall()
  }

  private mutating func variableOrCall() throws(Problem) -> Value {
    let start = index
    while index < scalars.count,
      scalars[index].properties.isAlphabetic || NumberText.isDigit(scalars[index])
        || scalars[index] == "_"
    {
      index += 1
    }
    let name = String(String.UnicodeScalarView(scalars[start..<index]))
    guard !name.isEmpty else {
      throw Problem(message: "'\(scalars[start])' is not understood")
    }
    guard take(["("]) != nil else {
      switch name {
      case "true": return .number(1)
      case "false": return .number(0)
      case "pi": return .number(Double.pi)
      case "e": return .number(M_E)
      default: break
      }
      guard let value = variables[name] else {
        throw Problem(message: "there is no '\(name)'")
      }
      return value
    }
    var arguments: [Double] = []
    if take([")"]) == nil {
      repeat { arguments.append(try number(try disjunction())) } while take([","]) != nil
      guard take([")"]) != nil else { throw Problem(message: "a bracket is not closed") }
    }
    return .number(try Self.call(name, arguments))
  }

  private static let functions: [String: @Sendable (Double) -> Double] = [
    "abs": { abs($0) }, "sqrt": { $0.squareRoot() }, "exp": { exp($0) }, "ln": { log($0) },
    "log": { log($0) }, "log2": { log2($0) }, "log10": { log10($0) }, "sin": { sin($0) },
    "cos": { cos($0) }, "tan": { tan($0) }, "asin": { asin($0) }, "acos": { acos($0) },
    "atan": { atan($0) }, "sinh": { sinh($0) }, "cosh": { cosh($0) }, "tanh": { tanh($0) },
    "rint": { $0.rounded() }, "round": { $0.rounded() }, "trunc": { trunc($0) },
    "floor": { floor($0) }, "ceil": { ceil($0) }, "cbrt": { cbrt($0) },
    "sign": { $0 > 0 ? 1 : $0 < 0 ? -1 : 0 },
  ]

  private static func call(_ name: String, _ arguments: [Double]) throws(Problem) -> Double {
    if let function = functions[name], arguments.count == 1 { return function(arguments[0]) }
    switch (name, arguments.count) {
    case ("min", 1...): return arguments.min() ?? 0
    case ("max", 1...): return arguments.max() ?? 0
    case ("sum", 1...): return arguments.reduce(0, +)
    case ("pow", 2): return pow(arguments[0], arguments[1])
    case ("atan2", 2): return atan2(arguments[0], arguments[1])
    default:
      throw Problem(
        message: "the function '\(name)' of \(arguments.count) values is not known here")
    }
  }
}
