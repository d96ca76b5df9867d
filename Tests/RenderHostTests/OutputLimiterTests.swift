import AudioTypes
import Glibc
import RenderCore
import RenderHost
import TestSupport
import Testing

/// The level that a session's output never exceeds.
@Suite struct OutputLimiterTests {
  /// A sine at 48 kHz with the amplitude `level`.
  private func sine(_ frequency: Double, _ level: Float, seconds: Double = 1) -> [Float] {
    (0..<Int(48_000 * seconds)).map {
      level * Float(sin(2 * .pi * frequency * Double($0) / 48_000))
    }
  }

  private func run(
    _ samples: [Float], limit: Float?, slices: [Int], device: SampleType = .float32,
    silences: Bool = false
  ) -> (bytes: [UInt8], session: RenderSession) {
    let session = RenderSession(
      .init(
        client: .float32,
        device: StreamFormat(device, channels: 2, sampleRate: 48_000, interleaved: true),
        channelMap: [0, 1], sampleRate: 48_000, silencesNonFinite: silences))
    session.limitOutput(to: limit)
    session.play(plan(.holding(CyclingKernel(samples)), maximumFramesPerSlice: 4096))
    return (pull(session, slices), session)
  }

  private func floats(_ samples: [Float], limit: Float?, frames: Int) -> [Float] {
    values(run(samples, limit: limit, slices: [frames]).bytes, as: Float.self)
  }

  @Test(arguments: [1e-6, 0.1, 0.501187, 0.891, 1] as [Float])
  func `nothing is ever above the level, whatever is rendered`(limit: Float) {
    var generator = SplitMix64(seed: 3)
    var samples: [Float] = []
    for block in 0..<40 {
      let level = powf(10, Float.random(in: -3...8, using: &generator))
      for frame in 0..<500 {
        switch block % 5 {
        case 0: samples.append(level * Float.random(in: -1...1, using: &generator))
        case 1: samples.append(level * sinf(Float(frame) * 0.1))
        case 2: samples.append(frame % 97 == 0 ? -level : 0)
        case 3: samples.append(frame % 50 == 0 ? .nan : frame % 51 == 0 ? -.infinity : level)
        default: samples.append(0.5 * limit * sinf(Float(frame) * 0.01))
        }
      }
    }
    samples.append(.greatestFiniteMagnitude)
    let heard = floats(samples, limit: limit, frames: 2 * samples.count)
    #expect(heard.allSatisfy { $0.isFinite && $0.magnitude <= limit })
    #expect(heard.contains { $0.magnitude > 0.99 * limit })
    for device in [SampleType.int16, .int24, .int32] {
      let bytes = run(samples, limit: limit, slices: [samples.count], device: device).bytes
      let scale = SampleCoding.scale(device)
      let words: [Int] =
        switch device {
        case .int16: values(bytes, as: Int16.self).map(Int.init)
        case .int32: values(bytes, as: Int32.self).map(Int.init)
        default:
          // Three bytes per sample.
          stride(from: 0, to: bytes.count, by: 3).map { place in
            let word =
              UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
            return Int(Int32(bitPattern: word << 8) >> 8)
          }
        }
      #expect(words.allSatisfy { Double($0.magnitude) <= Double(limit) * scale }, "\(device)")
    }
  }

  @Test(arguments: Slicing.every)
  func `it is the same however it is sliced`(slicing: Slicing) {
    var samples = sine(441, 3) + sine(1000, 0.2, seconds: 0.5)
    samples[20_000] = .nan
    let whole = run(samples, limit: 0.5, slices: [72_000])
    let cut = run(samples, limit: 0.5, slices: slicing.cut(72_000))
    #expect(whole.bytes == cut.bytes)
    #expect(whole.session.limited == cut.session.limited)
    #expect(whole.session.limited.frames > 48_000)
    #expect(whole.session.limited.silencedSamples == 2)
  }

  @Test func `what is below the level is the same bits with it and without`() {
    var samples = sine(441, 0.8)
    samples[7] = .leastNonzeroMagnitude
    samples[8] = -0.0
    for device in [SampleType.float32, .int16, .int24, .int32] {
      let without = run(samples, limit: nil, slices: [48_000], device: device)
      let with = run(samples, limit: 0.800_001, slices: [48_000], device: device)
      #expect(without.bytes == with.bytes)
      #expect(with.session.limited == (0, 0))
      #expect(with.session.takeLeastGain() == 1)
    }
    // The same between louder parts, where the limiter processes each frame.
    let both = values(
      run(samples + sine(441, 2, seconds: 0.1), limit: 0.9, slices: [48_000, 4800]).bytes,
      as: Float.self)
    #expect(Array(both[..<96_000]) == floats(samples, limit: nil, frames: 48_000))
  }

  @Test(arguments: [30.0, 100, 997, 5000, 15_001])
  func `a steady tone that is too loud is turned down and not bent`(frequency: Double) {
    let heard = floats(sine(frequency, 8), limit: 0.5, frames: 48_000)
    let left = stride(from: 48_000, to: 96_000, by: 2).map { Double(heard[$0]) }
    // The residual after subtracting the same tone at a lower level is 60 dB below it.
    var (sum, cross) = (0.0, 0.0)
    let pure = sine(frequency, 1)[24_000...].map(Double.init)
    for (one, other) in zip(left, pure) {
      cross += one * other
      sum += other * other
    }
    let gain = cross / sum
    #expect(gain > 0.49 && gain <= 0.501)
    let rest = zip(left, pure).map { ($0 - gain * $1) * ($0 - gain * $1) }.reduce(0, +)
    #expect(10 * log10(rest / (gain * gain * sum)) < -60)
  }

  @Test func `channels are turned down alike, and the gain comes back`() {
    // A click 20 dB above the level, then a quiet tone.
    var samples = sine(500, 0.1, seconds: 2)
    samples[100] = 5
    let session = RenderSession(
      .init(
        client: .float32,
        device: StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true),
        channelMap: [0, 1], sampleRate: 48_000))
    session.limitOutput(to: 0.5)
    session.play(plan(.holding(CyclingKernel(samples)), maximumFramesPerSlice: 4096))
    let heard = values(pull(session, [96_000]), as: Float.self)
    #expect(heard[200] == 0.5)
    func gain(_ frame: Int) -> Float { heard[2 * frame] / samples[frame] }
    // The gain is held for 20 ms, then rises by 60 dB per second.
    #expect(abs(gain(100 + 900) - 0.1) < 1e-4)
    #expect(abs(20 * log10f(gain(100 + 961 + 8000)) - (-10)) < 0.1)
    #expect(gain(100 + 961 + 16_100) == 1)
    #expect(session.limited.frames > 16_900 && session.limited.frames < 17_100)
    #expect(abs(session.takeLeastGain() - 0.1) < 1e-6)
    #expect(session.takeLeastGain() == 1)
    #expect(session.takeOutputPeak() == 0.5)
  }

  @Test func `another level is reached without a click, and none ends the limit`() {
    let session = session()
    session.play(plan(.holding(CyclingKernel([1])), maximumFramesPerSlice: 4096))
    var heard = values(pull(session, [1000]), as: Float.self)
    session.limitOutput(to: 0.25)
    #expect(session.outputPeakLimit == 0.25)
    heard += values(pull(session, [2000]), as: Float.self)
    session.limitOutput(to: 0.125)
    heard += values(pull(session, [2000]), as: Float.self)
    session.limitOutput(to: nil)
    #expect(session.outputPeakLimit == nil)
    heard += values(pull(session, [30_000]), as: Float.self)
    let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
    #expect(left[..<1000].allSatisfy { $0 == 1 })
    #expect(left[2000..<3000].allSatisfy { $0 == 0.25 })
    #expect(left[4000..<5000].allSatisfy { $0 == 0.125 })
    #expect(left.suffix(1000).allSatisfy { $0 == 1 })
    // No step exceeds half a decibel, and the gain falls within 20 ms.
    for (one, other) in zip(left, left.dropFirst()) {
      #expect(abs(20 * log10f(other / one)) < 0.5)
    }
  }

  @Test func `a fade goes before the limit, and a pause leaves it as it is`() {
    let samples = sine(441, 2)
    let session = session()
    session.limitOutput(to: 0.5)
    session.play(plan(.holding(CyclingKernel(samples)), maximumFramesPerSlice: 4096))
    var heard = values(pull(session, [4800]), as: Float.self)
    session.pause()
    heard += values(pull(session, [4800]), as: Float.self)
    session.resume()
    heard += values(pull(session, [4800]), as: Float.self)
    session.fadeOut()
    heard += values(pull(session, [4800]), as: Float.self)
    #expect(heard.allSatisfy { $0.magnitude <= 0.5 })
    #expect(session.hasEnded)
    #expect(heard.suffix(100).allSatisfy { $0 == 0 })
  }

  @Test func `without a limit a live session puts out no NaN, and an offline one what there is`() {
    let samples: [Float] = [0.5, .nan, 3, .infinity, -.infinity, -0.5]
    let live = run(samples, limit: nil, slices: [6], silences: true)
    let heard = values(live.bytes, as: Float.self)
    #expect(heard == [0.5, 0.5, 0, 0, 3, 3, 0, 0, 0, 0, -0.5, -0.5])
    #expect(live.session.limited == (0, 6))
    let offline = values(run(samples, limit: nil, slices: [6]).bytes, as: Float.self)
    #expect(offline[2].isNaN && offline[6] == .infinity)
  }

  @Test func `the limit is behind the conversion of rates`() {
    let session = RenderSession(
      .init(
        client: .float32,
        device: StreamFormat(.float32, channels: 1, sampleRate: 48_000, interleaved: true),
        channelMap: [0], sampleRate: 48_000, clientSampleRate: 44_100))
    session.limitOutput(to: 0.5)
    // The peaks between the samples of this wave are higher than the samples.
    session.play(
      plan(
        .holding(CyclingKernel([0.5, 0.5, -0.5, -0.5])), channels: 1, maximumFramesPerSlice: 4096))
    let heard = values(pull(session, [20_000]), as: Float.self)
    #expect(heard.allSatisfy { $0.magnitude <= 0.5 })
    #expect(session.limited.frames > 0)
  }

  @Test func `it takes no memory`() {
    let session = session()
    session.limitOutput(to: 0.5)
    session.play(plan(.holding(CyclingKernel(sine(441, 2))), maximumFramesPerSlice: 4096))
    var memory = [UInt8](repeating: 0, count: 512 * 8)
    _ = pull(session, [512])
    let count = unsafe memory.withUnsafeMutableBytes { memory in
      allocations { _ = unsafe session.pull(512, into: memory.baseAddress) }
    }
    #expect(count == 0)
  }
}
