/// Holds the way from a microphone to the graph at one length, where the microphone and the
/// loudspeaker have clocks of their own.
///
/// What waits between the two is counted on the lines of both devices (`DeviceTimeline`), so that
/// neither the lumps in which frames come and go nor a late thread show in it:
///
/// - At first nothing is heard. When both lines have been laid, some tenths of a second after the
///   first frames, as many frames are left waiting as the longest delivery has, those that the notes
///   are late by, and 2 ms: the *target*. What is heard then is learnt for 2.5 s, and the target put
///   where it was in the mean.
/// - As long as the clocks agree the ratio is exactly 1, and every frame gets through as it is. When
///   the way has become longer or shorter by a quarter of a millisecond and half of what notes
///   are off by, for a second, the follower *engages*: from then on the ratio is the one of the
///   two speeds, and a little more or less, so that the way is back at the target in some 20 s.
/// - The ratio never changes by more than 500 millionths, nearly a cent, in a second.
/// - Where a device has stood still, or frames were lost, what waits is put right at once: frames are
///   given up, or silence is put in their place.
/// - Where there was less than was due, by up to 20 ms, the target is raised by twice as much, and by
///   some `largestRaise` in all. What is longer is taken for something that stood still.
/// - What has waited for two minutes beyond what the latest delivery and the earliest request of that time needed, and
///   4 ms more, is given up where that is more than 4 ms: the start may have been a bad second. Where frames are
///   missing soon after, within ten times that time, it is twice as long from then on, up to eight hours.
/// - Where the loudspeaker is told to keep fewer frames, as many more come to wait here. They are given up by 50
///   millionths of the time: nobody hears it.
///
/// A value that belongs to the thread that pulls.
public struct ClockFollower: BitwiseCopyable, Sendable {
  /// What to do with what waits, before the next pull.
  public enum Correction: Hashable, Sendable, BitwiseCopyable {
    case none
    /// Give up the oldest frames.
    case skip(Int)
    /// Put silence behind the newest frame.
    case pad(Int)
  }

  /// Frames of the microphone to take for one of the loudspeaker, nominally. Exactly 1 until
  /// `isEngaged`; 0 as long as nothing is to be heard.
  public private(set) var ratio = 0.0
  /// Whether a drift has shown itself.
  public private(set) var isEngaged = false
  /// The microphone's frames, noted when they come.
  public private(set) var source: DeviceTimeline
  /// The loudspeaker's, noted when it asks for them.
  public private(set) var sink: DeviceTimeline
  /// Frames that are to wait after a pull, on the lines.
  public private(set) var target = 0.0
  /// Frames more than the target that wait, on the lines, as was found after the last pull.
  public private(set) var deviation = 0.0

  private let rate: Double
  /// Of the newest few.
  private var longestDelivery = 0
  private var deliveries = 0
  private var requests = 0
  /// By how many frames the target has been raised.
  private var raised = 0.0
  /// By how many frames the target is still to be lowered, and how fast: in seconds a second.
  private var surplus = 0.0
  private var shedding = 0.0
  /// For how many more seconds it is being found out how many frames more wait, because the loudspeaker is to keep
  /// fewer.
  private var shortening = 0.0
  /// How many there may be.
  private var expectedSurplus = 0.0
  /// Whether the ratio differs from 1 only for what is given up.
  private var engagesToShed = false
  /// The most frames that the microphone had heard and not delivered, and by how many seconds a request was early
  /// at the most: of how many seconds, and how many it takes to go by that.
  private var mostUndelivered = 0.0
  private var mostEarly = 0.0
  private var calmFor = 0.0
  private var calmWait: Double
  /// For how many seconds something has been given up because it was of no use; less than 0 where nothing has,
  /// and once frames were missing again.
  private var leanFor = -1.0
  /// Frames that were missing in the last pull and in those before it that lacked some.
  private var hole = 0
  /// In seconds: since the first frame was heard, and since the follower engaged or something had stood
  /// still.
  private var heardFor = 0.0
  private var engagedFor = 0.0
  private var offFor = 0.0
  /// The deviation, smoothed over a second.
  private var mean = 0.0
  /// Pulls, one after another, that found far too much or too little.
  private var wrongPulls = 0
  private var lastRequest = 0.0
  /// How often one of the lines has been laid anew, and for how many pulls that still counts.
  private var knownBreaks = 0
  private var shakenPulls = 0

  private static var margin: Double { @_noLocks get { 0.002 } }
  private static var learning: Double { @_noLocks get { 2.5 } }
  private static var unnoticed: Double { @_noLocks get { 0.00025 } }
  private static var longestHole: Double { @_noLocks get { 0.02 } }
  private static var largestStep: Double { @_noLocks get { 500e-6 } }
  private static var largestDeviation: Double { @_noLocks get { 0.005 } }
  /// How fast the target is lowered, in seconds a second: the way is 1 ms behind it then, and 0.7 ms.
  private static var shortening: Double { @_noLocks get { 50e-6 } }
  private static var leaning: Double { @_noLocks get { 35e-6 } }
  /// How long a device takes to get used to another length of its buffer, its line included, in seconds.
  private static var shorteningTime: Double { @_noLocks get { 4 } }
  /// In seconds.
  private static var firstCalm: Double { @_noLocks get { 120 } }
  private static var longestCalm: Double { @_noLocks get { 8 * 3600 } }
  /// What is kept of what was of no use, and what is not worth giving up, in seconds.
  private static var comfort: Double { @_noLocks get { 0.004 } }
  /// In seconds.
  public static var largestRaise: Double { @_noLocks get { 0.1 } }

  /// A follower for two devices that both have, nominally, `sampleRate` frames in a second.
  @_noLocks
  public init(sampleRate: Double) {
    source = DeviceTimeline(sampleRate: sampleRate)
    sink = DeviceTimeline(sampleRate: sampleRate)
    rate = sampleRate
    calmWait = Self.firstCalm
  }

  /// Notes that the microphone has delivered frames.
  @_noLocks
  public mutating func note(delivered frameCount: Int, at seconds: Double) {
    guard frameCount > 0 else { return }
    deliveries += 1
    // What a source had when it was first asked says little of what follows.
    longestDelivery = longestDelivery * 3 / 4
    if frameCount > longestDelivery { longestDelivery = frameCount }
    let undelivered = source.position(at: seconds) - Double(source.frames)
    if undelivered > mostUndelivered { mostUndelivered = undelivered }
    source.advance(by: frameCount, at: seconds)
  }

  /// Notes that the loudspeaker asks for frames.
  @_noLocks
  public mutating func note(requested frameCount: Int, at seconds: Double) {
    guard frameCount > 0 else { return }
    requests += 1
    sink.advance(by: frameCount, at: seconds)
    let early = sink.newestTime - seconds
    if early > mostEarly { mostEarly = early }
  }

  /// Notes that the loudspeaker ran dry: it has stood still, and what it asks for next is more than it has
  /// played.
  @_noLocks
  public mutating func noteUnderrun() { sink.breakOff() }

  /// Takes in that the loudspeaker is to keep fewer frames from now on: as many more come to wait here at once, and
  /// are given up little by little.
  @_noLocks
  public mutating func noteShorterBuffer(by frameCount: Int) {
    guard frameCount > 0 else { return }
    expectedSurplus += Double(frameCount)
    shortening = Self.shorteningTime
  }

  /// How many frames wait on the lines once the pull that was noted last is done.
  ///
  /// - Parameter ahead: Frames delivered, less those taken out.
  @_noLocks
  private func waiting(_ ahead: Int) -> Double {
    source.position(at: sink.newestTime) - Double(source.frames) + Double(ahead)
  }

  /// Says whether what waits is heard from the next pull on, and what to do for that.
  ///
  /// - Parameters:
  ///   - ahead: Frames that wait.
  ///   - pull: Frames that the pull takes, what it takes more because it is the first included.
  /// - Returns: Nothing as long as there is not enough.
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

  /// Takes in a pull that has been noted, and is done.
  ///
  /// - Parameters:
  ///   - ahead: Frames that wait now.
  ///   - missing: Frames that were due and not there.
  /// - Returns: What to do before the next one.
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
    if heardFor < Self.learning && !isEngaged {
      // The average since the beginning.
      let share = time > 0 && heardFor > 0 ? time / heardFor : 0
      mean += share * (deviation - mean)
      return .none
    }
    if heardFor - time < Self.learning && !isEngaged {
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

  /// Comes to terms with a hole in what is heard, which is over.
  @_noLocks
  private mutating func close(hole frames: Int) -> Correction {
    // In whose place there was silence: so much more waits now.
    let length = Double(frames)
    // A hole that long is no late delivery: something has stood still, as where a line was just laid anew.
    guard shakenPulls == 0, length <= Self.longestHole * rate,
      raised < Self.largestRaise * rate
    else { return .none }
    // As much again, so that the next one that is a little later does not make another hole.
    let spare = length > Self.margin * rate ? length : Self.margin * rate
    raised += length + spare
    target += length + spare
    return .pad(Int(spare))
  }

  /// Finds out how many frames more wait, and has the target lowered by as many, from above.
  @_noLocks
  private mutating func shorten(_ time: Double) {
    shortening -= time
    mean += time / (0.5 + time) * (deviation - mean)
    guard shortening <= 0 else { return }
    // What is more than that has another reason.
    let found = mean < 0 ? 0 : mean > expectedSurplus ? expectedSurplus : mean
    expectedSurplus = 0
    target += found
    surplus += found
    shedding = Self.shortening
    deviation -= found
    mean = 0
    guard surplus > 0, !isEngaged else { return }
    isEngaged = true
    engagesToShed = true
    // Calmly: there is no drift to be caught.
    engagedFor = 40
  }

  /// Lowers the target by a part of what is too much.
  @_noLocks
  private mutating func shed(_ time: Double) {
    guard surplus > 0 else {
      // The clocks agree, and did before: every frame gets through as it is again.
      let limit = Self.unnoticed * rate
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

  /// Has given up what was of no use for a time.
  @_noLocks
  private mutating func giveUp(_ time: Double) {
    if leanFor >= 0 { leanFor += time }
    guard surplus <= 0, shakenPulls == 0, heardFor > Self.learning else { return endCalm() }
    calmFor += time
    guard calmFor >= calmWait else { return }
    let spare = target - mostUndelivered - (mostEarly + Self.comfort) * rate
    endCalm()
    guard spare > Self.comfort * rate else { return }
    surplus = spare
    shedding = Self.leaning
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

  /// Frames were missing: what waits is of use.
  @_noLocks
  private mutating func noteHole() {
    endCalm()
    guard leanFor >= 0 else { return }
    let isSoon = leanFor < 10 * calmWait
    calmWait =
      isSoon ? (2 * calmWait < Self.longestCalm ? 2 * calmWait : Self.longestCalm) : Self.firstCalm
    leanFor = -1
    // What is still to be given up had better stay.
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

  /// What is too much or too little to be made up for by the ratio.
  @_noLocks
  private mutating func correctAtOnce() -> Correction? {
    // There has been a hole just now: another small one is heard less than a glide.
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
    let limit = (Self.unnoticed + 0.5 * (source.jitter + sink.jitter)) * rate
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
    // At first in some seconds, later ever more calmly.
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
