import RenderCore
import TestSupport
import Testing

@testable import VoiceProcessing

@Suite struct RecurrentNetworkTests {
  private static let (inputCount, unitCount) = (5, 3)

  /// A network with random weights.
  private static let weights: RecurrentNetwork.Weights = {
    var random = SplitMix64(seed: 12)
    func drawn(_ count: Int) -> [Float] { (0..<count).map { _ in Float(random.even()) } }
    return RecurrentNetwork.Weights(
      means: drawn(inputCount), scales: drawn(inputCount).map { 1 + abs($0) },
      inputs: drawn(3 * inputCount * unitCount), states: drawn(3 * unitCount * unitCount),
      biases: drawn(3 * unitCount), stateBiases: drawn(unitCount), outputs: drawn(unitCount),
      bias: 0.3)
  }()

  private static let frames: [[Float]] = {
    var random = SplitMix64(seed: 13)
    // Some of them are beyond four deviations.
    return (0..<60).map { _ in (0..<inputCount).map { _ in Float(3 * random.even()) } }
  }()

  /// The formulas of `RecurrentNetwork` for each unit, in double precision.
  private static func reference() -> [Double] {
    let units = unitCount
    func bent(_ x: Double) -> Double { x / (1 + abs(x)) }
    var state = [Double](repeating: 0, count: units)
    return frames.map { frame in
      let given = frame.indices.map {
        min(max(Double((frame[$0] - weights.means[$0]) * weights.scales[$0]), -4), 4)
      }
      func fromInputs(_ place: Int) -> Double {
        given.indices.reduce(Double(weights.biases[place])) {
          $0 + given[$1] * Double(weights.inputs[$1 * 3 * units + place])
        }
      }
      func fromState(_ place: Int) -> Double {
        state.indices.reduce(0) {
          $0 + state[$1] * Double(weights.states[$1 * 3 * units + place])
        }
      }
      state = (0..<units).map { unit in
        let update = 0.5 + 0.5 * bent(fromInputs(unit) + fromState(unit))
        let reset = 0.5 + 0.5 * bent(fromInputs(units + unit) + fromState(units + unit))
        let place = 2 * units + unit
        let candidate = bent(
          fromInputs(place) + reset * (fromState(place) + Double(weights.stateBiases[unit])))
        return update * state[unit] + (1 - update) * candidate
      }
      return state.indices.reduce(Double(weights.bias)) {
        $0 + state[$1] * Double(weights.outputs[$1])
      }
    }
  }

  @Test func `a network gives what its formulas say, frame by frame`() {
    var network = RecurrentNetwork(Self.weights)
    let memory = SampleStorage(repeating: 0, count: Self.inputCount)
    let expected = Self.reference()
    for (frame, wanted) in zip(Self.frames, expected) {
      for index in frame.indices { memory[index] = frame[index] }
      let found = network.judge(memory.buffer(at: 0, count: Self.inputCount))
      #expect(abs(Double(found) - wanted) < 1e-5)
    }
    // The output varies, and depends on earlier frames.
    #expect((expected.max() ?? 0) - (expected.min() ?? 0) > 0.5)
    var fresh = RecurrentNetwork(Self.weights)
    let alone = fresh.judge(memory.buffer(at: 0, count: Self.inputCount))
    #expect(abs(Double(alone) - expected[59]) > 0.01)
  }

  @Test func `a network allocates nothing`() {
    var network = RecurrentNetwork(NearDetectorWeights.network)
    let memory = SampleStorage(repeating: 0.5, count: NearDetector.clueCount)
    let calls = allocations {
      for _ in 0..<20 { _ = network.judge(memory.buffer(at: 0, count: memory.count)) }
    }
    #expect(calls == 0)
  }
}
