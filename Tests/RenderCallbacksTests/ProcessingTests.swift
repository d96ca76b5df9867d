import AudioTypes
import Glibc
import RenderCore
import TestSupport
import Testing

@testable import RenderCallbacks

struct GainTests {
  @Test(arguments: [0.5, 2, -0.3, 1, 0, 100])
  func `each sample is multiplied`(gain: Double) throws {
    let input = [noise(3000, seed: 1), noise(3000, seed: 2)]
    let found = try process(GainCallback(gain: gain), input)
    for channel in 0..<2 {
      #expect(found[channel] == input[channel].map { $0 * Float(gain) })
    }
  }

  @Test(arguments: Slicing.every)
  func `it does not depend on slicing`(slicing: Slicing) throws {
    let input = [noise(6000, seed: 3)]
    #expect(
      try process(GainCallback(gain: 0.7), input, slicing: slicing)
        == process(GainCallback(gain: 0.7), input))
  }
}

struct RingModulatorTests {
  @Test(arguments: [(440, 1), (30.5, 0.25), (24_000, 1), (997.3, 0)] as [(Double, Double)])
  func `it is the product with a sine`(frequency: Double, mix: Double) throws {
    let input = [noise(10_000, seed: 4), noise(10_000, seed: 5)]
    let found = try process(RingModulatorCallback(frequency: frequency, mix: mix), input)
    for channel in 0..<2 {
      // The rounding error of floats near 1 is up to -150 dB.
      let difference = worst(found[channel]) { frame in
        let wave = sin(2 * .pi * frequency * Double(frame) / 48_000)
        return Double(input[channel][frame]) * (1 - mix + mix * wave)
      }
      #expect(difference < -140)
    }
  }

  @Test
  func `a sine becomes the sum and the difference, and nothing else`() throws {
    let count = 4800
    let input = (0..<count).map { Float(cos(2 * .pi * 1000 * Double($0) / 48_000)) }
    let found = try process(RingModulatorCallback(frequency: 300), [input])[0]
    // The bins are 10 Hz wide.
    let levels = (0...count / 2).map { bin in
      var (re, im) = (0.0, 0.0)
      if bin % 10 == 0 {
        for frame in 0..<count {
          let angle = 2 * Double.pi * Double(bin * frame % count) / Double(count)
          re += Double(found[frame]) * cos(angle)
          im += Double(found[frame]) * sin(angle)
        }
      }
      return 10 * log10((re * re + im * im) * 4 / Double(count * count))
    }
    for (bin, level) in levels.enumerated() where bin % 10 == 0 {
      if bin == 70 || bin == 130 {
        #expect(abs(level - 20 * log10(0.5)) < 0.0001)
      } else {
        #expect(level < -140)
      }
    }
  }

  @Test(arguments: Slicing.every)
  func `it does not depend on slicing`(slicing: Slicing) throws {
    let input = [noise(9000, seed: 6), noise(9000, seed: 7)]
    let callback = RingModulatorCallback(frequency: 441.7, mix: 0.8)
    #expect(try process(callback, input, slicing: slicing) == process(callback, input))
  }

  @Test
  func `a frequency that the bus cannot carry is refused`() {
    let callback = RingModulatorCallback(frequency: 24_001)
    #expect(callback.problems(for: mono48).map(\.setting) == ["frequency"])
    #expect(throws: CallbackProblem.self) {
      try callback.makeSource(for: mono48, maximumFramesPerSlice: 512)
    }
  }
}

struct TremoloTests {
  /// The output for a constant input of 1.
  private func envelope(_ callback: TremoloCallback, frames: Int) throws -> [Float] {
    try process(callback, [[Float](repeating: 1, count: frames)])[0]
  }

  @Test(arguments: [(5, 0.5), (0.1, 1), (100, 0.3), (7.77, 0)] as [(Double, Double)])
  func `the gain of a sine is a cosine from 1 to 1 - depth`(rate: Double, depth: Double) throws {
    let found = try envelope(TremoloCallback(rate: rate, depth: depth), frames: 20_000)
    let difference = worst(found) {
      1 - depth * (1 - cos(2 * .pi * rate * Double($0) / 48_000)) / 2
    }
    #expect(difference < -140)
  }

  @Test
  func `the gain of a triangle goes straight`() throws {
    let found = try envelope(
      TremoloCallback(rate: 10, depth: 0.75, shape: .triangle), frames: 9600)
    let difference = worst(found) {
      let phase = Double($0 % 4800) / 4800
      return 1 - 0.75 * (phase < 0.5 ? 2 * phase : 2 - 2 * phase)
    }
    #expect(difference < -140)
  }

  @Test
  func `a square is on, then off, and its edges take 4 ms`() throws {
    let found = try envelope(TremoloCallback(rate: 10, depth: 1, shape: .square), frames: 9600)
    for start in [0, 4800] {
      let cycle = Array(found[start..<start + 4800])
      #expect(cycle[...2208].allSatisfy { $0 == 1 })
      #expect(cycle[2400...4608].allSatisfy { $0 == 0 })
      // Halfway after 2 ms, and no step larger than that of the cosine.
      #expect(abs(cycle[2304] - 0.5) < 1e-6)
      #expect(abs(cycle[4704] - 0.5) < 1e-6)
    }
    let steps = zip(found, found.dropFirst()).map { abs($0 - $1) }
    #expect(steps.max() ?? 1 < Float.pi / 2 / 192 * 1.01)
  }

  @Test(arguments: Slicing.every, TremoloCallback.Shape.allCases)
  func `it does not depend on slicing`(slicing: Slicing, shape: TremoloCallback.Shape) throws {
    let input = [noise(9000, seed: 8), noise(9000, seed: 9)]
    let callback = TremoloCallback(rate: 33.3, depth: 0.9, shape: shape)
    #expect(try process(callback, input, slicing: slicing) == process(callback, input))
  }
}

struct EchoTests {
  @Test(arguments: [1, 2, 100, 1024, 3000])
  func `an impulse comes back where and as loud as it should`(delay: Int) throws {
    var input = [Float](repeating: 0, count: 10_000)
    input[17] = 1
    let found = try process(
      EchoCallback(delay: Double(delay) / 48_000, feedback: 0.5, mix: 0.25), [input])[0]
    for frame in found.indices {
      let late = frame - 17
      // Powers of two, so that all products are exact.
      let expected: Float =
        late == 0
        ? 0.75
        : late > 0 && late % delay == 0 ? 0.25 * powf(0.5, Float(late / delay - 1)) : 0
      #expect(found[frame] == expected, "\(frame)")
      if found[frame] != expected { break }
    }
  }

  @Test
  func `channels stay apart, and a negative feedback turns each echo over`() throws {
    var left = [Float](repeating: 0, count: 1000)
    var right = left
    left[0] = 1
    right[50] = 1
    let found = try process(
      EchoCallback(delay: 0.002, feedback: -0.5, mix: 1), [left, right])
    #expect(
      found[0].enumerated().filter { $0.element != 0 }.map(\.offset).prefix(3) == [96, 192, 288])
    #expect(Array(found[0].filter { $0 != 0 }.prefix(3)) == [1, -0.5, 0.25])
    #expect(
      found[1].enumerated().filter { $0.element != 0 }.map(\.offset).prefix(3) == [146, 242, 338])
  }

  @Test(arguments: Slicing.every)
  func `it does not depend on slicing`(slicing: Slicing) throws {
    let input = [noise(9000, seed: 10), noise(9000, seed: 11)]
    let callback = EchoCallback(delay: 0.0213, feedback: 0.83, mix: 0.4)
    #expect(try process(callback, input, slicing: slicing) == process(callback, input))
  }

  @Test(
    arguments: [(0.01, 0.5, 0.5), (0.003, 0.9, 1), (0.02, 0, 0.3)] as [(Double, Double, Double)])
  func `its tail ends where the echoes are 120 dB down`(
    delay: Double, feedback: Double, mix: Double
  ) throws {
    let callback = EchoCallback(delay: delay, feedback: feedback, mix: mix)
    let tail = try #require(callback.duration(for: mono48))
    let step = Int(delay * 48_000)
    var input = [Float](repeating: 0, count: tail + 2 * step)
    input[0] = 1
    let found = try process(callback, [input])[0]
    let last = found.lastIndex { abs($0) >= 1e-6 } ?? -1
    #expect(last <= tail && last > tail - 2 * step)
  }

  @Test
  func `a delay that takes too much memory is refused`() {
    let wide = StreamFormat(.float32, channels: 1024, sampleRate: 192_000)
    #expect(EchoCallback(delay: 10).problems(for: wide).map(\.setting) == ["delay"])
    #expect(EchoCallback(delay: 10).problems(for: stereo48).isEmpty)
  }
}

struct ConvolutionTests {
  /// A decaying response.
  private func response(_ count: Int, seed: UInt64) -> [Float] {
    noise(count, seed: seed).enumerated().map {
      $0.element * expf(-4 * Float($0.offset) / Float(count))
    }
  }

  /// The definition of convolution at one frame, in double precision.
  private func direct(_ input: [Float], _ response: [Float], at frame: Int) -> Double {
    (0...min(frame, response.count - 1)).reduce(0) {
      $0 + Double(input[frame - $1]) * Double(response[$1])
    }
  }

  private func file(_ channels: [[Float]], sampleRate: Double = 48_000) throws -> TestFile {
    try TestFile(
      .float32,
      channels[0].indices.flatMap { frame in channels.map { Double($0[frame]) } },
      channels: channels.count, sampleRate: sampleRate)
  }

  @Test
  func `one channel of a response goes to each of the bus, without latency`() throws {
    let taps = response(5000, seed: 20)
    let file = try file([taps])
    let input = [noise(6000, seed: 21), noise(6000, seed: 22)]
    let found = try process(ConvolutionCallback(path: file.path), input)
    for channel in 0..<2 {
      for frame in [0, 1, 62, 63, 64, 65, 1000, 1024, 4999, 5000, 5999] {
        let expected = direct(input[channel], taps, at: frame)
        // 130 dB below the peak of about 20.
        #expect(abs(Double(found[channel][frame]) - expected) < 1e-5)
      }
    }
  }

  @Test
  func `channels of a response find their way`() throws {
    let taps = (0..<4).map { response(300, seed: UInt64(30 + $0)) }
    let input = [noise(1000, seed: 34), noise(1000, seed: 35)]
    let two = try file([taps[0], taps[1]])
    let four = try file(taps)
    let pair = try process(ConvolutionCallback(path: two.path), input)
    let matrix = try process(ConvolutionCallback(path: four.path), input)
    let mean = try process(ConvolutionCallback(path: two.path), [input[0]])
    for frame in stride(from: 0, to: 1000, by: 13) {
      let parts = (0..<4).map { direct(input[$0 / 2], taps[$0], at: frame) }
      #expect(abs(Double(pair[0][frame]) - parts[0]) < 1e-5)
      #expect(abs(Double(pair[1][frame]) - direct(input[1], taps[1], at: frame)) < 1e-5)
      #expect(abs(Double(matrix[0][frame]) - parts[0] - parts[2]) < 1e-5)
      #expect(abs(Double(matrix[1][frame]) - parts[1] - parts[3]) < 1e-5)
      #expect(abs(Double(mean[0][frame]) - (parts[0] + parts[1]) / 2) < 1e-5)
    }
  }

  @Test
  func `gain and mix are what they say`() throws {
    let taps = response(200, seed: 40)
    let file = try file([taps])
    let input = [noise(500, seed: 41), noise(500, seed: 42)]
    let found = try process(
      ConvolutionCallback(path: file.path, gain: 0.5, mix: 0.25), input)
    for channel in 0..<2 {
      let difference = worst(found[channel]) {
        0.75 * Double(input[channel][$0]) + 0.125 * direct(input[channel], taps, at: $0)
      }
      #expect(difference < -120)
    }
  }

  @Test
  func `a response of another rate colours in the same way`() throws {
    // A gentle low-pass at 96 kHz, and the level of a 1 kHz sine through it at 48 kHz.
    let taps = (0..<400).map { Float(exp(-Double($0) / 40) / 40) }
    let file = try file([taps], sampleRate: 96_000)
    var (re, im) = (0.0, 0.0)
    for (tap, value) in taps.enumerated() {
      let angle = 2 * Double.pi * 1000 * Double(tap) / 96_000
      re += Double(value) * cos(angle)
      im += Double(value) * sin(angle)
    }
    let input = [(0..<4800).map { Float(sin(2 * .pi * 1000 * Double($0) / 48_000)) }]
    let callback = ConvolutionCallback(path: file.path)
    #expect(callback.duration(for: mono48) == 199)
    let found = try process(callback, input)[0].dropFirst(480)
    let level =
      10 * log10(found.reduce(0) { $0 + Double($1) * Double($1) } / Double(found.count) * 2)
    // The part of the converter's filter before the response is cut off.
    #expect(abs(level - 10 * log10(re * re + im * im)) < 0.5)
  }

  @Test(arguments: Slicing.every)
  func `it does not depend on slicing`(slicing: Slicing) throws {
    let file = try file([response(3000, seed: 50), response(3000, seed: 51)])
    let input = [noise(7000, seed: 52), noise(7000, seed: 53)]
    let callback = ConvolutionCallback(path: file.path, mix: 0.5)
    #expect(try process(callback, input, slicing: slicing) == process(callback, input))
  }

  @Test
  func `a response that does not fit is refused with a reason`() throws {
    let three = try file([[1], [1], [1]])
    let problem = try #require(
      ConvolutionCallback(path: three.path).problems(for: stereo48).first)
    #expect(problem.message.hasSuffix("has 3 channels, and the bus has 2"))
    #expect(problem.help == "a response for this bus has 1, 2 or 4 channels")
    let long = try file([[Float](repeating: 0, count: 300_001)], sampleRate: 10_000)
    #expect(
      try #require(ConvolutionCallback(path: long.path).problems(for: stereo48).first).message
        .hasSuffix("is 30 s long; a response is at most 30 s"))
    #expect(
      ConvolutionCallback(path: "/nowhere.wav").problems(for: mono48).map(\.kind)
        == [.fileNotFound])
    #expect(ConvolutionCallback(path: "/nowhere.wav").duration(for: mono48) == nil)
  }
}
