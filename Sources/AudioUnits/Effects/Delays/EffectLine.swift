import RenderCore

/// The last samples of several channels, to be read any number of frames back.
///
/// What was before the line began is zero, so beginning anew costs nothing. What is next to nothing is
/// kept as zero, and what is no number too: neither goes round in a feedback for ever.
struct EffectLine: ~Copyable {
  /// How far back one can read, in frames.
  let reach: Int
  private let length: Int
  private let samples: SampleStorage
  private var place = 0
  private var age = 0
  // Frames since one was written that is not zero.
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

  /// About how many bytes it takes.
  static func memory(channelCount: Int, reach: Int) -> Int { 8 * reach * channelCount }

  // MARK: Render thread

  /// Whether everything in it is zero.
  var isEmpty: Bool { @_noLocks get { zeros >= age } }

  /// Forgets what has been.
  @_noLocks
  mutating func clear() {
    age = 0
    zeros = 0
  }

  /// A sample of `back` frames before the one that is written next: 1 for the last one.
  @_noLocks
  func sample(_ channel: Int, back: Int) -> Double {
    if back > age { return 0 }
    return Double(samples[channel * length + (place - back) & (length - 1)])
  }

  /// The same between frames: by J. L. Lagrange's polynomial through four of them, and exactly on a frame.
  ///
  /// - Parameter back: From 1 to the line's reach.
  @_noLocks
  func sample(_ channel: Int, back: Double) -> Double {
    let whole = Int(back)
    let part = back - Double(whole)
    if part == 0 { return sample(channel, back: whole) }
    let b = sample(channel, back: whole)
    let c = sample(channel, back: whole + 1)
    // Too near for a frame on the other side.
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

  /// Keeps a sample to the bit: for a line that nothing goes round in.
  @_noLocks
  mutating func keep(_ channel: Int, _ sample: Float) {
    if sample != 0 { isZero = false }
    samples[channel * length + place] = sample
  }

  /// Goes on to the next frame, once every channel has been written.
  @_noLocks
  mutating func advance() {
    place = (place + 1) & (length - 1)
    if age < length { age += 1 }
    zeros = isZero ? zeros + 1 : 0
    isZero = true
  }
}

/// How far back a delay reads, in frames: a change that brings no ramp fades from the one place to the
/// other over 20 ms, and one that does moves it.
struct DelayReach: BitwiseCopyable {
  private let limit: Double
  private let fadeLength: Int
  private(set) var now = 1.0
  private(set) var from = 1.0
  private var left = 0

  /// - Parameter limit: The most, in frames.
  init(limit: Int, sampleRate: Double) {
    self.limit = Double(limit)
    fadeLength = Swift.max(1, Int((0.02 * sampleRate).rounded()))
  }

  // MARK: Render thread

  /// Whether two places are heard.
  var isFading: Bool { @_noLocks get { left > 0 } }

  /// How much of the new place is heard in the present frame.
  var weight: Double {
    @_noLocks get {
      let part = Double(fadeLength - left) / Double(fadeLength)
      return part * part * (3 - 2 * part)
    }
  }

  /// Within its limits, and on a frame where it is next to one.
  @_noLocks
  private func held(_ frames: Double) -> Double {
    let near = renderRound(frames)
    let value = (frames - near).magnitude < 0.01 ? near : frames
    return value < 1 ? 1 : value > limit ? limit : value
  }

  @_noLocks
  mutating func jump(to frames: Double) {
    now = held(frames)
    left = 0
  }

  /// Is there from now on.
  @_noLocks
  mutating func move(to frames: Double) {
    let value = frames < 1 ? 1 : frames > limit ? limit : frames
    now = value
    left = 0
  }

  /// Sets out for a place; one that is asked for during a fade waits for its end.
  @_noLocks
  mutating func fade(to frames: Double) {
    let wanted = held(frames)
    guard left == 0, wanted != now else { return }
    from = now
    now = wanted
    left = fadeLength
  }

  @_noLocks
  mutating func advance() { if left > 0 { left -= 1 } }
}
