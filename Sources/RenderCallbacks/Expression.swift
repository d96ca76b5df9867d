public import AudioTypes
public import RenderCore

/// A formula, evaluated for each frame of each channel from the time, the pulled sample and
/// constants.
///
/// An expression is numbers (64-bit floating point), names, functions and operators; see
/// `ExpressionLanguage`. It has no loops and no memory, so that it takes the same time for each
/// frame. It is compiled when the graph is initialized; nothing in it can stop the render thread. A
/// result that is not finite (1 / 0, log of a negative number) becomes 0. Without `input` it is a
/// source; with it, it processes what it pulls.
public struct ExpressionCallback: LiveCallback {
  public static let description = CallbackDescription(
    kind: "expression", summary: "A formula, computed for each frame of each channel.",
    input: .optional, hasBeginning: true, placeSettings: [],
    settings: [
      SettingInfo(
        "value", .expression, isRequired: true,
        summary: "The value of a sample, 1 being full scale: 0.2 * sin(tau * 440 * time)."),
      SettingInfo(
        "constants", .numbers, defaultValue: .numbers([:]), change: .ramp,
        summary: "Names to use in the value: { \"depth\": 0.3 }."),
    ],
    check: { ExpressionCallback.problems(value: $0.text("value") ?? "", $0.numbers("constants")) },
    make: {
      ExpressionCallback(value: $0.text("value") ?? "", constants: $0.numbers("constants"))
    })

  /// The formula.
  public var value: String
  /// Finite numbers, by their names in the formula.
  public var constants: [String: Double]

  public init(value: String, constants: [String: Double] = [:]) {
    self.value = value
    self.constants = constants
  }

  /// Required where the formula reads `input`, else optional.
  public var input: CallbackInput {
    guard case .success(let steps) = ExpressionParser.parse(value, constants: constants) else {
      return .optional
    }
    return Self.readsInput(steps) ? .required : .optional
  }

  private static func readsInput(_ steps: [ExpressionStep]) -> Bool {
    steps.contains(.variable(.input)) || steps.contains(.operation(.inputOf))
  }

  /// It ends with its input; without `input` it never ends.
  public func duration(for format: StreamFormat) -> Int? { input == .required ? 0 : nil }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: ["value": .text(value), "constants": .numbers(constants)])
      + busProblems(format)
  }

  private static func problems(value: String, _ constants: [String: Double]) -> [CallbackProblem] {
    func problem(_ name: String?, _ message: String, help: String = "") -> CallbackProblem {
      CallbackProblem(
        .badSetting, status: .parameterError, message, help: help, setting: "constants",
        member: name)
    }
    var found: [CallbackProblem] = []
    for name in constants.keys.sorted() {
      if !ExpressionLexer.isName(name) {
        found.append(
          problem(
            name, "'\(name)' is no name for a constant",
            help: "a name has letters from a to z, digits and _, and begins with no digit"))
      } else if ExpressionLanguage.names.contains(name) {
        found.append(
          problem(
            name, "the name '\(name)' has a meaning of its own in expressions",
            help: "give the constant another name"))
      }
    }
    if constants.count > ExpressionLanguage.mostConstants {
      found.append(
        problem(
          nil,
          "an expression has at most \(ExpressionLanguage.mostConstants) constants, not "
            + "\(constants.count)"))
    }
    guard case .failure(let mistakes) = ExpressionParser.parse(value, constants: constants) else {
      return found
    }
    let values = ExpressionLanguage.values.map(\.name) + constants.keys.sorted()
    let functions = ExpressionLanguage.functions.map(\.name)
    return found
      + mistakes.errors.map { error in
        CallbackProblem(
          .badSetting, status: .parameterError, error.message, help: error.help, setting: "value",
          range: error.range,
          unknown: error.unknownName.map {
            .init($0.name, among: $0.isFunction ? functions : values)
          })
      }
  }

  /// Each constant, in the order of their names.
  public var liveSettings: [LiveSetting] {
    guard let info = Self.description.settings.first(where: { $0.key == "constants" }) else {
      return []
    }
    return constants.keys.sorted().enumerated().map { index, name in
      LiveSetting(
        info, member: name, id: Self.firstConstant + UInt32(index), value: constants[name] ?? 0)
    }
  }

  /// The number of the first constant among the live settings.
  private static let firstConstant: UInt32 = 1000

  public func setting(_ values: [String: Double]) -> ExpressionCallback {
    var copy = self
    for name in constants.keys {
      if let value = values["constants/\(name)"] { copy.constants[name] = value }
    }
    return copy
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    guard case .success(let steps) = ExpressionParser.parse(value, constants: constants) else {
      preconditionFailure("an expression without problems can be read")
    }
    let fixed = ExpressionCompiler.code(
      steps, sampleRate: format.sampleRate, channelCount: format.channelCount)
    let live =
      constants.isEmpty
      ? fixed
      : ExpressionCompiler.code(
        steps, sampleRate: format.sampleRate, channelCount: format.channelCount,
        liveConstants: constants.count)
    let controls = constants.keys.sorted().map {
      instance.control("constants/\($0)", length: glideLength(format))
    }
    let place = SourcePlace(format.sampleRate, after: before)
    return RenderSource(
      kernel: .holding(
        ExpressionKernel(
          fixed: fixed, live: live, constants: controls, sampleRate: format.sampleRate,
          place: place.access), with: instance.block, place),
      duration: Self.readsInput(steps) ? 0 : nil, clock: place.clock)
  }
}
