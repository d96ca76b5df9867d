import AudioTypes
import Glibc
import RenderCore
import TestSupport
import Testing

@testable import RenderCallbacks

/// The values of an expression callback without input.
private func play(
  _ value: String, _ constants: [String: Double] = [:], channels: Int = 1, frames: Int = 100,
  slicing: Slicing = Slicing([1024])
) throws -> [[Float]] {
  let format = StreamFormat(.float32, channels: channels, sampleRate: 48_000)
  let source = try ExpressionCallback(value: value, constants: constants)
    .makeSource(for: format, maximumFramesPerSlice: 4096)
  return render(
    source.kernel, outputChannelCounts: [channels], frameCount: frames, slicing: slicing)[0]
}

/// The value of an expression that is constant.
private func value(_ text: String, _ constants: [String: Double] = [:]) throws -> Float {
  let found = try play(text, constants, frames: 65)[0]
  #expect(found.allSatisfy { $0 == found[0] })
  return found[0]
}

/// A random expression, and the same in Swift.
private struct Sample {
  var text: String
  /// The parameters are time, frame, input and channel.
  var value: (Double, Double, Double, Double) -> Double

  static func random(depth: Int, _ generator: inout SplitMix64) -> Sample {
    func next() -> Sample { random(depth: depth - 1, &generator) }
    if depth == 0 || Int.random(in: 0..<8, using: &generator) == 0 {
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: return Sample(text: "time") { time, _, _, _ in time }
      case 1: return Sample(text: "frame") { _, frame, _, _ in frame }
      case 2: return Sample(text: "input") { _, _, input, _ in input }
      case 3: return Sample(text: "channel") { _, _, _, channel in channel }
      case 4: return Sample(text: "rate") { _, _, _, _ in 48_000 }
      case 5: return Sample(text: "k") { _, _, _, _ in 0.37 }
      default:
        let number = Double(Int.random(in: 0...400, using: &generator)) / 100
        return Sample(text: "\(number)") { _, _, _, _ in number }
      }
    }
    let unary: [(String, @Sendable (Double) -> Double)] = [
      ("-", { -$0 }), ("!", { $0 == 0 ? 1 : 0 }), ("sin", sin), ("cos", cos), ("tan", tan),
      ("asin", asin), ("acos", acos), ("atan", atan), ("sinh", sinh), ("cosh", cosh),
      ("tanh", tanh), ("exp", exp), ("log", log), ("log2", log2), ("log10", log10),
      ("sqrt", { $0.squareRoot() }), ("db", { pow(10, $0 / 20) }), ("abs", { abs($0) }),
      ("sign", { $0 > 0 ? 1 : $0 < 0 ? -1 : 0 }), ("floor", { $0.rounded(.down) }),
      ("ceil", { $0.rounded(.up) }), ("round", { $0.rounded() }),
      ("trunc", { $0.rounded(.towardZero) }), ("fract", { $0 - $0.rounded(.down) }),
    ]
    func truth(_ condition: Bool) -> Double { condition ? 1 : 0 }
    func modulo(_ x: Double, _ y: Double) -> Double {
      let rest = fmod(x, y)
      return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest
    }
    let binary: [(String, (Double, Double) -> Double)] = [
      ("+", { $0 + $1 }), ("-", { $0 - $1 }), ("*", { $0 * $1 }), ("/", { $0 / $1 }),
      ("%", modulo), ("^", pow), ("<", { truth($0 < $1) }), ("<=", { truth($0 <= $1) }),
      (">", { truth($0 > $1) }), (">=", { truth($0 >= $1) }), ("==", { truth($0 == $1) }),
      ("!=", { truth($0 != $1) }), ("&&", { truth($0 != 0 && $1 != 0) }),
      ("||", { truth($0 != 0 || $1 != 0) }), ("pow", pow), ("mod", modulo), ("atan2", atan2),
      ("hypot", hypot), ("min", { $1 < $0 ? $1 : $0 }), ("max", { $1 > $0 ? $1 : $0 }),
    ]
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      let (name, body) = unary[Int.random(in: 0..<unary.count, using: &generator)]
      let x = next()
      let text = name.count == 1 ? "(\(name)\(x.text))" : "\(name)(\(x.text))"
      return Sample(text: text) { body(x.value($0, $1, $2, $3)) }
    case 1, 2:
      let (name, body) = binary[Int.random(in: 0..<binary.count, using: &generator)]
      let (x, y) = (next(), next())
      let isFunction = name.first?.isLetter == true
      return Sample(
        text: isFunction ? "\(name)(\(x.text), \(y.text))" : "(\(x.text) \(name) \(y.text))"
      ) {
        body(x.value($0, $1, $2, $3), y.value($0, $1, $2, $3))
      }
    default:
      let (x, y, z) = (next(), next(), next())
      switch Int.random(in: 0..<3, using: &generator) {
      case 0:
        return Sample(text: "(\(x.text) ? \(y.text) : \(z.text))") {
          x.value($0, $1, $2, $3) != 0 ? y.value($0, $1, $2, $3) : z.value($0, $1, $2, $3)
        }
      case 1:
        return Sample(text: "mix(\(x.text), \(y.text), \(z.text))") {
          let t = z.value($0, $1, $2, $3)
          return x.value($0, $1, $2, $3) * (1 - t) + y.value($0, $1, $2, $3) * t
        }
      default:
        return Sample(text: "clamp(\(x.text), \(y.text), \(z.text))") {
          let (low, high) = (y.value($0, $1, $2, $3), z.value($0, $1, $2, $3))
          var value = x.value($0, $1, $2, $3)
          if value < low { value = low }
          return value > high ? high : value
        }
      }
    }
  }
}

struct ExpressionTests {
  @Test
  func `random expressions are what they are in Swift`() throws {
    var generator = SplitMix64(seed: 1)
    let input = [noise(70, seed: 2), noise(70, seed: 3)]
    for _ in 0..<600 {
      let sample = Sample.random(depth: Int.random(in: 1...5, using: &generator), &generator)
      guard sample.text.utf8.count <= 4096 else { continue }
      let callback = ExpressionCallback(value: sample.text, constants: ["k": 0.37])
      #expect(callback.problems(for: stereo48).isEmpty)
      let found = try process(callback, reads: callback.input == .required ? input : nil)
      for channel in 0..<2 {
        for frame in 0..<70 {
          let exact = Float(
            sample.value(
              Double(frame) / 48_000, Double(frame), Double(input[channel][frame]), Double(channel))
          )
          let expected = exact.isFinite ? exact : 0
          guard found[channel][frame] != expected else { continue }
          Issue.record("\(sample.text) at \(frame): \(found[channel][frame]), not \(expected)")
          return
        }
      }
    }
  }

  private func process(
    _ callback: ExpressionCallback, reads input: [[Float]]?
  ) throws -> [[Float]] {
    let source = try callback.makeSource(for: stereo48, maximumFramesPerSlice: 4096)
    return render(
      source.kernel, inputs: input.map { [$0] } ?? [], outputChannelCounts: [2], frameCount: 70)[0]
  }

  @Test(
    arguments: [
      ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("10 - 4 - 3", 3), ("24 / 4 / 2", 3),
      ("-2 ^ 2", -4), ("(-2) ^ 2", 4), ("2 ^ 3 ^ 2 / 512", 1), ("2 ^ -1", 0.5),
      ("7 % 4", 3), ("-7 % 4", 1), ("mod(7, -4)", -1), ("1 + 1 == 2", 1), ("1 < 2 == 2 > 1", 1),
      ("!0 + !3", 1), ("!0 && 2", 1), ("0 || 0", 0), ("1 || 1 && 0", 1), ("0 ? 1 : 2 ? 3 : 4", 3),
      ("1 ? 0 ? 5 : 6 : 7", 6), ("--3", 3), ("+3", 3), ("min(3, 1, 2)", 1), ("max(1, 2, 3, 0)", 3),
      ("clamp(5, 0, 1)", 1), ("clamp(-5, 0, 1)", 0), ("mix(1, 3, 0.25)", 1.5), ("db(-20)", 0.1),
      ("round(2.5)", 3), ("round(-2.5)", -3), ("trunc(-2.5)", -2), ("fract(-0.25)", 0.75),
      ("1e3", 1000), (".5 + 1.", 1.5), ("1.5e-1", 0.15), ("pi / pi + e / e + tau / pi", 4),
      ("rate / 1000", 48), ("channels", 1), ("log10(1000)", 3), ("log2(8)", 3), ("\t1\n+ 1", 2),
      ("a1_B * 2", 5),
    ] as [(String, Float)])
  func `operators bind as they do in mathematics`(text: String, expected: Float) throws {
    #expect(try value(text, ["a1_B": 2.5]) == expected)
  }

  @Test(
    arguments: [
      "1 / 0", "-1 / 0", "0 / 0", "log(0)", "log(-1)", "sqrt(-1)", "exp(1000)", "1e300", "0 % 0",
      "asin(2)", "10 ^ 400", "time * 0 + 1 / 0", "tan(time * 0 + 1 / 0)",
    ])
  func `what is no number is 0`(text: String) throws {
    #expect(try value(text) == 0)
  }

  @Test
  func `it knows time, frame and channel`() throws {
    let frames = try play("frame", channels: 2, frames: 5000)
    #expect(frames[0] == (0..<5000).map(Float.init))
    #expect(frames[1] == frames[0])
    #expect(
      try play("time", frames: 5000)[0] == (0..<5000).map { Float(Double($0) / 48_000) })
    #expect(try play("channel + 10 * channels", channels: 3).map(\.[7]) == [30, 31, 32])
  }

  @Test
  func `it reads what it pulls, of each channel`() throws {
    let input = [noise(200, seed: 4), noise(200, seed: 5)]
    let callback = ExpressionCallback(
      value: "channel == 0 ? (input(0) + input(1)) / 2 : (input - input(1 - channel)) / 2")
    #expect(callback.input == .required)
    #expect(callback.duration(for: stereo48) == 0)
    let found = try RenderCallbacksTests.process(callback, input)
    let halves = input.map { $0.map { Double($0) / 2 } }
    let sum = (0..<200).map { Float(halves[0][$0] + halves[1][$0]) }
    let difference = (0..<200).map { Float(halves[1][$0] - halves[0][$0]) }
    #expect(found[0] == sum)
    #expect(found[1] == difference)
    let beyond = ExpressionCallback(value: "input(2) + input(-1) + input(1 / 0) + input(0 / 0)")
    #expect(try RenderCallbacksTests.process(beyond, input)[0].allSatisfy { $0 == 0 })
    #expect(ExpressionCallback(value: "time").input == .optional)
    #expect(ExpressionCallback(value: "time").duration(for: mono48) == nil)
  }

  @Test
  func `noise is the same on each run, and another for each number, place and channel`() throws {
    let first = try play("noise(1)", channels: 2, frames: 20_000)
    #expect(first[0] != first[1])
    #expect(try play("noise(1)", channels: 2, frames: 20_000, slicing: Slicing([333])) == first)
    #expect(try play("noise(2)", channels: 2, frames: 20_000)[0] != first[0])
    #expect(try value("noise(7) - noise(7)") == 0)
    let places = try play("noise() - noise()", frames: 20_000)[0]
    #expect(places.count { $0 == 0 } < 10)
    #expect(first[0].allSatisfy { abs($0) <= 1 })
    let mean = first[0].reduce(0, +) / 20_000
    let power = first[0].reduce(0) { $0 + $1 * $1 } / 20_000
    #expect(abs(mean) < 0.02 && abs(power - 1 / 3) < 0.01)
  }

  @Test(
    arguments: Slicing.every,
    [
      "0.3 * sin(tau * 440.1 * time) + 0.1 * noise() * exp(-time)",
      "input * (1 - 0.4 * (1 - cos(tau * 5 * time))) + 0.2 * input(1 - channel)", "frame % 7",
    ])
  func `it does not depend on slicing`(slicing: Slicing, text: String) throws {
    let callback = ExpressionCallback(value: text)
    let input = [noise(5000, seed: 6), noise(5000, seed: 7)]
    #expect(
      try RenderCallbacksTests.process(callback, input, slicing: slicing)
        == RenderCallbacksTests.process(callback, input))
  }

  @Test
  func `the longest and the deepest expressions run`() throws {
    let sum = "1" + String(repeating: "+1", count: 2047)
    #expect(sum.utf8.count == 4095)
    #expect(try value(sum) == 2048)
    let distinct = "frame * 0 + " + (0..<500).map { "\($0)" }.joined(separator: " + ")
    #expect(try value(distinct) == 500 * 499 / 2)
    let deep = String(repeating: "(", count: 63) + "1" + String(repeating: ")", count: 63)
    #expect(try value(deep) == 1)
    // Many pending intermediate results.
    let waiting =
      String(repeating: "frame * 0 + 0.5 * (1 + ", count: 20) + "frame * 0"
      + String(repeating: ")", count: 20)
    #expect(try value(waiting) == 1 - 0x1p-20)
  }
}

struct ExpressionMistakeTests {
  private func mistakes(_ text: String, _ constants: [String: Double] = [:]) -> [CallbackProblem] {
    ExpressionCallback(value: text, constants: constants).problems(for: mono48)
  }

  @Test(
    arguments: [
      ("", "the expression is empty", 0, 0),
      ("  ", "the expression is empty", 2, 2),
      ("1 +", "a value is missing at the end", 3, 3),
      ("1 + * 2", "a value is missing here", 4, 5),
      ("(1 + 2", "this parenthesis is not closed", 0, 1),
      ("1 + 2)", "this parenthesis closes nothing", 5, 6),
      ("()", "there is nothing in these parentheses", 0, 2),
      ("2 time", "an operator is missing before this", 2, 6),
      ("2pi", "'2pi' is neither a number nor a name", 0, 3),
      ("(2)(3)", "'(' does not fit here", 3, 4),
      ("1,5", "a comma stands between the values of a function", 1, 2),
      ("0 < time < 1", "comparisons do not chain", 9, 10),
      ("1 ? 2", "this '?' has no ':'", 2, 3),
      ("1 : 2", "a ':' belongs to a '?'", 2, 3),
      ("tau = 1", "'=' does not belong in an expression", 4, 5),
      ("2 ** 3", "'**' is no operator", 2, 4),
      ("1.2.3", "a number has one decimal point", 0, 4),
      (".", "'.' is no number", 0, 1),
      ("1e999", "the number '1e999' is too great", 0, 5),
      ("2 × 3", "'×' does not belong in an expression", 2, 4),
      ("sinn(1)", "there is no function 'sinn'", 0, 4),
      ("tiem * 2", "there is no value 'tiem'", 0, 4),
      ("1 + sin", "'sin' is a function", 4, 7),
      ("time(2)", "'time' is no function", 0, 4),
      ("sin()", "'sin' takes 1 value, not 0", 0, 5),
      ("2 * clamp(1, 2)", "'clamp' takes 3 values, not 2", 4, 15),
      ("noise(1, 2)", "'noise' takes at most 1 value, not 2", 0, 11),
      ("min(1)", "'min' takes 2 to 64 values, not 1", 0, 6),
      ("input(0, 1)", "'input' takes 1 value, not 2", 0, 11),
      ("sin(1,)", "a value is missing here", 6, 7),
      ("sin(1 2)", "an operator is missing before this", 6, 7),
    ] as [(String, String, Int, Int)])
  func `a mistake is said and shown`(text: String, message: String, from: Int, to: Int) {
    let found = mistakes(text)
    #expect(found.map(\.message) == [message])
    #expect(found.map(\.range) == [from..<to])
    #expect(found.allSatisfy { $0.setting == "value" && $0.status == .parameterError })
  }

  @Test
  func `each name that is not known is said, with those that are`() {
    let found = mistakes("sinn(tiem) + depht", ["depth": 1])
    #expect(found.map(\.unknown?.name) == ["sinn", "tiem", "depht"])
    #expect(found.map { $0.unknown?.candidates.contains("depth") } == [false, true, true])
    #expect(found.map { $0.unknown?.candidates.contains("sin") } == [true, false, false])
  }

  @Test
  func `what is too long or too deep is refused`() {
    #expect(
      mistakes(String(repeating: "1+", count: 2048) + "1").map(\.message)
        == ["an expression has at most 4096 bytes, not 4097"])
    for text in ["(", "-", "sin(", "1 ^ ", "1 ? "] {
      #expect(
        mistakes(String(repeating: text, count: 700) + "1").map(\.message)
          == ["the expression is nested more than 64 deep"])
    }
  }

  @Test
  func `a constant has a name of its own and a finite number`() {
    #expect(mistakes("1", ["2x": 1]).map(\.message) == ["'2x' is no name for a constant"])
    #expect(
      mistakes("1", ["time": 1]).map(\.message)
        == ["the name 'time' has a meaning of its own in expressions"])
    #expect(mistakes("1", ["x": .infinity]).map(\.setting) == ["constants"])
    let many = Dictionary(uniqueKeysWithValues: (0..<65).map { ("k\($0)", 1.0) })
    #expect(
      mistakes("1", many).map(\.message) == ["an expression has at most 64 constants, not 65"])
  }

  @Test
  func `no text stops the reader`() {
    var generator = SplitMix64(seed: 9)
    let words =
      ExpressionLanguage.names.sorted()
      + [
        "(", ")", ",", "?", ":", "+", "-", "*", "/", "%", "^", "<", "<=", "==", "!=", "!", "&&",
        "||",
      ]
      + ["1", "0.5", "1e3", ".", "..", "1e", "é", "\u{0}", "x", " ", "\n", "=", "&"]
    var good = 0
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...12, using: &generator))
        .map { _ in words[Int.random(in: 0..<words.count, using: &generator)] }
        .joined(separator: Bool.random(using: &generator) ? " " : "")
      switch ExpressionParser.parse(text) {
      case .success(let steps):
        good += 1
        let code = ExpressionCompiler.code(steps, sampleRate: 48_000, channelCount: 2)
        #expect(code.result < code.rowCount)
      case .failure(let mistakes):
        let length = text.utf8.count
        for error in mistakes.errors {
          #expect(error.range.lowerBound >= 0 && error.range.upperBound <= length, "\(text)")
        }
        #expect(!mistakes.errors.isEmpty)
      }
    }
    #expect(good > 100)
  }

  @Test
  func `every operation can be written, and no name is there twice`() {
    let names = (ExpressionLanguage.values + ExpressionLanguage.functions).map(\.name)
    #expect(Set(names).count == names.count)
    for function in ExpressionFunction.all {
      let count = function.argumentCounts.lowerBound
      let text = "\(function.name)(\((0..<count).map { _ in "1" }.joined(separator: ",")))"
      #expect(mistakes(text).isEmpty, "\(text)")
    }
  }
}
