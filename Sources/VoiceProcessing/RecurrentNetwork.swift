import RenderCore

/// A layer of gated recurrent units and a linear output: one number for each frame.
///
/// The units are those of K. Cho et al. ("Learning phrase representations using RNN
/// encoder-decoder", EMNLP 2014), but the reset gate is applied after the product with the state,
/// and the activations are softsigns, which need no exponential: a gate is `(1 + s(x)) / 2` and a
/// candidate `s(x)`, where `s(x) = x / (1 + |x|)`.
///
///     update    = (1 + s(W x + U h + b)) / 2
///     reset     = (1 + s(W x + U h + b)) / 2
///     candidate = s(W x + b + reset * (U h + c))
///     h         = update * h + (1 - update) * candidate
///     result    = v h + d
struct RecurrentNetwork: ~Copyable {
  /// The weights of a trained network.
  struct Weights {
    /// The mean of each input, and the inverse of its standard deviation.
    let means: [Float]
    let scales: [Float]
    /// The matrices W and U, row by row: a row for each input, or for each unit's state, with its
    /// weights in the update gates, in the reset gates and in the candidates.
    let inputs: [Float]
    let states: [Float]
    /// The biases b of gates and candidates, and c of the part of the candidates that is reset.
    let biases: [Float]
    let stateBiases: [Float]
    /// The output weights v and the bias d.
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
  /// The sums over the inputs, and over the state: for update gates, reset gates and candidates,
  /// then zeros up to whole vectors.
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

  /// The output for a frame. The state is carried over to the next call.
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
      let update = 0.5 + 0.5 * Self.softsign(fromInputs[unit] + fromState[unit])
      let (second, third) = (unitCount + unit, 2 * unitCount + unit)
      let reset = 0.5 + 0.5 * Self.softsign(fromInputs[second] + fromState[second])
      let candidate = Self.softsign(fromInputs[third] + reset * fromState[third])
      state[unit] = update * state[unit] + (1 - update) * candidate
      sum += outputs[unit] * state[unit]
    }
    return sum
  }

  @_noLocks
  private static func softsign(_ value: Float) -> Float { value / (1 + abs(value)) }
}
