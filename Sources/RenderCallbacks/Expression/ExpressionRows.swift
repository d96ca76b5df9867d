import RenderCore

/// The memory of an expression: rows of numbers, one number for each frame of a block. It runs
/// instructions on them.
///
/// `@safe`: it owns its memory, and each access checks row and frame.
@safe
struct ExpressionRows: ~Copyable {
  private let base: UnsafeMutablePointer<Double>
  private let count: Int
  /// Frames of a block.
  let length: Int

  init(count: Int, length: Int) {
    precondition(count > 0 && length > 0, "there is a row, and a frame")
    self.count = count
    self.length = length
    unsafe base = .allocate(capacity: count * length)
    unsafe base.initialize(repeating: 0, count: count * length)
  }

  deinit { unsafe base.deallocate() }

  @_noLocks
  private func start(_ row: Int) -> UnsafeMutablePointer<Double> {
    precondition(row >= 0 && row < count, "no such row")
    return unsafe base + row * length
  }

  subscript(row: Int, frame: Int) -> Double {
    @_noLocks get {
      precondition(frame >= 0 && frame < length, "no such frame")
      return unsafe start(row)[frame]
    }
    @_noLocks nonmutating set {
      precondition(frame >= 0 && frame < length, "no such frame")
      unsafe start(row)[frame] = newValue
    }
  }

  @_noLocks
  func fill(_ row: Int, with value: Double) {
    let row = unsafe start(row)
    for frame in 0..<length { unsafe row[frame] = value }
  }

  /// Runs a pure instruction.
  @_noLocks
  func run(_ instruction: ExpressionInstruction, frameCount: Int) {
    precondition(frameCount > 0 && frameCount <= length, "a block has so many frames")
    let z = unsafe start(Int(instruction.result))
    let x = unsafe start(Int(instruction.first))
    let y = unsafe start(Int(instruction.second))
    let w = unsafe start(Int(instruction.third))
    let frames = unsafe Range(uncheckedBounds: (0, frameCount))
    switch instruction.operation {
    case .negate: for i in frames { unsafe z[i] = -x[i] }
    case .not: for i in frames { unsafe z[i] = x[i] == 0 ? 1 : 0 }
    case .add: for i in frames { unsafe z[i] = x[i] + y[i] }
    case .subtract: for i in frames { unsafe z[i] = x[i] - y[i] }
    case .multiply: for i in frames { unsafe z[i] = x[i] * y[i] }
    case .divide: for i in frames { unsafe z[i] = x[i] / y[i] }
    case .modulo: for i in frames { unsafe z[i] = modulo(x[i], y[i]) }
    case .power: for i in frames { unsafe z[i] = renderPower(x[i], y[i]) }
    case .less: for i in frames { unsafe z[i] = x[i] < y[i] ? 1 : 0 }
    case .lessOrEqual: for i in frames { unsafe z[i] = x[i] <= y[i] ? 1 : 0 }
    case .greater: for i in frames { unsafe z[i] = x[i] > y[i] ? 1 : 0 }
    case .greaterOrEqual: for i in frames { unsafe z[i] = x[i] >= y[i] ? 1 : 0 }
    case .equal: for i in frames { unsafe z[i] = x[i] == y[i] ? 1 : 0 }
    case .unequal: for i in frames { unsafe z[i] = x[i] != y[i] ? 1 : 0 }
    case .and: for i in frames { unsafe z[i] = x[i] != 0 && y[i] != 0 ? 1 : 0 }
    case .or: for i in frames { unsafe z[i] = x[i] != 0 || y[i] != 0 ? 1 : 0 }
    case .select: for i in frames { unsafe z[i] = x[i] != 0 ? y[i] : w[i] }
    case .sine: for i in frames { unsafe z[i] = renderSine(x[i]) }
    case .cosine: for i in frames { unsafe z[i] = renderCosine(x[i]) }
    case .tangent: for i in frames { unsafe z[i] = renderTangent(x[i]) }
    case .arcSine: for i in frames { unsafe z[i] = renderArcSine(x[i]) }
    case .arcCosine: for i in frames { unsafe z[i] = renderArcCosine(x[i]) }
    case .arcTangent: for i in frames { unsafe z[i] = renderArcTangent(x[i]) }
    case .angle: for i in frames { unsafe z[i] = renderArcTangent(x[i], y[i]) }
    case .hyperbolicSine: for i in frames { unsafe z[i] = renderHyperbolicSine(x[i]) }
    case .hyperbolicCosine: for i in frames { unsafe z[i] = renderHyperbolicCosine(x[i]) }
    case .hyperbolicTangent: for i in frames { unsafe z[i] = renderHyperbolicTangent(x[i]) }
    case .exponential: for i in frames { unsafe z[i] = renderExp(x[i]) }
    case .logarithm: for i in frames { unsafe z[i] = renderLog(x[i]) }
    case .logarithm2: for i in frames { unsafe z[i] = renderLog2(x[i]) }
    case .logarithm10: for i in frames { unsafe z[i] = renderLog10(x[i]) }
    case .squareRoot: for i in frames { unsafe z[i] = renderSquareRoot(x[i]) }
    case .decibels: for i in frames { unsafe z[i] = renderPower(10, x[i] / 20) }
    case .absolute: for i in frames { unsafe z[i] = abs(x[i]) }
    case .sign: for i in frames { unsafe z[i] = x[i] > 0 ? 1 : x[i] < 0 ? -1 : 0 }
    case .floor: for i in frames { unsafe z[i] = renderFloor(x[i]) }
    case .ceiling: for i in frames { unsafe z[i] = renderCeiling(x[i]) }
    case .round: for i in frames { unsafe z[i] = renderRoundHalvesAway(x[i]) }
    case .truncate: for i in frames { unsafe z[i] = renderTruncation(x[i]) }
    case .fraction: for i in frames { unsafe z[i] = x[i] - renderFloor(x[i]) }
    case .minimum: for i in frames { unsafe z[i] = y[i] < x[i] ? y[i] : x[i] }
    case .maximum: for i in frames { unsafe z[i] = y[i] > x[i] ? y[i] : x[i] }
    case .hypotenuse: for i in frames { unsafe z[i] = renderHypotenuse(x[i], y[i]) }
    case .clamp:
      for i in frames {
        let raised = unsafe x[i] < y[i] ? y[i] : x[i]
        unsafe z[i] = raised > w[i] ? w[i] : raised
      }
    case .mix: for i in frames { unsafe z[i] = x[i] * (1 - w[i]) + y[i] * w[i] }
    case .noise, .inputOf: preconditionFailure("not of these rows alone")
    }
  }

  /// x modulo y, with the sign of y.
  @_noLocks
  private func modulo(_ x: Double, _ y: Double) -> Double {
    let rest = renderRemainder(x, y)
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest
  }
}
