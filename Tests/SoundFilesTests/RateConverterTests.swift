import Glibc
import SoundFiles
import Testing

struct RateConverterTests {
  private func convert(
    _ input: [Double], from: Double, to: Double, channels: Int = 1, block: Int = 4096,
    room: Int = 4096
  ) throws -> [Double] {
    let converter = try RateConverter(from: from, to: to, channelCount: channels)
    var output: [Double] = []
    var buffer = [Double](repeating: 0, count: room * channels)
    var position = 0
    let frames = input.count / channels
    while position < frames {
      let count = min(block, frames - position)
      let slice = Array(input[position * channels..<(position + count) * channels])
      let (taken, given) = converter.convert(slice, frameCount: count, into: &buffer)
      position += taken
      output += buffer[..<(given * channels)]
    }
    while case let given = converter.flush(into: &buffer), given > 0 {
      output += buffer[..<(given * channels)]
    }
    return output
  }

  @Test(arguments: [
    (44_100.0, 48_000.0), (48_000, 44_100), (8000, 48_000), (96_000, 44_100), (22_050, 44_100),
    (11_025, 48_000), (44_100.5, 48_000),
  ])
  func `a sine stays a sine, in its place, and the length is exact`(
    from: Double, to: Double
  ) throws {
    let frames = Int(from) / 2
    let frequency = 997.0
    let input = (0..<frames).map { sin(2 * .pi * frequency * Double($0) / from) }
    let output = try convert(input, from: from, to: to)
    #expect(output.count == RateConverter.outputLength(frames, from: from, to: to))
    // Away from the ends, where the filter includes silence.
    let middle = output.count / 5..<output.count * 4 / 5
    let worst = middle.map { abs(output[$0] - sin(2 * .pi * frequency * Double($0) / to)) }.max()!
    // The quality is 28 bits; -130 dB includes its passband ripple.
    #expect(20 * log10(worst) < -130)
  }

  @Test
  func `the blocks in which it is fed make no difference`() throws {
    let input = (0..<20_000).map { sin(Double($0 * $0) * 1e-5) }
    let whole = try convert(input, from: 44_100, to: 48_000)
    #expect(try convert(input, from: 44_100, to: 48_000, block: 333, room: 100) == whole)
    #expect(try convert(input, from: 44_100, to: 48_000, block: 1, room: 7) == whole)
  }

  @Test(arguments: [(44_100.0, 48_000.0), (8000, 48_000), (48_000, 44_100)])
  func `no more is taken than is given back, for days`(from: Double, to: Double) throws {
    let converter = try RateConverter(from: from, to: to, channelCount: 1)
    let input = [Double](repeating: 0, count: 4096)
    var output = [Double](repeating: 0, count: 7)
    var (taken, given) = (0, 0)
    for _ in 0..<20_000 {
      let step = converter.convert(input, frameCount: 4096, into: &output)
      taken += step.taken
      given += step.given
    }
    #expect(given > 50_000)
    #expect(abs(Double(taken) - Double(given) * from / to) < 5000)
  }

  @Test
  func `channels are kept apart`() throws {
    let left = (0..<5000).map { sin(Double($0) * 0.01) }
    let right = (0..<5000).map { cos(Double($0) * 0.03) }
    let both = try convert(
      zip(left, right).flatMap { [$0, $1] }, from: 44_100, to: 48_000, channels: 2)
    let alone = try convert(left, from: 44_100, to: 48_000)
    #expect(stride(from: 0, to: both.count, by: 2).map { both[$0] } == alone)
    #expect(
      stride(from: 1, to: both.count, by: 2).map { both[$0] }
        == (try convert(right, from: 44_100, to: 48_000)))
  }

  @Test
  func `lengths are rounded to the nearest frame`() throws {
    #expect(RateConverter.outputLength(1, from: 44_100, to: 48_000) == 1)
    #expect(RateConverter.outputLength(3, from: 2, to: 1) == 2)
    #expect(RateConverter.outputLength(441, from: 44_100, to: 48_000) == 480)
    #expect(RateConverter.outputLength(0, from: 44_100, to: 48_000) == 0)
    for frames in [1, 2, 3, 100, 147, 1000] {
      #expect(
        try convert([Double](repeating: 1, count: frames), from: 44_100, to: 48_000).count
          == RateConverter.outputLength(frames, from: 44_100, to: 48_000))
    }
  }
}
