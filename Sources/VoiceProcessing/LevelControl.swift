import RenderCore

/// Brings speech to one level: automatic gain control.
///
/// The level is the mean power over 0.4 s of speech; hops below -60 dBFS, or more than 25 dB below
/// that mean, do not count. The gain approaches the target by at most 16 dB per second upwards and
/// 48 dB per second downwards, and stays without speech. Samples above -2 dBFS are soft-clipped
/// below full scale.
struct LevelControl: ~Copyable {
  /// The target for the mean power of speech: -20 dBFS. The figure is ours.
  static var target: Float { @_noLocks get { 0.01 } }
  /// 30 dB up, 20 dB down.
  private static var largestGain: Float { @_noLocks get { 31.622777 } }
  private static var smallestGain: Float { @_noLocks get { 0.1 } }

  private var power: Float = 0
  private var speechHops = 0
  private(set) var gain: Float = 1
  private var lastGain: Float = 1

  init() {}

  /// Scales a hop in place.
  ///
  /// - Parameters:
  ///   - isSpeech: Whether the hop contains near-end speech.
  ///   - isOn: Whether the gain follows the level; otherwise it returns to 1.
  @_noLocks
  mutating func control(_ samples: ChannelBuffer, isSpeech: Bool, isOn: Bool) {
    let now = samples.energy() / Float(samples.count)
    if isOn {
      if isSpeech && now > 1e-6 && now > 0.003 * power { follow(now) }
    } else {
      gain = 1
      speechHops = 0
      power = 0
    }
    let step = (gain - lastGain) / Float(samples.count)
    guard gain != 1 || lastGain != 1 else { return }
    for index in samples.indices {
      lastGain += step
      samples[index] = Self.softClip(samples[index] * lastGain)
    }
    lastGain = gain
  }

  @_noLocks
  private mutating func follow(_ now: Float) {
    speechHops += 1
    // A plain mean until there are 50 hops.
    let share = speechHops < 50 ? 1 / Float(speechHops) : 0.02
    power += share * (now - power)
    // The first change comes with the 11th hop of speech.
    guard speechHops > 10 else { return }
    var wanted = renderSquareRoot(Self.target / power)
    wanted = wanted > Self.largestGain ? Self.largestGain : wanted
    wanted = wanted < Self.smallestGain ? Self.smallestGain : wanted
    let highest = gain * 1.015
    let lowest = gain * 0.957
    gain = wanted > highest ? highest : wanted < lowest ? lowest : wanted
  }

  /// Passes magnitudes up to 0.8; compresses larger ones, to below 1.
  @_noLocks
  private static func softClip(_ sample: Float) -> Float {
    if sample > 0.8 {
      let above = sample - 0.8
      return 0.8 + 0.2 * above / (above + 0.2)
    }
    if sample < -0.8 {
      let above = -0.8 - sample
      return -0.8 - 0.2 * above / (above + 0.2)
    }
    return sample
  }
}
