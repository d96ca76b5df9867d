/// When a device has which frame: a line through the times at which its frames were noted, by which
/// both its rate and the time of any frame are known better than from one note.
///
/// A delay-locked loop of the second order (Fons Adriaensen, "Using a DLL to filter time", 2005). Its
/// gains fall as the gains of least squares do, from the first note on, until the loop remembers some
/// `memory` seconds; from then on they stay. A note that comes much later than the others have, as one
/// behind a busy thread does, counts only as much as a late one.
///
/// A device that has stood still is behind its line for good. Where all notes have been far from it for
/// a quarter of a second the line is laid through the earliest of them; the rate that was found stays. So
/// it does where a server asks some milliseconds earlier or later from some time on, which says nothing of
/// the device's rate: where all notes of a quarter of a second were on one side of the line, by more than
/// they have been off it before, the line is moved there.
///
/// A value that belongs to one thread.
public struct DeviceTimeline: BitwiseCopyable, Sendable {
  /// Frames since the first note.
  public private(set) var frames = 0
  /// How often the line has been laid anew.
  public private(set) var breaks = 0
  /// How far notes are from the line, in seconds, on average.
  public private(set) var jitter = 0.0
  /// How many notes the line goes through since it was first laid.
  public private(set) var noteCount = 0
  /// In seconds a frame.
  private var period: Double
  /// When the line has the newest frame, in seconds.
  private var time = 0.0
  /// How many seconds of notes the rate is found from by now, and the time.
  private var rateSpan = 0.0
  private var timeSpan = 0.0
  /// Since when all notes have been far from the line; less than 0 where the last one was not.
  private var farSince = -1.0
  /// How far the earliest of those notes was, in seconds.
  private var leastFar = 0.0
  /// Since when all notes have been a step to one side of the line; less than 0 where the last one was not.
  private var asideSince = -1.0
  /// How far, in seconds, the nearest of those notes was, over 0 for later than the line.
  private var leastAside = 0.0
  private var asideNotes = 0
  /// The jitter and the period before them.
  private var steadyJitter = 0.0
  private var steadyPeriod = 0.0
  /// Whether the line is to be laid through the next note.
  private var isBroken = false
  private let nominalRate: Double

  private static var memory: Double { @_noLocks get { 40 } }
  private static var patience: Double { @_noLocks get { 0.25 } }
  private static var smallestStep: Double { @_noLocks get { 0.001 } }
  /// Two clocks are never further apart.
  private static var largestDeviation: Double { @_noLocks get { 0.005 } }

  /// - Parameter sampleRate: In hertz, as the device says; above 0.
  @_noLocks
  public init(sampleRate: Double) {
    precondition(sampleRate > 0, "a sample rate is over 0")
    nominalRate = sampleRate
    period = 1 / sampleRate
  }

  /// How many times as fast as its nominal rate the device runs.
  public var speed: Double { @_noLocks get { 1 / (period * nominalRate) } }

  /// Whether the newest notes are on the line.
  public var isNear: Bool { @_noLocks get { farSince < 0 } }

  /// When the device has the newest frame that was noted, in seconds.
  public var newestTime: Double { @_noLocks get { time } }

  /// Which frame the device has at a time, counted as `frames` is.
  @_noLocks
  public func position(at seconds: Double) -> Double {
    Double(frames) + (seconds - time) / period
  }

  /// Has the line laid through the next note, at the rate that has been found: the device has stood still,
  /// or has jumped.
  @_noLocks
  public mutating func breakOff() { isBroken = true }

  /// Notes that the device has moved on.
  ///
  /// - Parameters:
  ///   - frameCount: By how many frames, over 0.
  ///   - seconds: When the last of them came or went, on any clock that runs evenly.
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
      if seconds - farSince > Self.patience {
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
    // So many notes of this length are as long as the memory; the nominal rate counts as a few.
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
    guard seconds - asideSince > Self.patience, asideNotes > 8 else { return false }
    asideSince = -1
    return true
  }

  @_noLocks
  private static func longer(_ span: Double, by step: Double) -> Double {
    span + step < memory ? span + step : memory
  }
}
