import AudioTypes
import RenderCore

/// A delay line with a tap and feedback.
///
/// The tap stands on a whole frame. When the delay is set, the tap fades from the old place to the
/// new one. When it ramps, the tap moves along the line, interpolating by a cubic through four
/// frames (Catmull and Rom), and fades to the nearest frame at the end. A change during a fade
/// waits for its end.
struct EchoKernel: RenderKernel, ~Copyable {
  /// Where the echo is read.
  private struct Tap: BitwiseCopyable {
    /// Whether it moves with the delay; else it stands at `frames`.
    var isMoving: Bool
    var frames: Int

    @_noLocks
    func isSame(as other: Tap) -> Bool {
      if isMoving != other.isMoving { return false }
      return isMoving || frames == other.frames
    }
  }

  private let sampleRate: Double
  private let longestDelay: Int
  /// The length of a line, in frames.
  private let capacity: Int
  private let fadeLength: Int
  private var delay: GlidingControl
  private var feedback: GlidingControl
  private var mix: GlidingControl
  /// For each channel the last frames of x + feedback e.
  private let lines: SampleStorage
  /// Where the next frame is written.
  private var position = 0
  private var tap: Tap
  /// The tap that a fade leads to.
  private var next: Tap
  private var faded = 0
  private var isFading = false
  /// The place of a moving tap, in frames.
  private var place = 1.0

  init(
    delay: GlidingControl, feedback: GlidingControl, mix: GlidingControl, sampleRate: Double,
    longestDelay: Int, channelCount: Int
  ) {
    self.sampleRate = sampleRate
    self.longestDelay = longestDelay
    // Four more, for the interpolation at a moving tap.
    capacity = longestDelay + 4
    fadeLength = max(1, Int((sampleRate / 50).rounded()))
    self.delay = delay
    self.feedback = feedback
    self.mix = mix
    lines = SampleStorage(repeating: 0, count: (longestDelay + 4) * channelCount)
    let frames = Self.frames(delay.current, sampleRate, longestDelay)
    tap = Tap(isMoving: false, frames: frames)
    next = Tap(isMoving: false, frames: frames)
  }

  /// A delay in whole frames.
  @_noLocks
  private static func frames(_ seconds: Double, _ sampleRate: Double, _ longest: Int) -> Int {
    let frames = renderRoundHalvesAway(seconds * sampleRate)
    if frames < 1 { return 1 }
    return frames > Double(longest) ? longest : Int(frames)
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    let isFirst = !delay.hasBegun
    feedback.follow()
    mix.follow()
    if delay.follow(), isFirst {
      tap.frames = Self.frames(delay.goal, sampleRate, longestDelay)
    }
    var done = 0
    while done < context.frameCount {
      if !isFading { startFadeIfChanged() }
      let isSteady = !isFading && !tap.isMoving && feedback.isSettled && mix.isSettled
      if isSteady {
        done += renderSteadily(input, output, from: done)
      } else {
        renderFrame(input, output, done)
        done += 1
      }
    }
    return .ok
  }

  /// Starts a fade if the tap has to change.
  @_noLocks
  private mutating func startFadeIfChanged() {
    let wanted = Tap(
      isMoving: delay.isRamping && !delay.isSettled,
      frames: Self.frames(delay.goal, sampleRate, longestDelay))
    if wanted.isSame(as: tap) { return }
    next = wanted
    faded = 0
    isFading = true
  }

  /// Renders as many of the next frames as possible in one stretch. Returns how many.
  @_noLocks
  private mutating func renderSteadily(
    _ input: RenderBus, _ output: RenderBus, from first: Int
  ) -> Int {
    let dry = Float(1) - Float(mix.current)
    let wet = Float(mix.current)
    let feedback = Float(self.feedback.current)
    var from = position - tap.frames
    if from < 0 { from += capacity }
    var count = input.frameCount - first
    if capacity - position < count { count = capacity - position }
    if capacity - from < count { count = capacity - from }
    if tap.frames < count { count = tap.frames }
    // The delay's glide advances, although nothing reads it.
    delay.skip(count)
    for channel in 0..<output.channelCount {
      let past = lines.buffer(at: channel * capacity + from, count: count)
      let line = lines.buffer(at: channel * capacity + position, count: count)
      let source = input[channel].dropping(first)
      let sink = output[channel].dropping(first)
      for frame in 0..<count {
        let echo = past[frame]
        let sample = source[frame]
        line[frame] = sample + feedback * echo
        sink[frame] = dry * sample + wet * echo
      }
    }
    position += count
    if position == capacity { position = 0 }
    return count
  }

  @_noLocks
  private mutating func renderFrame(_ input: RenderBus, _ output: RenderBus, _ frame: Int) {
    let wet = Float(mix.next())
    let dry = 1 - wet
    let feedback = Float(self.feedback.next())
    let seconds = delay.next()
    // After a delay has been set, a moving tap stays at its position, and fades out.
    if delay.isRamping { place = bounded(seconds * sampleRate) }
    var share: Float = 0
    if isFading {
      let x = Float(faded + 1) / Float(fadeLength)
      share = x * x * (3 - 2 * x)
    }
    for channel in 0..<output.channelCount {
      var echo = value(of: tap, channel, place)
      if isFading { echo += (value(of: next, channel, place) - echo) * share }
      let sample = input[channel][frame]
      lines[channel * capacity + position] = sample + feedback * echo
      output[channel][frame] = dry * sample + wet * echo
    }
    position = position + 1 == capacity ? 0 : position + 1
    guard isFading else { return }
    faded += 1
    if faded == fadeLength {
      isFading = false
      tap = next
    }
  }

  @_noLocks
  private func bounded(_ frames: Double) -> Double {
    if frames < 1 { return 1 }
    return frames > Double(longestDelay) ? Double(longestDelay) : frames
  }

  /// - Parameter place: The place of a moving tap, in frames.
  @_noLocks
  private func value(of tap: Tap, _ channel: Int, _ place: Double) -> Float {
    guard tap.isMoving else { return sample(channel, tap.frames) }
    let whole = Int(place)
    let t = Float(place - Double(whole))
    let before = sample(channel, whole > 1 ? whole - 1 : 1)
    let one = sample(channel, whole)
    let two = sample(channel, whole + 1)
    let after = sample(channel, whole + 2)
    let slope = (two - before) / 2
    let second = before - 2.5 * one + 2 * two - 0.5 * after
    let third = (after - before) / 2 + 1.5 * (one - two)
    return one + t * (slope + t * (second + t * third))
  }

  /// The sample written `frames` frames ago, which is at least one.
  @_noLocks
  private func sample(_ channel: Int, _ frames: Int) -> Float {
    var index = position - frames
    if index < 0 { index += capacity }
    return lines[channel * capacity + index]
  }
}
