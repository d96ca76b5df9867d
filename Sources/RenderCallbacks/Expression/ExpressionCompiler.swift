/// One instruction: rows of numbers in, a row of numbers out.
struct ExpressionInstruction: BitwiseCopyable, Hashable {
  let operation: ExpressionOperation
  let result: UInt16
  let first: UInt16
  let second: UInt16
  let third: UInt16
}

/// An expression as instructions, for one sample rate and number of channels.
///
/// Its memory is rows, with one number for each frame of a block: first a row for each variable and
/// for each live constant, then those of intermediate results, then one for each other constant,
/// which holds it in every place.
struct ExpressionCode: Hashable {
  var instructions: [ExpressionInstruction] = []
  /// In the rows from `firstConstant` on.
  var constants: [Double] = []
  var firstConstant = 0
  /// The row that holds the value of the expression.
  var result = 0
  var variables: Set<ExpressionVariable> = []
  var usesNoise = false

  var rowCount: Int { firstConstant + constants.count }

  /// Whether the channels of a bus can differ.
  var dependsOnChannel: Bool {
    usesNoise || readsInput || variables.contains(.channel)
  }

  var readsInput: Bool {
    variables.contains(.input) || instructions.contains { $0.operation == .inputOf }
  }

  /// The rows of variables.
  static func row(of variable: ExpressionVariable) -> Int {
    switch variable {
    case .time: 0
    case .frame: 1
    case .input: 2
    default: 3
    }
  }
  static var variableRows: Int { @_noLocks get { 4 } }
}

/// Compiles steps to instructions. What is constant is computed here.
enum ExpressionCompiler {
  private enum Operand {
    case constant(Double)
    case row(Int)
  }

  /// - Parameter liveConstants: The number of named constants with a row of their own, so that they
  ///   can change; 0 compiles all constants to their initial numbers.
  static func code(
    _ steps: [ExpressionStep], sampleRate: Double, channelCount: Int, liveConstants: Int = 0
  ) -> ExpressionCode {
    var code = ExpressionCode()
    let firstResult = ExpressionCode.variableRows + liveConstants
    // Assembled twice: the number of intermediate rows is known only at the end.
    code.firstConstant = firstResult
    let depth = assemble(steps, sampleRate, channelCount, firstResult, into: &code)
    code = ExpressionCode()
    code.firstConstant = firstResult + depth
    _ = assemble(steps, sampleRate, channelCount, firstResult, into: &code)
    return code
  }

  /// - Returns: The number of intermediate rows.
  private static func assemble(
    _ steps: [ExpressionStep], _ sampleRate: Double, _ channelCount: Int, _ firstResult: Int,
    into code: inout ExpressionCode
  ) -> Int {
    var stack: [Operand] = []
    var rows: [UInt64: Int] = [:]
    var depth = 0
    func row(_ operand: Operand) -> Int {
      switch operand {
      case .row(let row): return row
      case .constant(let value):
        if let row = rows[value.bitPattern] { return row }
        let row = code.rowCount
        code.constants.append(value)
        rows[value.bitPattern] = row
        return row
      }
    }
    for step in steps {
      switch step {
      case .number(let value): stack.append(.constant(value))
      case .constant(let place, let value):
        let row = ExpressionCode.variableRows + place
        stack.append(row < firstResult ? .row(row) : .constant(value))
      case .variable(.rate): stack.append(.constant(sampleRate))
      case .variable(.channels): stack.append(.constant(Double(channelCount)))
      case .variable(let variable):
        code.variables.insert(variable)
        stack.append(.row(ExpressionCode.row(of: variable)))
      case .operation(let operation):
        let operands = Array(stack.suffix(operation.operandCount))
        precondition(operands.count == operation.operandCount, "steps are in order")
        stack.removeLast(operands.count)
        if operation == .noise { code.usesNoise = true }
        let constants = operands.compactMap {
          if case .constant(let value) = $0 { value } else { nil }
        }
        if operation.isPure && constants.count == operands.count {
          stack.append(.constant(value(of: operation, constants)))
          continue
        }
        // Two results that are on the stack at a time never share a row. A result may share the row
        // of an operand: each place is read before it is written.
        let result = firstResult + stack.count
        depth = max(depth, stack.count + 1)
        let inputs = operands.map { UInt16(row($0)) }
        code.instructions.append(
          ExpressionInstruction(
            operation: operation, result: UInt16(result), first: inputs[0],
            second: inputs.count > 1 ? inputs[1] : inputs[0],
            third: inputs.count > 2 ? inputs[2] : inputs[0]))
        stack.append(.row(result))
      }
    }
    precondition(stack.count == 1, "an expression has one value")
    code.result = row(stack[0])
    return depth
  }

  private static func value(of operation: ExpressionOperation, _ operands: [Double]) -> Double {
    let rows = ExpressionRows(count: operands.count + 1, length: 1)
    for (row, value) in operands.enumerated() { rows.fill(row, with: value) }
    rows.run(
      ExpressionInstruction(
        operation: operation, result: UInt16(operands.count), first: 0,
        second: operands.count > 1 ? 1 : 0, third: operands.count > 2 ? 2 : 0), frameCount: 1)
    return rows[operands.count, 0]
  }
}
