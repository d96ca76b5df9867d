import RenderCore

/// Brings speech to one level: automatic gain control.
///
/// The level is the power of those hops in which someone speaks, above -60 dBFS and at most 25 dB below
/// their own mean, averaged over 0.4 s of speech. The gain approaches what the target needs by at most 16 dB
/// a second upwards and 48 dB a second downwards, and stays where it is when nobody speaks. What would
/// exceed full scale is bent, from -2 dBFS on.
struct LevelControl: ~Copyable {
  /// What the mean power of speech is brought to: -20 dBFS. The figure is ours.
  static var target: Float { @_noLocks get { 0.01 } }
  /// 30 dB up, 20 dB down.
  private static var largest: Float { @_noLocks get { 31.622777 } }
  private static var smallest: Float { @_noLocks get { 0.1 } }

  private var power: Float = 0
  private var heard = 0
  private(set) var gain: Float = 1
  private var lastGain: Float = 1

  init() {}

  /// Scales a hop in place.
  ///
  /// - Parameters:
  ///   - isSpeech: Whether someone near speaks in it.
  ///   - isOn: Whether the gain is to follow; otherwise it returns to 1.
  @_noLocks
  mutating func control(_ samples: ChannelBuffer, isSpeech: Bool, isOn: Bool) {
    let now = samples.energy() / Float(samples.count)
    if isOn {
      if isSpeech && now > 1e-6 && now > 0.003 * power { follow(now) }
    } else {
      gain = 1
      heard = 0
      power = 0
    }
    let step = (gain - lastGain) / Float(samples.count)
    guard gain != 1 || lastGain != 1 else { return }
    for index in samples.indices {
      lastGain += step
      samples[index] = Self.bend(samples[index] * lastGain)
    }
    lastGain = gain
  }

  @_noLocks
  private mutating func follow(_ now: Float) {
    heard += 1
    // The mean of what there is, until there is enough of it.
    let share = heard < 50 ? 1 / Float(heard) : 0.02
    power += share * (now - power)
    // A fifth of a second of speech before the first change.
    guard heard > 10 else { return }
    var wanted = renderSquareRoot(Self.target / power)
    wanted = wanted > Self.largest ? Self.largest : wanted
    wanted = wanted < Self.smallest ? Self.smallest : wanted
    let highest = gain * 1.015
    let lowest = gain * 0.957
    gain = wanted > highest ? highest : wanted < lowest ? lowest : wanted
  }

  /// Up to 0.8 as it is; above that ever less, and never 1.
  @_noLocks
  private static func bend(_ sample: Float) -> Float {
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
