internal import Glibc
internal import RenderCore

/// The sine of a channel.
public struct ToneReading: Hashable, Sendable {
  /// From 0.
  public var channel: Int
  /// In Hz; 0 where there is none.
  public var frequency: Double
  /// The level of the sine's amplitude, in dBFS: 0 for a sine of full scale, minus infinity for
  /// none.
  public var level: Double

  /// The interval above a frequency in Hz, in cents: 1200 are an octave.
  public func cents(from expected: Double) -> Double { 1200 * log2(frequency / expected) }
}

extension Sound {
  /// The strongest sine of each channel, or the strongest within a third of an octave of a
  /// frequency in Hz.
  ///
  /// It is the highest peak of a spectrum under a Hann window, and is then fitted to the samples by
  /// least squares under the same window, together with a mean. The sound needs 8 frames and two
  /// periods or more; other tones have to be four periods of the sound's length away. Only the
  /// first 2^23 frames count; samples that are not finite are silence.
  public func tone(near frequency: Double? = nil) -> [ToneReading] {
    precondition(frequency.map { $0 > 0 } ?? true, "a frequency is above 0 Hz")
    return channels.enumerated().map { number, samples in
      guard let model = ToneSearch(samples, rate: sampleRate).model(near: frequency) else {
        return ToneReading(channel: number, frequency: 0, level: -.infinity)
      }
      return ToneReading(
        channel: number, frequency: model.angle / (2 * .pi) * sampleRate,
        level: decibels(model.amplitude(1)))
    }
  }
}

/// Looks for a sine in a channel.
struct ToneSearch {
  /// The frames that count, at most.
  static let longest = 1 << 23
  let samples: WindowedSamples
  private let slice: ArraySlice<Float>
  private let rate: Double

  init(_ samples: [Float], rate: Double) {
    slice = samples.prefix(Self.longest)
    self.samples = WindowedSamples(slice)
    self.rate = rate
  }

  func model(near frequency: Double?) -> SineModel? {
    guard let angle = angle(near: frequency) else { return nil }
    return SineModel(samples, near: angle, multiples: 1)
  }

  /// In radians per frame, to a fraction of a bin.
  func angle(near frequency: Double?) -> Double? {
    guard slice.count >= 8 else { return nil }
    // At least twice as many samples as frames: the highest bin is off by at most a quarter of
    // 1/frames.
    var length = 128
    while length < 2 * slice.count { length *= 2 }
    var transform = RealFFT(length: length)
    let input = SampleStorage(repeating: 0, count: length)
    let window = PowerSpectrum.hann(slice.count)
    for (index, sample) in zip(0..., slice) {
      input[index] = sample.isFinite ? Float(Double(sample) * window[index]) : 0
    }
    let spectrum = SpectrumStorage(rowCount: 1, binCount: transform.binCount)
    transform.forward(input.buffer(at: 0, count: length), into: spectrum[0])
    let (real, imaginary) = (spectrum[0].real, spectrum[0].imaginary)
    func power(_ bin: Int) -> Double {
      Double(real[bin]) * Double(real[bin]) + Double(imaginary[bin]) * Double(imaginary[bin])
    }
    let width = rate / Double(length)
    // Below one period over the sound lies its mean.
    let lowest = max(2 * length / (2 * slice.count), 1)
    var bins = lowest..<transform.binCount - 1
    if let frequency {
      let third = pow(2, 1.0 / 3)
      let first = Int((frequency / third / width).rounded(.up))
      let last = Int(min(frequency * third / width, Double(length)).rounded(.down))
      bins = (first..<max(first, last) + 1).clamped(to: 1..<transform.binCount - 1)
    }
    // Only peaks: the skirt of a stronger tone just outside has none.
    let tops = bins.filter { power($0) >= power($0 - 1) && power($0) >= power($0 + 1) }
    guard let best = (tops.isEmpty ? Array(bins) : tops).max(by: { power($0) < power($1) }),
      power(best) > 0
    else { return nil }
    return 2 * .pi * Double(best) / Double(length)
  }
}
