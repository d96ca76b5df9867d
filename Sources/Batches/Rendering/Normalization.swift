import PatchSyntax
import RenderCore
import SoundMeasures

/// The gain that brings a sound to a loudness, limited by its true peak.
struct Normalization {
  /// The gain in decibels.
  let gain: Double
  /// The loudness in LUFS and the true peak in dBTP before the gain; `nil` for silence.
  let loudness: Double?
  let truePeak: Double?
  /// How many decibels of gain are missing because of the true peak; 0 if the target is reached.
  let heldBack: Double
  private let wanted: BatchJob.Normalizing

  /// The increase of a peak by rounding and dither, in decibels.
  private static let margin = 0.01

  init(_ sound: Sound, to wanted: BatchJob.Normalizing) {
    self.init(
      loudness: Self.loudness(of: sound),
      truePeak: sound.truePeak().map(\.value).max() ?? -.infinity, to: wanted)
  }

  /// - Parameters:
  ///   - loudness: In LUFS; `nil` for silence.
  ///   - peak: The true peak in dBTP.
  init(loudness: Double?, truePeak peak: Double, to wanted: BatchJob.Normalizing) {
    self.wanted = wanted
    self.loudness = loudness
    truePeak = peak.isFinite ? peak : nil
    guard let loudness else {
      gain = 0
      heldBack = 0
      return
    }
    let full = wanted.integratedLoudness - loudness
    gain = min(full, wanted.truePeakAtMost - Self.margin - peak)
    heldBack = full - gain
  }

  /// The integrated loudness. A sound shorter than a gating block (0.4 s) is measured as if it were
  /// repeated.
  static func loudness(of sound: Sound) -> Double? {
    let block = Int((sound.sampleRate * 0.4).rounded(.up))
    guard sound.frameCount > 0, sound.frameCount < block else { return sound.integratedLoudness() }
    let times = (2 * block + sound.frameCount - 1) / sound.frameCount
    let channels = sound.channels.map { samples in
      Array(repeatElement(samples, count: times).joined())
    }
    return Sound(sampleRate: sound.sampleRate, channels: channels).integratedLoudness()
  }

  /// The linear gain.
  var factor: Double { renderExp(gain / 20 * 2.302585092994046) }

  /// The warning about silence or a limited gain; `nil` for none.
  var fault: JobFault? {
    guard let loudness, let truePeak else {
      return JobFault(BatchRules.loudness, "there is no loudness to normalize: it is silent")
    }
    guard heldBack > 0.05 else { return nil }
    func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    return JobFault(
      BatchRules.loudness,
      "the loudness stays \(text(heldBack)) LU below \(text(wanted.integratedLoudness)) LUFS: its true "
        + "peak, \(text(truePeak - loudness)) dB above it, would pass \(text(wanted.truePeakAtMost)) dBTP",
      help: ["a PeakLimiter in the patch lowers the peaks, or allow less loudness"])
  }

  var json: JSONText {
    [
      "gain": SoundMeasurement.level(gain),
      "integratedLoudness": SoundMeasurement.level(loudness.map { $0 + gain }),
      "truePeak": SoundMeasurement.level(truePeak.map { $0 + gain }),
      "heldBack": SoundMeasurement.level(heldBack),
    ]
  }
}
