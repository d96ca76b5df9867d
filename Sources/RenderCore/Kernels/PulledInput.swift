import AudioTypes

/// What feeds an input that keeps a pace of its own: everything upstream of it, as a plan that is run
/// when the unit asks, for as many frames as it asks.
///
/// A converter of rates asks for more or fewer frames than it puts out; a source that is played
/// faster is asked for more. Made on the control thread, run on the render thread by the one kernel
/// that the input belongs to.
@safe
public final class PulledInput: @unchecked Sendable {
  // `@unchecked Sendable`: made on one thread, then run by the one that renders the plan around it.
  private let plan: RenderPlan
  private let bus: Int

  /// - Parameters:
  ///   - plan: What is run. Its slices, and so what can be asked for at once, may be shorter than
  ///     those of the plan around it.
  ///   - bus: Which of its buses the input is fed by, as floats, or in the words of its format for a
  ///     unit that reads those.
  public init(_ plan: consuming RenderPlan, bus: Int) {
    self.plan = plan
    self.bus = bus
  }

  var callsClients: Bool { plan.callsClients }

  /// The most frames that can be asked for at once, 1 or more.
  @_noLocks
  func limit() -> Int { plan.maximumFramesPerSlice }

  @_noLocks
  func pull(_ frameCount: Int, at timeStamp: TimeStamp) -> Status {
    plan.render(frameCount: frameCount, at: timeStamp)
  }

  @_noLocks
  func pulled(_ frameCount: Int) -> RenderBus { plan.bus(bus, frameCount: frameCount) }
}

/// How much a unit asks of an input that it pulls at a pace of its own.
public struct PullDemand: Hashable, Sendable {
  /// The most frames of the input for each frame that the unit puts out: the ratio of the rates,
  /// times the fastest that it may be played.
  public var framesPerFrame: Double
  /// Frames of the input that the unit may ask for beyond that: what its filter looks ahead.
  public var ahead: Int
  /// Seconds of the input that pass in a second, at first: how soon a source that ends will have
  /// ended.
  public var speed: Double
  /// Frames of the input by which what the unit puts out comes late; negative where it begins as far
  /// within the input.
  public var delay: Double
  /// Frames of the input for which the unit goes on sounding, at its first settings, when the input
  /// has ended: a room's echo.
  public var tail: Double
  /// Whether the input is played as fast as the unit is set to: then nothing can feed it that gives a
  /// second of sound in a second, as a microphone does.
  public var playsAtWill: Bool

  public init(
    framesPerFrame: Double, ahead: Int = 0, speed: Double = 1, delay: Double = 0, tail: Double = 0,
    playsAtWill: Bool = false
  ) {
    precondition(framesPerFrame > 0 && ahead >= 0 && speed > 0, "a pull goes forward")
    self.framesPerFrame = framesPerFrame
    self.ahead = ahead
    self.speed = speed
    self.delay = delay
    self.tail = tail
    self.playsAtWill = playsAtWill
  }

  /// The most frames of the input that `frameCount` frames of the unit can need.
  public func frames(for frameCount: Int) -> Int {
    let exact = (Double(frameCount) * framesPerFrame).rounded(.up)
    return (exact < 1e15 ? Int(exact) : Int(1e15)) + ahead + 1
  }
}
