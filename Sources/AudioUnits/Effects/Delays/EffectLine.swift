import RenderCore

/// A delay line of several channels, which can be read any number of frames back.
///
/// Frames from before the start read as zero, so that clearing costs nothing. Values close to zero,
/// and values that are not finite, are written as zero, so that they do not circulate in a
/// feedback.
struct EffectLine: ~Copyable {
  /// The largest delay that can be read, in frames.
  let reach: Int
  private let length: Int
  private let samples: SampleStorage
  private var place = 0
  private var age = 0
  // Frames written since the last one that was not zero.
  private var zeros = 0
  private var isZero = true

  /// - Parameter reach: At least 1.
  init(channelCount: Int, reach: Int) {
    precondition(channelCount > 0 && reach > 0, "a line has a channel, and a frame")
    var length = 1
    while length < reach + 4 { length *= 2 }
    self.reach = reach
    self.length = length
    samples = SampleStorage(repeating: 0, count: length * channelCount)
  }

  /// Approximately how many bytes a line takes.
  static func memory(channelCount: Int, reach: Int) -> Int { 8 * reach * channelCount }

  // MARK: Render thread

  /// Whether all samples are zero.
  var isEmpty: Bool { @_noLocks get { zeros >= age } }

  /// Forgets all samples.
  @_noLocks
  mutating func clear() {
    age = 0
    zeros = 0
  }

  /// The sample `back` frames before the one that is written next: 1 for the last one.
  @_noLocks
  func sample(_ channel: Int, back: Int) -> Double {
    if back > age { return 0 }
    return Double(samples[channel * length + (place - back) & (length - 1)])
  }

  /// The sample at a position between frames, by Lagrange's polynomial through four frames; exact
  /// on a frame.
  ///
  /// - Parameter back: From 1 to the line's reach.
  @_noLocks
  func sample(_ channel: Int, back: Double) -> Double {
    let whole = Int(back)
    let part = back - Double(whole)
    if part == 0 { return sample(channel, back: whole) }
    let b = sample(channel, back: whole)
    let c = sample(channel, back: whole + 1)
    // The fourth frame is not written yet: interpolate linearly.
    if whole < 2 { return b + part * (c - b) }
    let a = sample(channel, back: whole - 1)
    let d = sample(channel, back: whole + 2)
    let up = part + 1
    let down = part - 1
    let far = part - 2
    return -part * down * far / 6 * a + up * down * far / 2 * b - up * part * far / 2 * c
      + up * part * down / 6 * d
  }

  @_noLocks
  mutating func write(_ channel: Int, _ value: Double) {
    let isKept = value.magnitude >= 1e-15 && value.magnitude <= 1e30
    if isKept { isZero = false }
    samples[channel * length + place] = isKept ? Float(value) : 0
  }

  /// Writes a sample unchanged, for a line without feedback.
  @_noLocks
  mutating func keep(_ channel: Int, _ sample: Float) {
    if sample != 0 { isZero = false }
    samples[channel * length + place] = sample
  }

  /// Advances to the next frame, once every channel has been written.
  @_noLocks
  mutating func advance() {
    place = (place + 1) & (length - 1)
    if age < length { age += 1 }
    zeros = isZero ? zeros + 1 : 0
    isZero = true
  }
}

/// The position at which a delay line is read, in frames back. A change without a ramp crossfades
/// from the old position to the new one over 20 ms; a ramp moves the position.
struct DelayTap: BitwiseCopyable {
  private let limit: Double
  private let fadeLength: Int
  private(set) var now = 1.0
  private(set) var from = 1.0
  private var left = 0

  /// - Parameter limit: The largest delay, in frames.
  init(limit: Int, sampleRate: Double) {
    self.limit = Double(limit)
    fadeLength = Swift.max(1, Int((0.02 * sampleRate).rounded()))
  }

  // MARK: Render thread

  /// Whether a crossfade between two positions is under way.
  var isFading: Bool { @_noLocks get { left > 0 } }

  /// The weight of the new position in the present frame.
  var weight: Double {
    @_noLocks get {
      let part = Double(fadeLength - left) / Double(fadeLength)
      return part * part * (3 - 2 * part)
    }
  }

  /// A position, clamped to the limits, and rounded where it is within 0.01 of a whole frame.
  @_noLocks
  private func limited(_ frames: Double) -> Double {
    let near = renderRound(frames)
    let value = (frames - near).magnitude < 0.01 ? near : frames
    return value < 1 ? 1 : value > limit ? limit : value
  }

  @_noLocks
  mutating func jump(to frames: Double) {
    now = limited(frames)
    left = 0
  }

  /// Moves to a position without a crossfade.
  @_noLocks
  mutating func move(to frames: Double) {
    let value = frames < 1 ? 1 : frames > limit ? limit : frames
    now = value
    left = 0
  }

  /// Starts a crossfade to a position. During a crossfade the call has no effect.
  @_noLocks
  mutating func fade(to frames: Double) {
    let wanted = limited(frames)
    guard left == 0, wanted != now else { return }
    from = now
    now = wanted
    left = fadeLength
  }

  @_noLocks
  mutating func advance() { if left > 0 { left -= 1 } }
}
