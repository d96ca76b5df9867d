import AudioTypes
import Glibc
import RenderCore
import TestSupport
import Testing

/// A convolver in a kernel.
private struct ConvolverKernel: RenderKernel, ~Copyable {
  var convolver: Convolver

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    convolver.process(context.input(0), into: context.output(0))
    return .ok
  }
}

private func convolve(
  _ input: [[Float]], _ responses: [[Float]], _ paths: [Convolver.Path], outputCount: Int,
  slicing: Slicing = Slicing([1024])
) -> [[Float]] {
  let convolver = Convolver(
    responses: responses, paths: paths, inputCount: input.count, outputCount: outputCount)
  return render(
    .holding(ConvolverKernel(convolver: convolver)), inputs: [input],
    outputChannelCounts: [outputCount], frameCount: input[0].count, slicing: slicing)[0]
}

/// The definition of convolution at one frame, in double precision.
private func direct(_ input: [Float], _ response: [Float], at frame: Int) -> Double {
  var sum = 0.0
  for tap in 0...min(frame, response.count - 1) {
    sum += Double(input[frame - tap]) * Double(response[tap])
  }
  return sum
}

struct ConvolverTests {
  @Test(arguments: [1, 2, 63, 64, 65, 127, 128, 129, 1000, 1024, 1025, 1537, 8192, 8193, 20_000])
  func `it is the convolution of the definition`(length: Int) {
    let response = noise(length, seed: 1).enumerated().map {
      $0.element * expf(-3 * Float($0.offset) / Float(length))
    }
    let frames = min(2 * length + 700, 26_000)
    let input = noise(frames, seed: 2)
    let found = convolve(
      [input], [response], [.init(input: 0, output: 0, response: 0)], outputCount: 1)[0]
    var worst = 0.0
    var peak = 0.0
    // A prime stride, so that all positions in blocks occur.
    for frame in stride(from: 0, to: frames, by: frames > 3000 ? 37 : 1) {
      let expected = direct(input, response, at: frame)
      worst = max(worst, abs(Double(found[frame]) - expected))
      peak = max(peak, abs(expected))
    }
    // The rounding of floats, in sums of up to 20,000.
    #expect(20 * log10(worst / peak) < -120, "\(20 * log10(worst / peak)) dB")
  }

  @Test(arguments: [0, 1, 63, 64, 100, 1023, 1024, 5000, 8191, 8192, 12_287, 13_000])
  func `an impulse comes out when it should and nothing before it`(delay: Int) {
    var response = [Float](repeating: 0, count: 13_001)
    response[delay] = 0.5
    var input = [Float](repeating: 0, count: 17_000)
    input[3000] = 1
    let found = convolve(
      [input], [response], [.init(input: 0, output: 0, response: 0)], outputCount: 1)[0]
    let worst = found.indices.map { abs(found[$0] - ($0 == 3000 + delay ? 0.5 : 0)) }.max() ?? 1
    #expect(20 * log10(worst) < -120)
    #expect(found[..<3000].allSatisfy { $0 == 0 })
  }

  @Test(arguments: Slicing.every)
  func `no bit depends on slicing`(slicing: Slicing) {
    let responses = [noise(9000, seed: 3), noise(9000, seed: 4)]
    let input = [noise(14_000, seed: 5), noise(14_000, seed: 6)]
    let paths = (0..<2).map { Convolver.Path(input: $0, output: $0, response: $0) }
    #expect(
      convolve(input, responses, paths, outputCount: 2, slicing: slicing)
        == convolve(input, responses, paths, outputCount: 2, slicing: Slicing([4096])))
  }

  @Test
  func `paths cross`() {
    let responses = (0..<4).map { noise(700, seed: UInt64(10 + $0)) }
    let input = [noise(2000, seed: 7), noise(2000, seed: 8)]
    // In no particular order, and an output without a path.
    let paths = [
      Convolver.Path(input: 1, output: 1, response: 3), .init(input: 0, output: 1, response: 1),
      .init(input: 0, output: 0, response: 0), .init(input: 1, output: 0, response: 2),
    ]
    let found = convolve(input, responses, paths, outputCount: 3)
    for frame in stride(from: 0, to: 2000, by: 7) {
      for output in 0..<2 {
        let expected =
          direct(input[0], responses[output], at: frame)
          + direct(input[1], responses[2 + output], at: frame)
        #expect(abs(Double(found[output][frame]) - expected) < 1e-5 * 30)
      }
    }
    #expect(found[2].allSatisfy { $0 == 0 })
  }
}
