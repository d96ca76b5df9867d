public import AudioTypes
import Glibc
public import RenderCore

/// Noise that is the same on every run, and different on each channel.
///
/// White noise is uniform from `-amplitude` to `amplitude`, so that its RMS is amplitude / √3 (4.8
/// dB below). Pink noise has the same RMS, and peaks of up to about three times `amplitude`. It
/// falls by 3.01 dB per octave from 20 Hz to 20 kHz (or 95 % of half the sample rate), within 0.1
/// dB.
public struct NoiseCallback: KeyPathCallback {
  /// How its power depends on the frequency.
  public enum Color: String, CaseIterable, Hashable, Sendable {
    case white, pink
  }

  public static let description = CallbackDescription(
    kind: "noise", summary: "Noise that is the same on every run, and another on each channel.",
    settings: [
      SettingInfo(
        "color", .choice(Color.allCases.map(\.rawValue)), defaultValue: .text("white"),
        summary: "White has the same power at each frequency, pink in each octave."),
      .amplitude(
        0.25, "The peak of white noise, whose RMS is amplitude / √3; pink has the same RMS."),
      SettingInfo(
        "seed", .integer(0...9_007_199_254_740_991), unit: .indexed, defaultValue: .number(1),
        summary: "Another seed is another noise."),
    ],
    make: { values in
      NoiseCallback(
        color: Color(rawValue: values.text("color") ?? "") ?? .white,
        amplitude: values.number("amplitude") ?? 0.25, seed: UInt64(values.number("seed") ?? 1))
    })

  public static let keyPaths: KeyPaths = ["amplitude": \.amplitude]

  /// How its power depends on the frequency.
  public var color: Color
  /// From 0 to 8.
  public var amplitude: Double
  /// Any number; in a patch up to 2^53 - 1, as JSON has it.
  public var seed: UInt64

  public init(color: Color = .white, amplitude: Double = 0.25, seed: UInt64 = 1) {
    self.color = color
    self.amplitude = amplitude
    self.seed = seed
  }

  public func duration(for format: StreamFormat) -> Int? { nil }

  public func peak(pulling level: PeakLevel) -> PeakLevel { .certain(amplitude) }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: [
      "color": .text(color.rawValue), "amplitude": .number(amplitude),
    ]) + busProblems(format)
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    let white = WhiteNoise(seed: seed)
    let amplitude = instance.control("amplitude", length: glideLength(format))
    switch color {
    case .white:
      return RenderSource(
        kernel: .holding(
          WhiteNoiseKernel(noise: white, amplitude: amplitude), with: instance.block))
    case .pink:
      return RenderSource(
        kernel: .holding(
          PinkNoiseKernel(
            noise: white, filter: PinkFilter(sampleRate: format.sampleRate), amplitude: amplitude,
            sampleRate: format.sampleRate, channelCount: format.channelCount),
          with: instance.block))
    }
  }
}

/// A number for each frame of each channel, from the output function of SplitMix64 (Steele, Lea and
/// Flood 2014). Each is computed without the numbers before it.
struct WhiteNoise {
  let seed: UInt64

  @_noLocks
  init(seed: UInt64) { self.seed = seed }

  /// The number from which all frames of a channel are computed.
  @_noLocks
  func key(channel: Int) -> UInt64 {
    NoiseSequence.number(
      NoiseSequence.number(seed) &+ UInt64(truncatingIfNeeded: channel) &* 0xD1B5_4A32_D192_ED03)
  }

  /// Between -1 and 1, both excluded, and 0 on average.
  @_noLocks
  func value(key: UInt64, frame: UInt64) -> Double {
    let bits = NoiseSequence.number(key &+ frame &* NoiseSequence.step)
    return (Double(bits >> 12) + 0.5) * 0x1p-51 - 1
  }
}

struct WhiteNoiseKernel: RenderKernel {
  let noise: WhiteNoise
  private var amplitude: GlidingControl
  private var position: UInt64 = 0

  init(noise: WhiteNoise, amplitude: GlidingControl) {
    self.noise = noise
    self.amplitude = amplitude
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    amplitude.follow()
    let start = amplitude
    // Read before a change that may end in the slice.
    let isSilent = start.isSettled && start.current == 0
    for channel in 0..<output.channelCount {
      amplitude = start
      let key = noise.key(channel: channel)
      let buffer = output[channel]
      if start.isSettled {
        VectorMath.noise(
          key &+ position &* NoiseSequence.step, gain: start.current,
          count: context.frameCount, into: buffer)
        continue
      }
      for frame in 0..<context.frameCount {
        let value = noise.value(key: key, frame: position &+ UInt64(truncatingIfNeeded: frame))
        buffer[frame] = Float(amplitude.next() * value)
      }
    }
    position &+= UInt64(truncatingIfNeeded: context.frameCount)
    if isSilent { output.silence() }
    return .ok
  }
}

/// A cascade of first-order sections whose poles and zeros alternate, evenly on a logarithmic
/// scale, so that it falls by 10 dB per decade.
///
/// Poles are two octaves apart, zeros half-way, from below 3 Hz to near half the sample rate. One
/// more section corrects the highest octave, where a sampled pole differs from an analogue one. Its
/// two numbers and the place of the highest pole are the minimax fit at 44.1 and 48 kHz: within
/// 0.04 dB there and 0.1 dB at any rate.
struct PinkFilter {
  let poles: [Double]
  let zeros: [Double]
  /// Gives the output the RMS of a white input.
  let gain: Double

  init(sampleRate: Double) {
    var poles: [Double] = []
    var zeros: [Double] = []
    var frequency = sampleRate / 2 * 0.671_372_74
    while true {
      poles.append(exp(-2 * .pi * frequency / sampleRate))
      zeros.append(exp(-2 * .pi * 2 * frequency / sampleRate))
      if frequency < 3 { break }
      frequency /= 4
    }
    poles.append(-0.229_826_86)
    zeros.append(-0.317_215_34)
    self.poles = poles
    self.zeros = zeros
    // The mean of the squared response, over a logarithmic grid: most of it is at low frequencies.
    let steps = 4000
    let lowest = log(1e-7)
    let stride = (log(Double.pi) - lowest) / Double(steps)
    var power = 0.0
    for index in 0...steps {
      let angle = exp(lowest + stride * Double(index))
      let weight = index == 0 || index == steps ? 0.5 : 1
      power +=
        weight * angle * stride * Self.squaredResponse(at: angle, poles: poles, zeros: zeros)
    }
    gain = 1 / (power / .pi).squareRoot()
  }

  /// The power response at an angle in radians per frame, before the gain.
  static func squaredResponse(at angle: Double, poles: [Double], zeros: [Double]) -> Double {
    var result = 1.0
    for (pole, zero) in zip(poles, zeros) {
      result *= 1 + zero * zero - 2 * zero * cos(angle)
      result /= 1 + pole * pole - 2 * pole * cos(angle)
    }
    return result
  }
}

struct PinkNoiseKernel: RenderKernel, ~Copyable {
  let noise: WhiteNoise
  /// Gives the output the RMS of white noise.
  let gain: Double
  let sectionCount: Int
  private var amplitude: GlidingControl
  private let poles: DoubleStorage
  private let zeros: DoubleStorage
  private let memory: DoubleStorage
  private var position: UInt64 = 0

  init(
    noise: WhiteNoise, filter: PinkFilter, amplitude: GlidingControl, sampleRate: Double,
    channelCount: Int
  ) {
    self.noise = noise
    gain = filter.gain
    self.amplitude = amplitude
    sectionCount = filter.poles.count
    poles = DoubleStorage(filter.poles)
    zeros = DoubleStorage(filter.zeros)
    memory = DoubleStorage(repeating: 0, count: filter.poles.count * channelCount)
    // Begins half a second before the first frame, so that the first frame is in the steady state.
    let ahead = Int(sampleRate / 2)
    for channel in 0..<channelCount {
      let key = noise.key(channel: channel)
      for frame in -ahead..<0 {
        _ = filtered(
          noise.value(key: key, frame: UInt64(bitPattern: Int64(frame))), channel: channel)
      }
    }
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    amplitude.follow()
    let start = amplitude
    // Read before a change that may end in the slice.
    let isSilent = start.isSettled && start.current == 0
    for channel in 0..<output.channelCount {
      amplitude = start
      let key = noise.key(channel: channel)
      let buffer = output[channel]
      for frame in 0..<context.frameCount {
        let white = noise.value(key: key, frame: position &+ UInt64(truncatingIfNeeded: frame))
        buffer[frame] = Float(gain * amplitude.next() * filtered(white, channel: channel))
      }
    }
    position &+= UInt64(truncatingIfNeeded: context.frameCount)
    if isSilent { output.silence() }
    return .ok
  }

  @_noLocks
  private func filtered(_ input: Double, channel: Int) -> Double {
    var value = input
    let first = channel * sectionCount
    for section in 0..<sectionCount {
      let output = value + memory[first + section]
      memory[first + section] = poles[section] * output - zeros[section] * value
      value = output
    }
    return value
  }
}
