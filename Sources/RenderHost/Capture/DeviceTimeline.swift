/// The frame that a device plays or records at a time: a line fitted through the times at which its
/// frames were noted, which is more exact than a single note.
///
/// A delay-locked loop of the second order (Fons Adriaensen, "Using a DLL to filter time", 2005).
/// Its gains fall as those of least squares do, from the first note on, until the loop spans
/// `longestSpan` seconds; then they stay. A note that is much later than the others, as one behind
/// a busy thread, counts only as much as a usual late one.
///
/// A device that has stopped falls behind its line. After a quarter of a second in which all notes
/// were far from the line, the line is refitted through the earliest of them, at the rate found so
/// far. The line is also shifted when a server starts to make its requests some milliseconds
/// earlier or later, which does not change the device's rate: after a quarter of a second in which
/// all notes were on one side of the line, by more than the jitter before.
///
/// A value that belongs to one thread.
public struct DeviceTimeline: BitwiseCopyable, Sendable {
  /// Frames since the first note.
  public private(set) var frames = 0
  /// How often the line has been refitted.
  public private(set) var breaks = 0
  /// The mean distance of notes from the line, in seconds.
  public private(set) var jitter = 0.0
  /// The number of notes since the beginning.
  public private(set) var noteCount = 0
  /// In seconds per frame.
  private var period: Double
  /// The time of the newest frame on the line, in seconds.
  private var time = 0.0
  /// The seconds of notes that the rate and the time are fitted to by now.
  private var rateSpan = 0.0
  private var timeSpan = 0.0
  /// The time since which all notes have been far from the line; negative where the last one was
  /// near.
  private var farSince = -1.0
  /// The error of the earliest of those notes, in seconds.
  private var leastFar = 0.0
  /// The time since which all notes have been a step to one side of the line; negative where the
  /// last one was not.
  private var asideSince = -1.0
  /// The error of the nearest of those notes, in seconds; above 0 for later than the line.
  private var leastAside = 0.0
  private var asideNotes = 0
  /// The jitter and the period before them.
  private var steadyJitter = 0.0
  private var steadyPeriod = 0.0
  /// Whether the next note refits the line.
  private var isBroken = false
  private let nominalRate: Double

  /// The longest span of notes that the line is fitted to, in seconds.
  private static var longestSpan: Double { @_noLocks get { 40 } }
  /// The time after which notes off the line refit it, in seconds.
  private static var persistence: Double { @_noLocks get { 0.25 } }
  /// The smallest step of the line, in seconds, in addition to the jitter.
  private static var smallestStep: Double { @_noLocks get { 0.001 } }
  /// Two clocks never differ by more.
  private static var largestDeviation: Double { @_noLocks get { 0.005 } }

  /// - Parameter sampleRate: The device's nominal rate in Hz, above 0.
  @_noLocks
  public init(sampleRate: Double) {
    precondition(sampleRate > 0, "a sample rate is over 0")
    nominalRate = sampleRate
    period = 1 / sampleRate
  }

  /// The device's rate over its nominal rate.
  public var speed: Double { @_noLocks get { 1 / (period * nominalRate) } }

  /// Whether the newest note was near the line.
  public var isNear: Bool { @_noLocks get { farSince < 0 } }

  /// The time of the newest frame on the line, in seconds.
  public var newestTime: Double { @_noLocks get { time } }

  /// The frame of the device at a time, counted as `frames` is.
  @_noLocks
  public func position(at seconds: Double) -> Double {
    Double(frames) + (seconds - time) / period
  }

  /// Lets the next note refit the line, at the rate found so far, because the device has stopped or
  /// jumped.
  @_noLocks
  public mutating func breakOff() { isBroken = true }

  /// Notes that the device has advanced.
  ///
  /// - Parameters:
  ///   - frameCount: The number of frames; 0 or less is ignored.
  ///   - seconds: The time of the last of them, on any clock that runs evenly.
  @_noLocks
  public mutating func advance(by frameCount: Int, at seconds: Double) {
    guard frameCount > 0 else { return }
    guard noteCount > 0 else {
      noteCount = 1
      time = seconds
      return
    }
    frames += frameCount
    if isBroken {
      isBroken = false
      farSince = -1
      time = seconds
      breaks += 1
      timeSpan = 0
      return
    }
    let step = Double(frameCount) * period
    let expected = time + step
    let error = seconds - expected
    let distance = error < 0 ? -error : error
    if noteCount > 4 && distance > 0.02 + 8 * jitter {
      if farSince < 0 || error < leastFar { leastFar = error }
      if farSince < 0 { farSince = seconds }
      time = expected
      if seconds - farSince > Self.persistence {
        farSince = -1
        time = expected + leastFar
        breaks += 1
        timeSpan = 0
      }
      return
    }
    farSince = -1
    noteCount += 1
    if isStep(error, at: seconds) {
      time = expected + leastAside
      timeSpan = 0
      jitter = steadyJitter
      period = steadyPeriod
      return
    }
    rateSpan = Self.longer(rateSpan, by: step)
    timeSpan = Self.longer(timeSpan, by: step)
    let share = 1 / Double(noteCount < 200 ? noteCount : 200)
    jitter += share * (distance - jitter)
    let limit = 0.0005 + 4 * jitter
    let counted = error > limit ? limit : error < -limit ? -limit : error
    // The number of notes of this length in the span; the nominal rate counts as four.
    let timeCount = timeSpan / step + 4
    time = expected + 2 * (2 * timeCount - 1) / (timeCount * (timeCount + 1)) * counted
    let rateCount = rateSpan / step + 4
    period += 6 / (rateCount * (rateCount + 1)) * counted / Double(frameCount)
    let shortest = 1 / (nominalRate * (1 + Self.largestDeviation))
    let longest = 1 / (nominalRate * (1 - Self.largestDeviation))
    period = period < shortest ? shortest : period > longest ? longest : period
  }

  /// Whether this note ends a quarter of a second of notes on one side of the line.
  @_noLocks
  private mutating func isStep(_ error: Double, at seconds: Double) -> Bool {
    let distance = error < 0 ? -error : error
    if asideSince < 0 {
      steadyJitter = jitter
      steadyPeriod = period
    }
    let isAside = noteCount > 40 && distance > Self.smallestStep + 3 * steadyJitter
    guard isAside, asideSince < 0 || (error < 0) == (leastAside < 0) else {
      asideSince = -1
      return false
    }
    if asideSince < 0 {
      asideSince = seconds
      leastAside = error
      asideNotes = 0
    }
    asideNotes += 1
    if distance < (leastAside < 0 ? -leastAside : leastAside) { leastAside = error }
    guard seconds - asideSince > Self.persistence, asideNotes > 8 else { return false }
    asideSince = -1
    return true
  }

  @_noLocks
  private static func longer(_ span: Double, by step: Double) -> Double {
    span + step < longestSpan ? span + step : longestSpan
  }
}
