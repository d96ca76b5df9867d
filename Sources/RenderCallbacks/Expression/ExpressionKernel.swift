import AudioTypes
import RenderCore

/// Computes an expression in blocks of frames: each instruction for all of a block, then the next.
///
/// There are two programs of one expression. In `fixed` the named constants are their initial
/// numbers. In `live` they have rows of their own; it runs from the first change of a constant on.
/// Both give the same with the same numbers.
///
/// `@safe`: it owns the controls of the constants, and each access checks the place.
@safe
struct ExpressionKernel: RenderKernel, ~Copyable {
  private var fixed: ExpressionProgram
  private var live: ExpressionProgram
  private let constants: UnsafeMutableBufferPointer<GlidingControl>
  /// Whether the row of each constant holds its value in every place.
  private let isFilled: UnsafeMutableBufferPointer<Bool>
  private var usesLive = false
  private var place: SourcePlaceAccess

  /// - Parameters:
  ///   - live: With a row for each of the constants, in their order.
  init(
    fixed: ExpressionCode, live: ExpressionCode, constants: [GlidingControl], sampleRate: Double,
    place: SourcePlaceAccess
  ) {
    self.fixed = ExpressionProgram(fixed, sampleRate: sampleRate)
    self.live = ExpressionProgram(live, sampleRate: sampleRate)
    unsafe self.constants = .allocate(capacity: constants.count)
    unsafe isFilled = .allocate(capacity: constants.count)
    for (index, constant) in constants.enumerated() {
      unsafe self.constants.initializeElement(at: index, to: constant)
      unsafe isFilled.initializeElement(at: index, to: false)
    }
    self.place = place
  }

  deinit {
    unsafe constants.deallocate()
    unsafe isFilled.deallocate()
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    _ = place.begin(context)
    for index in 0..<(unsafe constants.count) {
      if unsafe constants[index].follow() {
        unsafe isFilled[index] = false
        usesLive = true
      }
    }
    let output = context.output(0)
    var done = 0
    while done < context.frameCount {
      let rest = context.frameCount - done
      let count = rest < ExpressionProgram.blockLength ? rest : ExpressionProgram.blockLength
      let position = place.frame + done
      if usesLive {
        for index in 0..<(unsafe constants.count) { setConstant(index, count) }
        live.render(context, output, at: position, from: done, count)
      } else {
        fixed.render(context, output, at: position, from: done, count)
      }
      done += count
    }
    place.end(context)
    return .ok
  }

  @_noLocks
  private mutating func setConstant(_ index: Int, _ count: Int) {
    if unsafe isFilled[index] { return }
    let row = ExpressionCode.variableRows + index
    if unsafe constants[index].isSettled {
      live.rows.fill(row, with: unsafe constants[index].current)
      unsafe isFilled[index] = true
      return
    }
    for frame in 0..<count { live.rows[row, frame] = unsafe constants[index].next() }
  }
}

/// An expression's instructions and their memory.
///
/// `@safe`: it owns the instructions, which it runs from the first to the last.
@safe
private struct ExpressionProgram: ~Copyable {
  /// Frames of a block. The output does not depend on it: each frame is computed by itself.
  static var blockLength: Int { @_noLocks get { 64 } }

  private let instructions: UnsafeMutablePointer<ExpressionInstruction>
  private let instructionCount: Int
  let rows: ExpressionRows
  private let result: Int
  private let sampleRate: Double
  private let usesTime: Bool
  private let usesFrame: Bool
  private let usesChannel: Bool
  private let usesInput: Bool
  private let dependsOnChannel: Bool
  private var position = 0

  init(_ code: ExpressionCode, sampleRate: Double) {
    unsafe instructions = .allocate(capacity: max(1, code.instructions.count))
    for (index, instruction) in code.instructions.enumerated() {
      unsafe (instructions + index).initialize(to: instruction)
    }
    instructionCount = code.instructions.count
    rows = ExpressionRows(count: code.rowCount, length: Self.blockLength)
    for (index, value) in code.constants.enumerated() {
      rows.fill(code.firstConstant + index, with: value)
    }
    result = code.result
    self.sampleRate = sampleRate
    usesTime = code.variables.contains(.time)
    usesFrame = code.variables.contains(.frame)
    usesChannel = code.variables.contains(.channel)
    usesInput = code.variables.contains(.input)
    dependsOnChannel = code.dependsOnChannel
  }

  deinit { unsafe instructions.deallocate() }

  /// Computes a block.
  ///
  /// - Parameters:
  ///   - frame: The first frame of the block, counted from the beginning of the sound.
  ///   - done: Frames of the slice before the block.
  @_noLocks
  mutating func render(
    _ context: RenderContext, _ output: RenderBus, at frame: Int, from done: Int, _ count: Int
  ) {
    position = frame
    setTime(count)
    for channel in 0..<output.channelCount {
      let sink = output[channel].dropping(done)
      if channel == 0 || dependsOnChannel {
        compute(channel, context, from: done, count)
        write(sink, count)
      } else {
        sink.prefix(count).copy(from: output[0].dropping(done))
      }
    }
  }

  @_noLocks
  private mutating func setTime(_ count: Int) {
    if usesTime {
      for frame in 0..<count { rows[0, frame] = Double(position + frame) / sampleRate }
    }
    if usesFrame {
      for frame in 0..<count { rows[1, frame] = Double(position + frame) }
    }
  }

  @_noLocks
  private mutating func compute(
    _ channel: Int, _ context: RenderContext, from first: Int, _ count: Int
  ) {
    if usesInput {
      let source = context.input(0)[channel]
      for frame in 0..<count { rows[2, frame] = Double(source[first + frame]) }
    }
    if usesChannel { rows.fill(3, with: Double(channel)) }
    for index in 0..<instructionCount {
      let instruction = unsafe instructions[index]
      switch instruction.operation {
      case .noise: makeNoise(instruction, channel, count)
      case .inputOf: readInput(instruction, context, from: first, count)
      default: rows.run(instruction, frameCount: count)
      }
    }
  }

  /// A value that is not finite, or too great for a sample, becomes 0.
  @_noLocks
  private mutating func write(_ sink: ChannelBuffer, _ count: Int) {
    for frame in 0..<count {
      let value = Float(rows[result, frame])
      sink[frame] = value - value == 0 ? value : 0
    }
  }

  @_noLocks
  private mutating func makeNoise(
    _ instruction: ExpressionInstruction, _ channel: Int, _ count: Int
  ) {
    for frame in 0..<count {
      let seed = rows[Int(instruction.first), frame].bitPattern
      let place = rows[Int(instruction.second), frame].bitPattern
      let noise = WhiteNoise(seed: seed &+ place &* 0x9E37_79B9_7F4A_7C15)
      rows[Int(instruction.result), frame] = noise.value(
        key: noise.key(channel: channel), frame: UInt64(truncatingIfNeeded: position + frame))
    }
  }

  /// A channel that does not exist is silent.
  @_noLocks
  private mutating func readInput(
    _ instruction: ExpressionInstruction, _ context: RenderContext, from first: Int, _ count: Int
  ) {
    let input = context.input(0)
    for frame in 0..<count {
      let channel = rows[Int(instruction.first), frame]
      var value: Float = 0
      if channel >= 0 {
        if channel < Double(input.channelCount) { value = input[Int(channel)][first + frame] }
      }
      rows[Int(instruction.result), frame] = Double(value)
    }
  }
}
