internal import Glibc

/// The distortion and noise of a channel that carries a sine.
public struct DistortionReading: Hashable, Sendable {
  /// From 0.
  public var channel: Int
  /// The frequency of the fundamental, in Hz; 0 where there is none, and the levels are then NaN.
  public var frequency: Double
  /// The ratio of the harmonics 2 to 10 (below half the rate) to the fundamental, in dB.
  public var thd: Double
  /// The ratio of everything but the fundamental and the mean, from 20 Hz to 20 kHz, to the whole,
  /// in dB.
  public var thdn: Double
  /// The ratio of the fundamental to the noise from 20 Hz to 20 kHz, in dB. The noise is the sound
  /// without the fundamental, those harmonics and the mean.
  public var snr: Double
}

extension Sound {
  /// The distortion and noise of each channel beside a sine: the strongest one, or the strongest
  /// within a third of an octave of a frequency in Hz.
  ///
  /// The sine, its harmonics and the mean are fitted together, as in `tone(near:)`, and subtracted
  /// in double precision; the residual is measured as in `band(from:to:)`. The ratio with noise is
  /// that of AES17 without its notch filter, so nothing beside the fundamental is lost. Samples of
  /// 32-bit floats have a noise floor near -150 dB. The sound needs ten periods or more.
  public func distortion(of frequency: Double? = nil) -> [DistortionReading] {
    precondition(frequency.map { $0 > 0 } ?? true, "a frequency is above 0 Hz")
    return channels.enumerated().map { number, samples in
      let search = ToneSearch(samples, rate: sampleRate)
      guard let first = search.model(near: frequency) else {
        return DistortionReading(
          channel: number, frequency: 0, thd: .nan, thdn: .nan, snr: .nan)
      }
      let multiples = max(1, min(10, Int((.pi * 0.999_999 / first.angle).rounded(.down))))
      let model = SineModel(search.samples, near: first.angle, multiples: multiples)
      let fundamental = model.amplitude(1)
      let tone = model.angle / (2 * .pi) * sampleRate
      var (harmonics, audible) = (0.0, 0.0)
      for multiple in 2..<multiples + 1 {
        let power = model.amplitude(multiple) * model.amplitude(multiple)
        harmonics += power
        if (20...20_000).contains(Double(multiple) * tone) { audible += power / 2 }
      }
      let rest = Sound(sampleRate: sampleRate, channels: [model.rest])
      let noise = PowerSpectrum.of(rest)[0].power(from: 20, to: 20_000)
      let power = fundamental * fundamental / 2
      return DistortionReading(
        channel: number, frequency: tone, thd: 10 * log10(harmonics / (2 * power)),
        thdn: 10 * log10((audible + noise) / (power + audible + noise)),
        snr: 10 * log10(power / noise))
    }
  }
}
