import RenderCore

/// A maximum-length sequence of 1 and -1. It correlates only with itself, so that a recording shows
/// its position to the frame, even if the path colours the sound.
struct MaximumLengthSequence {
  /// 2^15 - 1.
  static let count = 32_767
  let samples: [Float]

  init() {
    // The taps of x^15 + x^14 + 1, which is primitive.
    var register: UInt32 = 1
    samples = (0..<Self.count).map { _ in
      let bit = (register ^ (register >> 1)) & 1
      register = register >> 1 | bit << 14
      return bit == 1 ? 1 : -1
    }
  }
}

/// Finds a maximum-length sequence in recordings.
struct LoopMeasurement: ~Copyable {
  /// Frames of a recording to search: a power of two, at least twice the length of the sequence.
  static let window = 65_536
  /// The last frame at which a whole sequence can begin.
  static let latest = window - MaximumLengthSequence.count

  private var transform = RealFFT(length: LoopMeasurement.window)
  private let samples = SampleStorage(repeating: 0, count: LoopMeasurement.window)
  /// The spectra of the sequence, of the recording, and of their correlation.
  private let spectra = SpectrumStorage(rowCount: 3, binCount: LoopMeasurement.window / 2 + 1)
  private let ones = SampleStorage(repeating: 1, count: LoopMeasurement.window / 2 + 1)

  init(_ sequence: MaximumLengthSequence) {
    fill(with: sequence.samples[...])
    transform.forward(samples.buffer(at: 0, count: Self.window), into: spectra[0])
  }

  private func fill(with recording: ArraySlice<Float>) {
    let buffer = samples.buffer(at: 0, count: Self.window)
    buffer.clear()
    for (index, sample) in recording.prefix(Self.window).enumerated() { buffer[index] = sample }
  }

  /// The position of the sequence in a recording, in frames with fractions; `nil` if it is not
  /// found.
  ///
  /// - Parameter recording: Up to `window` frames; the rest of the window is silent.
  mutating func delay(in recording: ArraySlice<Float>) -> Double? {
    fill(with: recording)
    let buffer = samples.buffer(at: 0, count: Self.window)
    transform.forward(buffer, into: spectra[1])
    spectra[2].set(
      ones.buffer(at: 0, count: ones.count), conjugate: spectra[0], times: spectra[1])
    transform.inverse(spectra[2], into: buffer)
    var best = 0
    var power = 0.0
    for index in 0..<Self.latest {
      let value = samples[index]
      power += Double(value * value)
      if value.magnitude > samples[best].magnitude { best = index }
    }
    let peak = Double(samples[best].magnitude)
    // Without the sequence, no peak is 10 times the RMS of the correlation.
    guard peak > 0, peak * peak > 100 * power / Double(Self.latest) else { return nil }
    guard best > 0, best < Self.latest - 1 else { return Double(best) }
    // The vertex of the parabola through the three greatest values.
    let before = Double(samples[best - 1].magnitude)
    let after = Double(samples[best + 1].magnitude)
    let bend = before - 2 * peak + after
    return Double(best) + (bend < 0 ? 0.5 * (before - after) / bend : 0)
  }
}

/// The times of pulls, and what they show about the device's clock.
struct PullTimes {
  /// How much faster the device's clock is than the system's, in parts per million, and the error:
  /// two standard errors, or the difference between both halves if that is larger.
  var drift = 0.0
  var driftError = 0.0
  /// How early or late pulls were, in seconds: the standard deviation, and the latest.
  var jitter = 0.0
  var latest = 0.0

  /// - Parameters:
  ///   - pulls: Seconds of the system's clock, and the first frame of the pull.
  ///   - sampleRate: The nominal rate of the device in hertz.
  init?(_ pulls: [(time: Double, frame: Double)], sampleRate: Double) {
    guard pulls.count >= 16, sampleRate > 0, let line = Line(pulls[...], sampleRate),
      let early = Line(pulls.prefix(pulls.count / 2), sampleRate),
      let late = Line(pulls.suffix(pulls.count / 2), sampleRate)
    else { return nil }
    drift = (1 / line.slope - 1) * 1e6
    driftError = max(2 * line.error, abs(early.slope - late.slope)) * 1e6
    jitter = line.deviation
    latest = line.latest
  }
}

/// The line through the times of pulls: seconds of the system's clock for each of the device's.
private struct Line {
  let slope: Double
  /// The standard error of the slope.
  let error: Double
  /// The distance of pulls from the line in seconds: the standard deviation, and the latest.
  let deviation: Double
  let latest: Double

  init?(_ pulls: ArraySlice<(time: Double, frame: Double)>, _ sampleRate: Double) {
    guard pulls.count >= 4 else { return nil }
    let count = Double(pulls.count)
    let meanTime = pulls.reduce(0) { $0 + $1.time } / count
    let meanFrame = pulls.reduce(0) { $0 + $1.frame } / count
    var (square, product) = (0.0, 0.0)
    for pull in pulls {
      let frame = (pull.frame - meanFrame) / sampleRate
      square += frame * frame
      product += frame * (pull.time - meanTime)
    }
    guard square > 0 else { return nil }
    slope = product / square
    let slope = slope
    let rests = pulls.map { pull in
      pull.time - meanTime - slope * (pull.frame - meanFrame) / sampleRate
    }
    let variance = rests.reduce(0) { $0 + $1 * $1 } / (count - 2)
    error = (variance / square).squareRoot()
    deviation = variance.squareRoot()
    latest = rests.max() ?? 0
  }
}
