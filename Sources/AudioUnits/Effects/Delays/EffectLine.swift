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
  func sample(_ channel: Int, back: Int) -> Double { Double(frame(channel, back: back)) }

  /// The same as it was written.
  @_noLocks
  func frame(_ channel: Int, back: Int) -> Float {
    if back > age { return 0 }
    return samples[channel * length + (place - back) & (length - 1)]
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
    return LinePoint(part).value(a, b, c, d)
  }

  @_noLocks
  mutating func write(_ channel: Int, _ value: Double) {
    let isKept = Self.keeps(value)
    if isKept { isZero = false }
    samples[channel * length + place] = isKept ? Float(value) : 0
  }

  /// Whether a value is written as it is, and not as zero.
  @_noLocks
  static func keeps(_ value: Double) -> Bool {
    value.magnitude >= 1e-15 && value.magnitude <= 1e30
  }

  /// Writes a sample unchanged, for a line without feedback.
  @_noLocks
  mutating func keep(_ channel: Int, _ sample: Float) {
    // The negative zero is a sound: an empty line gives positive ones.
    if sample.bitPattern != 0 { isZero = false }
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

  // MARK: Runs of frames

  /// Keeps frames of every channel unchanged, and outputs those that came `delay` frames before.
  ///
  /// - Parameters:
  ///   - delay: From 0 to the line's reach less 1.
  ///   - output: May share memory with the input.
  ///   - start: The first frame in both buses.
  @_noLocks
  mutating func pass(
    _ input: RenderBus, into output: RenderBus, from start: Int, count: Int, delay: Int
  ) {
    var done = 0
    while done < count {
      // A run does not overwrite frames that it reads.
      let room = length - delay
      let run = count - done < room ? count - done : room
      var sounding = 0
      for channel in 0..<input.channelCount {
        let frames = input[channel].dropping(start + done).prefix(run)
        if !input.isSilent {
          var last = run
          while last > sounding, frames[last - 1].bitPattern == 0 { last -= 1 }
          sounding = last
        }
        store(channel, frames)
        read(channel, back: delay, into: output[channel].dropping(start + done).prefix(run))
      }
      advance(run, sounding: sounding)
      done += run
    }
  }

  /// Reads consecutive frames of a channel.
  ///
  /// - Parameter back: The first one's distance to the one that is written next, below the line's
  ///   length.
  @_noLocks
  func read(_ channel: Int, back: Int, into frames: ChannelBuffer) {
    var early = back - age
    early = early < 0 ? 0 : early > frames.count ? frames.count : early
    frames.prefix(early).clear()
    let found = frames.dropping(early)
    let first = (place - back + early) & (length - 1)
    samples.buffer(at: channel * length, count: length).read(aroundFrom: first, into: found)
  }

  /// Writes frames of a channel, fewer than the line's length, as they are.
  @_noLocks
  func store(_ channel: Int, _ frames: ChannelBuffer) {
    samples.buffer(at: channel * length, count: length).write(aroundFrom: place, frames)
  }

  /// Advances by frames that every channel has stored.
  ///
  /// - Parameter sounding: How many of them there are up to the last one that is not zero.
  @_noLocks
  mutating func advance(_ frameCount: Int, sounding: Int) {
    place = (place + frameCount) & (length - 1)
    age = age + frameCount < length ? age + frameCount : length
    zeros = sounding > 0 ? frameCount - sounding : zeros + frameCount
  }
}

/// A point between the second and the third of four frames, by Lagrange's polynomial.
struct LinePoint: BitwiseCopyable {
  private let first, second, third, fourth: Double

  // MARK: Render thread

  /// - Parameter part: The distance to the second frame, from 0 to 1.
  @_noLocks
  init(_ part: Double) {
    let up = part + 1
    let down = part - 1
    let far = part - 2
    first = -part * down * far / 6
    second = up * down * far / 2
    third = up * part * far / 2
    fourth = up * part * down / 6
  }

  @_noLocks
  func value(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
    first * a + second * b - third * c + fourth * d
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
