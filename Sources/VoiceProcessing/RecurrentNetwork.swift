import RenderCore

/// A layer of gated recurrent units and what they are worth together: one number for each frame.
///
/// Units as K. Cho et al. have them ("Learning phrase representations using RNN encoder-decoder", EMNLP
/// 2014), the reset gate behind the product with the state, and with bends that cost no exponential: a gate
/// is `(1 + s(x)) / 2` and a candidate `s(x)`, where `s(x) = x / (1 + |x|)`.
///
///     update    = (1 + s(W x + U h + b)) / 2
///     reset     = (1 + s(W x + U h + b)) / 2
///     candidate = s(W x + b + reset * (U h + c))
///     h         = update * h + (1 - update) * candidate
///     result    = v h + d
struct RecurrentNetwork: ~Copyable {
  /// What a network has learnt.
  struct Weights {
    /// Of each input: its mean, and 1 by its deviation.
    let means: [Float]
    let scales: [Float]
    /// Row by row, one for each input, then one for each unit's state: what it adds to the update gates, to
    /// the reset gates, and to the candidates.
    let inputs: [Float]
    let states: [Float]
    /// What the gates and the candidates begin with, and the candidates' part that is reset.
    let biases: [Float]
    let stateBiases: [Float]
    /// What each unit is worth, and what is added to them.
    let outputs: [Float]
    let bias: Float
  }

  let inputCount: Int
  let unitCount: Int
  private let means: SampleStorage
  private let scales: SampleStorage
  private let inputs: RowStorage
  private let states: RowStorage
  private let biases: SampleStorage
  private let stateBiases: SampleStorage
  private let outputs: SampleStorage
  private let bias: Float
  private let state: SampleStorage
  private let limited: SampleStorage
  /// What the inputs, and the state, add up to: three stretches as long as the state, then zeros up to whole
  /// vectors.
  private let fromInputs: SampleStorage
  private let fromState: SampleStorage

  init(_ weights: Weights) {
    inputCount = weights.means.count
    unitCount = weights.outputs.count
    means = SampleStorage(weights.means)
    scales = SampleStorage(weights.scales)
    inputs = Self.rows(weights.inputs, count: inputCount, width: 3 * unitCount)
    states = Self.rows(weights.states, count: unitCount, width: 3 * unitCount)
    biases = SampleStorage(weights.biases)
    stateBiases = SampleStorage(weights.stateBiases)
    outputs = SampleStorage(weights.outputs)
    bias = weights.bias
    state = SampleStorage(repeating: 0, count: weights.outputs.count)
    limited = SampleStorage(repeating: 0, count: inputCount)
    fromInputs = SampleStorage(repeating: 0, count: inputs.count)
    fromState = SampleStorage(repeating: 0, count: inputs.count)
    precondition(
      scales.count == inputCount && weights.inputs.count == 3 * inputCount * unitCount
        && weights.states.count == 3 * unitCount * unitCount && biases.count == 3 * unitCount
        && stateBiases.count == unitCount,
      "each unit has three weights for each input and each unit")
  }

  private static func rows(_ values: [Float], count: Int, width: Int) -> RowStorage {
    let rows = RowStorage(rowCount: count, count: VectorMath.rowLength(width))
    for (index, value) in values.enumerated() { rows[index / width][index % width] = value }
    return rows
  }

  /// What the network makes of a frame, and of those before it.
  @_noLocks
  mutating func judge(_ values: ChannelBuffer) -> Float {
    precondition(values.count == inputCount, "there is a value for each input")
    let fromInputs = fromInputs.buffer(at: 0, count: inputs.count)
    let fromState = fromState.buffer(at: 0, count: inputs.count)
    fromInputs.copy(from: biases.buffer(at: 0, count: biases.count))
    for index in 0..<inputCount {
      let value = (values[index] - means[index]) * scales[index]
      limited[index] = value < -4 ? -4 : value > 4 ? 4 : value
    }
    inputs.addRows(times: limited.buffer(at: 0, count: inputCount), to: fromInputs)
    fromState.clear()
    fromState.dropping(2 * unitCount).copy(from: stateBiases.buffer(at: 0, count: unitCount))
    states.addRows(times: state.buffer(at: 0, count: unitCount), to: fromState)
    var sum = bias
    for unit in 0..<unitCount {
      let update = 0.5 + 0.5 * Self.bent(fromInputs[unit] + fromState[unit])
      let (second, third) = (unitCount + unit, 2 * unitCount + unit)
      let reset = 0.5 + 0.5 * Self.bent(fromInputs[second] + fromState[second])
      let candidate = Self.bent(fromInputs[third] + reset * fromState[third])
      state[unit] = update * state[unit] + (1 - update) * candidate
      sum += outputs[unit] * state[unit]
    }
    return sum
  }

  @_noLocks
  private static func bent(_ value: Float) -> Float { value / (1 + abs(value)) }
}
