internal import RenderCore

/// Smooths the gains that frames need, without exceeding any of them: it takes the least gain over
/// a window as long as the attack, with a slow recovery, and averages it twice over the attack, so
/// that the result has no corners.
///
/// The averages are of whole numbers, so that running sums stay exact. When a frame leaves the
/// delay line, every value in the average is at most what that frame needs, and so is the average
/// (Hämäläinen 2002).
struct GainSmoother: ~Copyable {
  /// Frames on both sides of a peak that get its gain: the reach of a filter between samples.
  static var guardFrames: Int { @_noLocks get { 8 } }
  // A gain of 1, as the whole number in the averages.
  private static var one: Double { @_noLocks get { 1_099_511_627_776 } }

  private var least: SlidingMinimum
  private let firstRing: DoubleStorage
  private let secondRing: DoubleStorage
  private var firstSum = 0.0
  private var secondSum = 0.0
  private var firstPlace = 0
  private var secondPlace = 0
  private var firstLength = 1
  private var secondLength = 1
  private var window = 1
  /// The natural logarithm of the recovering gain, at most 0.
  private var level = 0.0
  /// The attack, in frames.
  private(set) var attack = 0

  // MARK: Control thread

  /// - Parameter longest: The longest attack, in frames.
  init(longest: Int) {
    least = SlidingMinimum(longest: longest + 2 * Self.guardFrames + 2)
    firstRing = DoubleStorage(repeating: 0, count: longest / 2 + 2)
    secondRing = DoubleStorage(repeating: 0, count: longest / 2 + 2)
  }

  // MARK: Render thread

  /// Restarts at a gain of 1.
  @_noLocks
  mutating func begin(attack: Int) {
    self.attack = attack
    least.clear()
    window = attack + 2 * Self.guardFrames + 2
    firstLength = attack / 2 + 1
    secondLength = attack - attack / 2 + 1
    for index in 0..<firstLength { firstRing[index] = Self.one }
    for index in 0..<secondLength { secondRing[index] = Self.one }
    firstSum = Self.one * Double(firstLength)
    secondSum = Self.one * Double(secondLength)
    firstPlace = 0
    secondPlace = 0
    level = 0
  }

  /// Frames after `begin(attack:)` until the gains can be used.
  var framesToBeReady: Int { @_noLocks get { window + attack + 1 } }

  /// Whether each frame that needs no reduction gets a gain of 1 and changes nothing: the sums are
  /// those of rings full of ones, which are the largest values, and exact.
  var isAtRest: Bool {
    @_noLocks get {
      level == 0 && firstSum == Self.one * Double(firstLength)
        && secondSum == Self.one * Double(secondLength) && least.holdsOnly(1)
    }
  }

  /// The gain of the next frame.
  ///
  /// - Parameters:
  ///   - need: The gain that the frame needs, above 0 and at most 1.
  ///   - recovery: The factor of a reduction in decibels from one frame to the next.
  @_noLocks
  mutating func next(_ need: Double, recovery: Double) -> Double {
    let least = self.least.next(need, window: window)
    if level < 0 {
      level *= recovery
      if level > -1e-9 { level = 0 }
    }
    var gain = level < 0 ? renderExp(level) : 1
    if least < gain {
      gain = least
      level = renderLog(least)
    }
    firstPlace = firstPlace + 1 >= firstLength ? 0 : firstPlace + 1
    let entering = renderFloor(gain * Self.one)
    firstSum += entering - firstRing[firstPlace]
    firstRing[firstPlace] = entering
    secondPlace = secondPlace + 1 >= secondLength ? 0 : secondPlace + 1
    let mean = renderFloor(firstSum / Double(firstLength))
    secondSum += mean - secondRing[secondPlace]
    secondRing[secondPlace] = mean
    return secondSum / (Self.one * Double(secondLength))
  }
}
