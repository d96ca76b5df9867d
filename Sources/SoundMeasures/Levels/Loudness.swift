internal import AudioTypes
internal import RenderCore
internal import RenderTaps

// Loudness by EBU R 128 (ITU-R BS.1770-4, EBU Tech 3341 and 3342), as the `loudness` tap measures
// it: up to six channels in the order of 5.1, a single channel counted once. Samples that are not
// finite are silence.

extension Sound {
  /// Why the loudness of this sound cannot be measured (its channels, its rate, or a missing
  /// library); `nil` where it can.
  public var loudnessRefusal: String? {
    if !(1...LoudnessState.mostChannels).contains(channelCount) {
      return "loudness is defined for 1 to \(LoudnessState.mostChannels) channels; there are "
        + "\(channelCount)"
    }
    guard LoudnessState.rates.contains(sampleRate) else {
      return "loudness is measured at 16 Hz to 2822400 Hz; the rate is \(sampleRate) Hz"
    }
    return LoudnessState(format, dualMono: false, truePeak: false) == nil
      ? LoudnessState.refusal : nil
  }

  /// The integrated loudness in LUFS. `nil` where nothing passes the gates (the sound is shorter
  /// than 0.4 s or softer than -70 LUFS everywhere), or there is a `loudnessRefusal`.
  public func integratedLoudness() -> Double? {
    let level = measuredLoudness()?.reading.integrated ?? -.infinity
    return level.isFinite ? level : nil
  }

  /// The least and the greatest loudness over 3 s, in LUFS, measured every 0.1 s, each with its
  /// frames; minus infinity where they are silent. `nil` where the sound is shorter than 3 s, or
  /// there is a `loudnessRefusal`.
  public func shortTermLoudness() -> (least: SoundReading, greatest: SoundReading)? {
    guard let looks = measuredLoudness()?.looks, var least = looks.first else { return nil }
    var greatest = least
    for look in looks {
      if look.value < least.value { least = look }
      if look.value > greatest.value { greatest = look }
    }
    return (least, greatest)
  }

  /// The loudness range in LU: from the 10th to the 95th percentile of the short-term loudness,
  /// behind the gates of EBU Tech 3342. `nil` where the sound is shorter than 3 s or softer than
  /// -70 LUFS, or there is a `loudnessRefusal`.
  public func loudnessRange() -> Double? {
    guard let measured = measuredLoudness(),
      measured.looks.contains(where: { $0.value >= -70 })
    else { return nil }
    return measured.reading.range
  }

  private var format: StreamFormat {
    StreamFormat(.float32, channels: channelCount, sampleRate: sampleRate)
  }

  private func measuredLoudness() -> (reading: LoudnessReading, looks: [SoundReading])? {
    guard (1...LoudnessState.mostChannels).contains(channelCount),
      LoudnessState.rates.contains(sampleRate),
      var state = LoudnessState(format, dualMono: false, truePeak: false)
    else { return nil }
    let step = max(1, Int((sampleRate / 10).rounded()))
    var samples = [Double](repeating: 0, count: step * channelCount)
    var looks: [SoundReading] = []
    var start = 0
    while start < frameCount {
      let length = min(step, frameCount - start)
      for (number, channel) in channels.enumerated() {
        var place = number
        for frame in start..<start + length {
          samples[place] = channel[frame].isFinite ? Double(channel[frame]) : 0
          place += channelCount
        }
      }
      guard state.add(samples, frameCount: length) else { return nil }
      start += length
      if length == step && start >= 30 * step {
        looks.append(
          SoundReading(state.shortTerm, at: SoundPlace(frames: start - 30 * step..<start)))
      }
    }
    return (state.reading, looks)
  }
}
