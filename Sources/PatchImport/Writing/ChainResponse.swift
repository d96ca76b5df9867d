import Glibc

/// The impulse responses of linear stages, from each input channel to each output channel.
struct ChainResponse {
  /// The responses of each input channel at each output channel: `rows[input][output]`.
  let rows: [[[Double]]]

  /// The greatest length of a response in frames.
  static let maximumFrames = 1 << 18
  /// Responses end where all later samples are below this fraction of the greatest one: -180 dB.
  private static let cutoffRatio = 1e-9

  /// - Parameter stages: Linear stages without files. Only mixes may change the number of channels.
  init(of stages: [FilterChain.Stage], channelCount: Int, sampleRate: Double) {
    let length = Self.length(of: stages, sampleRate: sampleRate)
    let curves = stages.map { stage -> [Double] in
      if case .curve(let points) = stage.kind {
        return MinimumPhase.taps(of: points, sampleRate: sampleRate)
      }
      return []
    }
    var rows = (0..<channelCount).map { input in
      var signals = [[Double]](
        repeating: Array(repeating: 0, count: length), count: channelCount)
      signals[input][0] = 1
      for (stage, taps) in zip(stages, curves) {
        if case .mix(let matrix) = stage.kind {
          signals = matrix.map { Self.sum($0, of: signals, length) }
          continue
        }
        for channel in signals.indices where stage.channels?.contains(channel) ?? true {
          Self.filter(&signals[channel], stage.kind, taps, sampleRate: sampleRate)
        }
      }
      return signals
    }
    let greatest = rows.joined().joined().reduce(0) { max($0, abs($1)) }
    let last =
      rows.joined().map { signal in
        signal.lastIndex { abs($0) > greatest * Self.cutoffRatio } ?? 0
      }.max() ?? 0
    for input in rows.indices {
      for output in rows[input].indices {
        rows[input][output].removeLast(length - 1 - last)
      }
    }
    self.rows = rows
  }

  /// Whether each channel goes only to itself, with the same response for all.
  var isSameForAllChannels: Bool {
    rows.indices.allSatisfy { input in
      rows[input].indices.allSatisfy { output in
        input == output
          ? rows[input][output] == rows[0][0] : rows[input][output].allSatisfy { $0 == 0 }
      }
    }
  }

  /// Whether the stages change nothing.
  var isIdentity: Bool { isSameForAllChannels && rows.first?.first == [1] }

  /// A sound file with one channel where all channels have the same response; otherwise with one
  /// channel for each pair of an input and an output, the input first.
  func file(sampleRate: Double) -> [UInt8] {
    let signals = isSameForAllChannels ? [rows[0][0]] : rows.flatMap(\.self)
    return FloatWave.bytes(of: signals, sampleRate: sampleRate)
  }

  private static func sum(_ row: [Double], of signals: [[Double]], _ length: Int) -> [Double] {
    var sum = [Double](repeating: 0, count: length)
    for (factor, signal) in zip(row, signals) where factor != 0 {
      for frame in 0..<length { sum[frame] += factor * signal[frame] }
    }
    return sum
  }

  /// How many frames are computed: until the slowest filter has decayed by 200 dB and all delays
  /// are over.
  private static func length(of stages: [FilterChain.Stage], sampleRate: Double) -> Int {
    var frames = 64.0
    for stage in stages {
      switch stage.kind {
      case .delay(let seconds): frames += seconds * sampleRate + 64
      case .taps(let taps): frames += Double(taps.count)
      case .curve: frames += Double(MinimumPhase.tapCount)
      case .section(let section):
        let lowest = min(section.frequency, section.target?.frequency ?? section.frequency)
        let q = max(section.q, section.target?.q ?? 0, 0.5)
        // A pole of frequency f and Q decays by 27.3 f / Q dB a second; those of low shelves decay
        // more slowly.
        let slowing = pow(10, abs(section.gain) / 40)
        frames += 200 * q * slowing * slowing / (27.3 * max(lowest, 0.1)) * sampleRate * 2
      case .recursive: frames += Double(maximumFrames) / 4
      default: break
      }
    }
    return Int(min(frames, Double(maximumFrames)))
  }

  private static func filter(
    _ signal: inout [Double], _ kind: FilterChain.Kind, _ taps: [Double], sampleRate: Double
  ) {
    switch kind {
    case .section(let section):
      let coefficients = section.coefficients(sampleRate: sampleRate)
      applyRecursiveFilter(&signal, coefficients.b, coefficients.a)
    case .recursive(let b, let a): applyRecursiveFilter(&signal, b, a)
    case .gain(let gain, let isInverted):
      let factor = Decibels.factor(gain) * (isInverted ? -1 : 1)
      for frame in signal.indices { signal[frame] *= factor }
    case .mute: for frame in signal.indices { signal[frame] = 0 }
    case .delay(let seconds): delay(&signal, by: seconds * sampleRate)
    case .taps(let taps): convolve(&signal, with: taps)
    case .curve: convolve(&signal, with: taps)
    case .mix, .convolution, .clip, .clamp, .processor, .spatializer: break
    }
  }

  /// Filters in transposed direct form II.
  private static func applyRecursiveFilter(_ signal: inout [Double], _ b: [Double], _ a: [Double]) {
    let order = max(b.count, a.count) - 1
    let b = b + Array(repeating: 0, count: order + 1 - b.count)
    let a = a + Array(repeating: 0, count: order + 1 - a.count)
    var state = [Double](repeating: 0, count: order + 1)
    for frame in signal.indices {
      let input = signal[frame]
      let output = b[0] * input + state[0]
      for index in 0..<order {
        state[index] = b[index + 1] * input - a[index + 1] * output + state[index + 1]
      }
      signal[frame] = output
    }
  }

  /// Delays by whole frames and, for the fraction, by a Thiran all-pass of the first order, which
  /// keeps the level of all frequencies.
  private static func delay(_ signal: inout [Double], by frames: Double) {
    var whole = Int(frames.rounded(.down))
    var part = frames - Double(whole)
    if part < 1e-6 || part > 1 - 1e-6 {
      whole = Int(frames.rounded())
      part = 0
    } else if part < 0.5, whole > 0 {
      // The all-pass is most accurate for delays from half a frame to one and a half.
      whole -= 1
      part += 1
    }
    let shift = min(whole, signal.count)
    signal = Array(repeating: 0, count: shift) + signal.dropLast(shift)
    if part > 0 {
      let a = (1 - part) / (1 + part)
      applyRecursiveFilter(&signal, [a, 1], [1, a])
    }
  }

  private static func convolve(_ signal: inout [Double], with taps: [Double]) {
    let input = signal
    for frame in signal.indices { signal[frame] = 0 }
    for (start, value) in input.enumerated() where value != 0 {
      for (index, tap) in taps.prefix(input.count - start).enumerated() {
        signal[start + index] += value * tap
      }
    }
  }
}

/// Writes sound files with 32-bit floating-point samples.
enum FloatWave {
  /// A file in RIFF/WAVE, format 3, with one channel for each signal. All signals must have the
  /// same length.
  static func bytes(of signals: [[Double]], sampleRate: Double) -> [UInt8] {
    let frames = signals[0].count
    let dataCount = frames * signals.count * 4
    var bytes = Array("RIFF".utf8)
    func put(_ value: Int, _ count: Int) {
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
    put(50 + dataCount, 4)
    bytes += Array("WAVEfmt ".utf8)
    put(18, 4)
    put(3, 2)
    put(signals.count, 2)
    put(Int(sampleRate), 4)
    put(Int(sampleRate) * signals.count * 4, 4)
    put(signals.count * 4, 2)
    put(32, 2)
    put(0, 2)
    bytes += Array("fact".utf8)
    put(4, 4)
    put(frames, 4)
    bytes += Array("data".utf8)
    put(dataCount, 4)
    bytes.reserveCapacity(bytes.count + dataCount)
    for frame in 0..<frames {
      for signal in signals { put(Int(Float(signal[frame]).bitPattern), 4) }
    }
    return bytes
  }
}
