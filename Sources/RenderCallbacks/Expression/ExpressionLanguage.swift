/// The names and operators of expressions: the parser, the listings and the guesses at misspelled
/// names are made from them.
public enum ExpressionLanguage {
  /// One row of the language's table.
  public struct Entry: Hashable, Sendable {
    /// Its notation: `clamp(x, low, high)`.
    public var signature: String
    public var summary: String

    /// The name alone: `clamp`.
    public var name: String { String(signature.prefix { $0 != "(" }) }
  }

  /// Names that stand for a number: values of the present frame, and constants.
  public static let values: [Entry] =
    ExpressionVariable.allCases.map { Entry(signature: $0.rawValue, summary: $0.summary) }
    + [
      Entry(signature: "pi", summary: "3.14159…, half a turn in radians."),
      Entry(signature: "tau", summary: "2 pi, a turn in radians."),
      Entry(signature: "e", summary: "2.71828…, the base of exp and log."),
    ]

  /// The functions.
  public static let functions: [Entry] =
    ExpressionFunction.all.map { Entry(signature: $0.signature, summary: $0.summary) }

  /// Operators: a row for each precedence, the lowest first.
  public static let operators: [Entry] = [
    Entry(signature: "a ? b : c", summary: "b where a is not 0, and else c."),
    Entry(signature: "a || b", summary: "1 where a or b is not 0, else 0."),
    Entry(signature: "a && b", summary: "1 where neither a nor b is 0, else 0."),
    Entry(signature: "a == b, a != b", summary: "1 where they are equal, or are not, else 0."),
    Entry(signature: "a < b, a <= b, a > b, a >= b", summary: "1 where it is so, else 0."),
    Entry(signature: "a + b, a - b", summary: "Sum and difference."),
    Entry(signature: "a * b, a / b, a % b", summary: "Product, quotient, and mod(a, b)."),
    Entry(signature: "-a, !a", summary: "Negative; 1 where a is 0, else 0."),
    Entry(signature: "a ^ b", summary: "Power: -a ^ 2 is -(a ^ 2), and a ^ b ^ c is a ^ (b ^ c)."),
  ]

  /// The most bytes of an expression.
  public static let longestText = 4096
  /// How deep parentheses, functions and choices may be nested.
  public static let deepestNesting = 64
  /// The most named constants of an expression.
  public static let mostConstants = 64

  static let constants: [String: Double] = [
    "pi": Double.pi, "tau": 2 * Double.pi, "e": 2.718281828459045,
  ]

  static let names: Set<String> = Set((values + functions).map(\.name))
}

/// The values that an expression can read for the present frame.
enum ExpressionVariable: String, CaseIterable, Hashable, Sendable {
  case time, frame, input, channel, channels, rate

  var summary: String {
    switch self {
    case .time: "Seconds since the first frame: frame / rate."
    case .frame: "Frames since the first one: 0, 1, 2, …"
    case .input:
      "The sample that is pulled, of this frame and channel. input(n) is the one of channel n."
    case .channel: "The channel that is computed: 0, 1, …"
    case .channels: "How many channels the bus has."
    case .rate: "The sample rate of the bus, in Hz."
    }
  }
}

/// The operation of an instruction, on one, two or three numbers.
enum ExpressionOperation: UInt8, CaseIterable, Hashable, Sendable {
  case negate, not
  case add, subtract, multiply, divide, modulo, power
  case less, lessOrEqual, greater, greaterOrEqual, equal, unequal, and, or
  case select
  case sine, cosine, tangent, arcSine, arcCosine, arcTangent, angle
  case hyperbolicSine, hyperbolicCosine, hyperbolicTangent
  case exponential, logarithm, logarithm2, logarithm10, squareRoot, decibels
  case absolute, sign, floor, ceiling, round, truncate, fraction
  case minimum, maximum, hypotenuse, clamp, mix
  /// Noise from a seed and from the place in the expression.
  case noise
  /// The input of a given channel.
  case inputOf

  /// The number of operands.
  var operandCount: Int {
    switch self {
    case .select, .clamp, .mix: 3
    case .add, .subtract, .multiply, .divide, .modulo, .power, .less, .lessOrEqual, .greater,
      .greaterOrEqual, .equal, .unequal, .and, .or, .angle, .minimum, .maximum, .hypotenuse, .noise:
      2
    default: 1
    }
  }

  /// Whether the result depends on the operands only.
  var isPure: Bool { self != .noise && self != .inputOf }
}

/// A function of the language.
struct ExpressionFunction: Sendable {
  var signature: String
  var summary: String
  var operation: ExpressionOperation
  var argumentCounts: ClosedRange<Int>

  init(
    _ signature: String, _ operation: ExpressionOperation, _ argumentCounts: ClosedRange<Int>,
    _ summary: String
  ) {
    self.signature = signature
    self.operation = operation
    self.argumentCounts = argumentCounts
    self.summary = summary
  }

  var name: String { String(signature.prefix { $0 != "(" }) }

  static let all: [ExpressionFunction] = [
    .init("sin(x)", .sine, 1...1, "Sine of an angle in radians."),
    .init("cos(x)", .cosine, 1...1, "Cosine of an angle in radians."),
    .init("tan(x)", .tangent, 1...1, "Tangent of an angle in radians."),
    .init("asin(x)", .arcSine, 1...1, "The angle whose sine is x."),
    .init("acos(x)", .arcCosine, 1...1, "The angle whose cosine is x."),
    .init("atan(x)", .arcTangent, 1...1, "The angle whose tangent is x."),
    .init("atan2(y, x)", .angle, 2...2, "The angle of the point (x, y)."),
    .init("sinh(x)", .hyperbolicSine, 1...1, "Hyperbolic sine."),
    .init("cosh(x)", .hyperbolicCosine, 1...1, "Hyperbolic cosine."),
    .init(
      "tanh(x)", .hyperbolicTangent, 1...1, "Hyperbolic tangent: a soft clip between -1 and 1."),
    .init("exp(x)", .exponential, 1...1, "e to the power of x."),
    .init("log(x)", .logarithm, 1...1, "Natural logarithm."),
    .init("log2(x)", .logarithm2, 1...1, "Logarithm to the base of 2."),
    .init("log10(x)", .logarithm10, 1...1, "Logarithm to the base of 10."),
    .init("pow(x, y)", .power, 2...2, "x to the power of y."),
    .init("sqrt(x)", .squareRoot, 1...1, "Square root."),
    .init("hypot(x, y)", .hypotenuse, 2...2, "Square root of x² + y²."),
    .init("db(x)", .decibels, 1...1, "The gain of x decibels: 10 to the power of x / 20."),
    .init("abs(x)", .absolute, 1...1, "x without its sign."),
    .init("sign(x)", .sign, 1...1, "1, 0 or -1."),
    .init("floor(x)", .floor, 1...1, "The largest whole number up to x."),
    .init("ceil(x)", .ceiling, 1...1, "The smallest whole number from x on."),
    .init("round(x)", .round, 1...1, "The nearest whole number, halves away from 0."),
    .init("trunc(x)", .truncate, 1...1, "x without what is behind the decimal point."),
    .init("fract(x)", .fraction, 1...1, "x - floor(x)."),
    .init("mod(x, y)", .modulo, 2...2, "What is left of x after whole times y; it has y's sign."),
    .init("min(x, y, …)", .minimum, 2...64, "The smallest."),
    .init("max(x, y, …)", .maximum, 2...64, "The largest."),
    .init("clamp(x, low, high)", .clamp, 3...3, "x, but at least low and at most high."),
    .init("mix(x, y, t)", .mix, 3...3, "x where t is 0, y where t is 1, and between."),
    .init(
      "noise(n)", .noise, 0...1,
      "White noise between -1 and 1, another for each n and channel; noise() is another at each "
        + "place where it is written."),
  ]

  static let byName: [String: ExpressionFunction] = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}
