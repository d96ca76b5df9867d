import RenderCore
import TestSupport
import Testing

@testable import VoiceProcessing

@Suite struct NearDetectorTests {
  /// The mean probability of near-end speech, over the hops of 8 ms in each stretch in seconds.
  private static func probabilities(
    _ scene: Conversation, _ stretches: [Range<Double>]
  ) -> [Float] {
    let hop = VoiceProcessor.hop(sampleRate: scene.sampleRate)
    var canceller = EchoCanceller(hop: hop, sampleRate: scene.sampleRate, length: 32)
    var suppressor = EchoSuppressor(hop: hop, sampleRate: scene.sampleRate)
    var search = DelaySearch(hop: hop, sampleRate: scene.sampleRate, longest: 0, covered: 32)
    let memory = SampleStorage(repeating: 0, count: 3 * hop)
    let (far, near, output) = (
      memory.buffer(at: 0, count: hop), memory.buffer(at: hop, count: hop),
      memory.buffer(at: 2 * hop, count: hop)
    )
    var sums = stretches.map { _ in (sum: Float(0), count: Float(0)) }
    for start in stride(from: 0, to: scene.microphone.count - hop, by: hop) {
      for index in 0..<hop {
        far[index] = scene.loudspeaker[start + index]
        near[index] = scene.microphone[start + index]
      }
      _ = search.align(far, near)
      suppressor.presence = search.presence
      canceller.model(loudspeaker: far, microphone: near)
      suppressor.suppress(microphone: near, canceller: &canceller, into: output)
      let time = Double(start) / scene.sampleRate
      for index in stretches.indices where stretches[index].contains(time) {
        sums[index].sum += canceller.nearProbability
        sums[index].count += 1
      }
    }
    return sums.map { $0.sum / $0.count }
  }

  @Test func `a voice near the microphone is told from an echo, also after a change of room`() {
    let scene = Conversation.inRoom(seconds: 6, nearFrom: 4.5, change: 3)
    let found = Self.probabilities(scene, [1..<3, 3.5..<4.4, 4.6..<6])
    #expect(found[0] < 0.05)
    #expect(found[1] < 0.1)
    #expect(found[2] > 0.7)
  }

  @Test func `each clue has a mean, a deviation and three weights in every unit`() {
    let network = NearDetectorWeights.network
    let (clues, units) = (NearDetector.clueCount, network.outputs.count)
    #expect(NearDetector.Clue.allCases.count == NearDetector.Clue.count)
    #expect(NearDetector.GroupClue.allCases.count == NearDetector.GroupClue.count)
    #expect(network.means.count == clues && network.scales.count == clues)
    #expect(network.inputs.count == clues * 3 * units)
    #expect(network.states.count == units * 3 * units)
    #expect(network.biases.count == 3 * units && network.stateBiases.count == units)
  }
}
