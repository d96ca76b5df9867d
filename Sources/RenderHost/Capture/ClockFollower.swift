/// Keeps the latency from the microphone to the graph constant, where microphone and loudspeaker
/// have a clock each.
///
/// It counts the frames between the two devices on their fitted lines (`DeviceTimeline`), so that
/// the count depends neither on the sizes of deliveries and requests nor on a late thread:
///
/// - At first the input is silent. Once both lines are fitted, some tenths of a second after the
///   first frames, the *target* for the frames in the ring is the longest delivery, plus the
///   lateness of notes, plus 2 ms. After 2.5 s the mean count of that time becomes the target.
/// - As long as the clocks agree the ratio is exactly 1, and every frame passes unchanged. When the
///   count has been off the target by more than 0.25 ms and half the jitter for a second, the
///   follower *engages*: from then on the ratio is that of the two speeds, plus a correction that
///   brings the count back to the target in some 20 s.
/// - The ratio never changes by more than 500 millionths, nearly a cent, in a second.
/// - After a device has stopped, or frames were lost, the count is corrected at once: frames are
///   skipped, or silence is inserted.
/// - A hole of up to 20 ms raises the target by twice its length, until all raises add up to
///   `largestRaise`. A longer hole counts as a device that has stopped.
/// - Frames that were not needed for two minutes are given up: those beyond the latest delivery and
///   the earliest request of that time plus 4 ms, if they amount to more than 4 ms. The start may
///   have been a busy second. If frames are missing within ten times that time afterwards, the wait
///   doubles, up to eight hours.
/// - When the loudspeaker's buffer is shortened, the ring holds as many more frames. They are given
///   up at 50 millionths of the time, which is inaudible.
///
/// A value that belongs to the thread that pulls.
public struct ClockFollower: BitwiseCopyable, Sendable {
  /// The correction to apply before the next pull.
  public enum Correction: Hashable, Sendable, BitwiseCopyable {
    case none
    /// Discard the oldest frames.
    case skip(Int)
    /// Append silence behind the newest frame.
    case pad(Int)
  }

  /// Microphone frames to read for each loudspeaker frame, as a factor on the nominal ratio.
  /// Exactly 1 until `isEngaged`; 0 until the input is to be heard.
  public private(set) var ratio = 0.0
  /// Whether the ratio follows a drift of the clocks.
  public private(set) var isEngaged = false
  /// The microphone's line; a delivery is a note.
  public private(set) var source: DeviceTimeline
  /// The loudspeaker's line; a request is a note.
  public private(set) var sink: DeviceTimeline
  /// The frames that should wait after a pull, on the lines.
  public private(set) var target = 0.0
  /// The frames that waited after the last pull, on the lines, less the target.
  public private(set) var deviation = 0.0

  private let rate: Double
  /// The longest of the newest few deliveries, in frames.
  private var longestDelivery = 0
  private var deliveries = 0
  private var requests = 0
  /// The frames that the target has been raised by.
  private var raised = 0.0
  /// The frames that the target is still to be lowered by, and the speed, in seconds a second.
  private var surplus = 0.0
  private var shedding = 0.0
  /// The seconds left of measuring how many frames more wait because the loudspeaker's buffer was
  /// shortened.
  private var shortening = 0.0
  /// The most frames that this can be.
  private var expectedSurplus = 0.0
  /// Whether the ratio differs from 1 only to give up frames.
  private var engagesToShed = false
  /// In the last `calmFor` seconds: the most frames that the microphone had captured and not
  /// delivered, and the most seconds by which a request was early. They are used after `calmWait`
  /// seconds.
  private var mostUndelivered = 0.0
  private var mostEarly = 0.0
  private var calmFor = 0.0
  private var calmWait: Double
  /// The seconds since unneeded frames were given up; negative before that, and after frames were
  /// missing again.
  private var leanFor = -1.0
  /// The frames that were missing in the last pull and in those just before it.
  private var hole = 0
  /// In seconds: since the input was heard, since the follower engaged or corrected at once, and
  /// since the mean went over the limit.
  private var heardFor = 0.0
  private var engagedFor = 0.0
  private var offFor = 0.0
  /// The deviation in frames, smoothed over a second.
  private var mean = 0.0
  /// The number of successive pulls that found far too many or too few frames.
  private var wrongPulls = 0
  private var lastRequest = 0.0
  /// The breaks of both lines so far, and the number of pulls for which the last one still counts.
  private var knownBreaks = 0
  private var shakenPulls = 0

  /// The part of the target beyond deliveries and lateness, and the least raise of it, in seconds.
  private static var margin: Double { @_noLocks get { 0.002 } }
  /// The time over which the first mean is taken, in seconds.
  private static var learningTime: Double { @_noLocks get { 2.5 } }
  /// The deviation above which the follower engages, in seconds, in addition to half the jitter.
  private static var tolerance: Double { @_noLocks get { 0.00025 } }
  /// The longest hole that raises the target, in seconds.
  private static var longestHole: Double { @_noLocks get { 0.02 } }
  /// The largest change of the ratio in a second.
  private static var largestStep: Double { @_noLocks get { 500e-6 } }
  /// The largest difference of the ratio from 1.
  private static var largestDeviation: Double { @_noLocks get { 0.005 } }
  /// The speeds at which the target is lowered, in seconds a second: the latency lags behind by 1
  /// ms, or 0.7 ms.
  private static var shorteningSpeed: Double { @_noLocks get { 50e-6 } }
  private static var leanSpeed: Double { @_noLocks get { 35e-6 } }
  /// The seconds in which a device, and its line, settle at another length of the buffer.
  private static var shorteningTime: Double { @_noLocks get { 4 } }
  /// The waits before unneeded frames are given up, in seconds.
  private static var firstCalm: Double { @_noLocks get { 120 } }
  private static var longestCalm: Double { @_noLocks get { 8 * 3600 } }
  /// The seconds of frames kept beyond those needed, and the least that is worth giving up.
  private static var reserve: Double { @_noLocks get { 0.004 } }
  /// The most that holes raise the target by in all, in seconds.
  public static var largestRaise: Double { @_noLocks get { 0.1 } }

  /// - Parameter sampleRate: The nominal rate of both devices, in Hz.
  @_noLocks
  public init(sampleRate: Double) {
    source = DeviceTimeline(sampleRate: sampleRate)
    sink = DeviceTimeline(sampleRate: sampleRate)
    rate = sampleRate
    calmWait = Self.firstCalm
  }

  /// Notes a delivery of the microphone. `seconds`: on any clock that runs evenly.
  @_noLocks
  public mutating func note(delivered frameCount: Int, at seconds: Double) {
    guard frameCount > 0 else { return }
    deliveries += 1
    // The first delivery of a source says little about the ones that follow.
    longestDelivery = longestDelivery * 3 / 4
    if frameCount > longestDelivery { longestDelivery = frameCount }
    let undelivered = source.position(at: seconds) - Double(source.frames)
    if undelivered > mostUndelivered { mostUndelivered = undelivered }
    source.advance(by: frameCount, at: seconds)
  }

  /// Notes a request of the loudspeaker. `seconds`: on the same clock.
  @_noLocks
  public mutating func note(requested frameCount: Int, at seconds: Double) {
    guard frameCount > 0 else { return }
    requests += 1
    sink.advance(by: frameCount, at: seconds)
    let early = sink.newestTime - seconds
    if early > mostEarly { mostEarly = early }
  }

  /// Notes an underrun of the loudspeaker: it has stopped, and its next request is more than it has
  /// played.
  @_noLocks
  public mutating func noteUnderrun() { sink.breakOff() }

  /// Notes that the loudspeaker's buffer was shortened: as many frames more wait here at once, and
  /// are given up slowly.
  @_noLocks
  public mutating func noteShorterBuffer(by frameCount: Int) {
    guard frameCount > 0 else { return }
    expectedSurplus += Double(frameCount)
    shortening = Self.shorteningTime
  }

  /// The frames that wait, on the lines, once the pull noted last is done.
  ///
  /// - Parameter ahead: Frames delivered and not yet read.
  @_noLocks
  private func waiting(_ ahead: Int) -> Double {
    source.position(at: sink.newestTime) - Double(source.frames) + Double(ahead)
  }

  /// Decides whether the input is heard from the next pull on.
  ///
  /// - Parameters:
  ///   - ahead: The frames that wait.
  ///   - pull: The frames that the pull reads, its lead at the start included.
  /// - Returns: The correction to apply first; `nil` as long as too few frames wait.
  @_noLocks
  public mutating func open(ahead: Int, pull: Int) -> Correction? {
    guard ratio == 0, deliveries > 6, requests > 3 else { return nil }
    let late = 2 * (source.jitter + sink.jitter)
    let reserve = Self.margin + (late < 0.02 ? late : 0.02)
    target = Double(longestDelivery) + reserve * rate
    let surplus = Int(waiting(ahead - pull) - target)
    guard surplus >= 0, ahead - surplus >= pull else { return nil }
    ratio = 1
    mean = 0
    return surplus > 0 ? .skip(surplus) : Correction.none
  }

  /// Updates the ratio after a pull that has been noted.
  ///
  /// - Parameters:
  ///   - ahead: The frames that wait now.
  ///   - missing: The frames that the pull lacked.
  /// - Returns: The correction to apply before the next pull.
  @_noLocks
  public mutating func follow(ahead: Int, missing: Int) -> Correction {
    let now = sink.newestTime
    let time = now > lastRequest && lastRequest > 0 ? now - lastRequest : 0
    lastRequest = now
    guard ratio > 0, source.isNear, sink.isNear else { return .none }
    deviation = waiting(ahead) - target
    noteBreaks()
    if missing > 0 {
      hole += missing
      return .none
    }
    if hole > 0 {
      noteHole()
      let correction = close(hole: hole)
      hole = 0
      return correction
    }
    if shortening > 0 {
      shorten(time)
      return .none
    }
    if let correction = correctAtOnce() { return correction }
    shed(time)
    heardFor += time
    giveUp(time)
    if heardFor < Self.learningTime && !isEngaged {
      // The mean since the beginning.
      let share = time > 0 && heardFor > 0 ? time / heardFor : 0
      mean += share * (deviation - mean)
      return .none
    }
    if heardFor - time < Self.learningTime && !isEngaged {
      target += mean
      deviation -= mean
      mean = 0
    }
    mean += time / (1 + time) * (deviation - mean)
    if isEngaged {
      steer(time)
    } else {
      watch(time)
    }
    return .none
  }

  /// Raises the target after a hole that has ended.
  @_noLocks
  private mutating func close(hole frames: Int) -> Correction {
    // Silence took the place of the hole, so that its frames wait now.
    let length = Double(frames)
    // A longer hole is not a late delivery but a stopped device, as is a hole just after a line was
    // refitted.
    guard shakenPulls == 0, length <= Self.longestHole * rate,
      raised < Self.largestRaise * rate
    else { return .none }
    // As much again, so that a slightly longer delay makes no hole next time.
    let spare = length > Self.margin * rate ? length : Self.margin * rate
    raised += length + spare
    target += length + spare
    return .pad(Int(spare))
  }

  /// Measures how many frames more wait, and adds them to the target, to be lowered from there.
  @_noLocks
  private mutating func shorten(_ time: Double) {
    shortening -= time
    mean += time / (0.5 + time) * (deviation - mean)
    guard shortening <= 0 else { return }
    // A larger surplus than expected has another cause.
    let found = mean < 0 ? 0 : mean > expectedSurplus ? expectedSurplus : mean
    expectedSurplus = 0
    target += found
    surplus += found
    shedding = Self.shorteningSpeed
    deviation -= found
    mean = 0
    guard surplus > 0, !isEngaged else { return }
    isEngaged = true
    engagesToShed = true
    // As 40 s after engaging in `steer`: there is no drift to correct.
    engagedFor = 40
  }

  /// Lowers the target by its share of the surplus.
  @_noLocks
  private mutating func shed(_ time: Double) {
    guard surplus > 0 else {
      // The clocks agree, as they did before: pass every frame unchanged again.
      let limit = Self.tolerance * rate
      guard engagesToShed, mean < limit, mean > -limit else { return }
      engagesToShed = false
      isEngaged = false
      ratio = 1
      return
    }
    let most = shedding * rate * time
    let part = surplus < most ? surplus : most
    surplus -= part
    target -= part
    deviation += part
  }

  /// After a calm time, starts to give up the frames that nothing needed.
  @_noLocks
  private mutating func giveUp(_ time: Double) {
    if leanFor >= 0 { leanFor += time }
    guard surplus <= 0, shakenPulls == 0, heardFor > Self.learningTime else { return endCalm() }
    calmFor += time
    guard calmFor >= calmWait else { return }
    let spare = target - mostUndelivered - (mostEarly + Self.reserve) * rate
    endCalm()
    guard spare > Self.reserve * rate else { return }
    surplus = spare
    shedding = Self.leanSpeed
    raised = raised > spare ? raised - spare : 0
    leanFor = 0
    guard !isEngaged else { return }
    isEngaged = true
    engagesToShed = true
    engagedFor = 40
  }

  @_noLocks
  private mutating func endCalm() {
    mostUndelivered = 0
    mostEarly = 0
    calmFor = 0
  }

  /// Frames were missing: stops giving frames up.
  @_noLocks
  private mutating func noteHole() {
    endCalm()
    guard leanFor >= 0 else { return }
    let isSoon = leanFor < 10 * calmWait
    calmWait =
      isSoon ? (2 * calmWait < Self.longestCalm ? 2 * calmWait : Self.longestCalm) : Self.firstCalm
    leanFor = -1
    // The rest of the surplus stays.
    surplus = 0
  }

  @_noLocks
  private mutating func noteBreaks() {
    let breaks = source.breaks + sink.breaks
    if breaks != knownBreaks {
      knownBreaks = breaks
      shakenPulls = 20
    } else if shakenPulls > 0 {
      shakenPulls -= 1
    }
  }

  /// The correction for a deviation that is too large for the ratio; `nil` where it is not.
  @_noLocks
  private mutating func correctAtOnce() -> Correction? {
    // After a recent hole, another small one disturbs less than a change of the ratio.
    let isShaken = shakenPulls > 0
    let limit = (isShaken ? 0.001 : 0.008 + 6 * (source.jitter + sink.jitter)) * rate
    guard deviation > limit || deviation < -limit else {
      wrongPulls = 0
      return nil
    }
    wrongPulls += 1
    guard wrongPulls >= 3 else { return Correction.none }
    wrongPulls = 0
    let frames = Int(deviation)
    deviation -= Double(frames)
    mean = 0
    offFor = 0
    engagedFor = 0
    return frames > 0 ? .skip(frames) : .pad(-frames)
  }

  @_noLocks
  private mutating func watch(_ time: Double) {
    let limit = (Self.tolerance + 0.5 * (source.jitter + sink.jitter)) * rate
    guard mean > limit || mean < -limit else {
      offFor = 0
      return
    }
    offFor += time
    if offFor >= 1 { isEngaged = true }
  }

  @_noLocks
  private mutating func steer(_ time: Double) {
    engagedFor += time
    // Fast at first, then slower: a time constant from 7 s to 20 s.
    var haste = engagedFor > 0 ? 2 / engagedFor : 0.15
    if haste > 0.15 { haste = 0.15 }
    if haste < 0.05 { haste = 0.05 }
    let wanted = source.speed / sink.speed - 1 + haste * mean / rate
    let change = Self.clip(wanted - (ratio - 1), Self.largestStep * time)
    ratio = 1 + Self.clip(ratio - 1 + change, Self.largestDeviation)
  }

  @_noLocks
  private static func clip(_ value: Double, _ limit: Double) -> Double {
    value > limit ? limit : value < -limit ? -limit : value
  }
}
