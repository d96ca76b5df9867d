import AudioTypes

/// Feeds an input that its unit pulls at a pace of its own. Everything upstream of the input is a
/// plan, which runs for as many frames as the unit asks for, when it asks.
///
/// Sample rate conversion and varispeed playback pull more or fewer frames than they output. Made
/// on the control thread, run on the render thread by the kernel that has the input.
@safe
public final class PulledInput: @unchecked Sendable {
  // `@unchecked Sendable`: made on one thread, then used only by the thread that renders the plan
  // around it.
  private let plan: RenderPlan
  private let bus: Int

  /// - Parameters:
  ///   - plan: The plan to run. Its slices, and so the frames of one pull, may be shorter than
  ///     those of the plan around it.
  ///   - bus: The bus that feeds the input: floats, or the words of its format for a unit that
  ///     reads those.
  public init(_ plan: consuming RenderPlan, bus: Int) {
    self.plan = plan
    self.bus = bus
  }

  var callsClients: Bool { plan.callsClients }

  var weight: Int { plan.weight }

  /// The most frames of one pull, 1 or more.
  @_noLocks
  func limit() -> Int { plan.maximumFramesPerSlice }

  @_noLocks
  func pull(_ frameCount: Int, at timeStamp: TimeStamp) -> Status {
    plan.render(frameCount: frameCount, at: timeStamp)
  }

  @_noLocks
  func pulled(_ frameCount: Int) -> RenderBus { plan.bus(bus, frameCount: frameCount) }
}

/// How much a unit pulls from an input that has its own pace.
public struct PullDemand: Hashable, Sendable {
  /// The most frames of the input for each frame of the output: the ratio of the rates, times the
  /// highest playback speed.
  public var framesPerFrame: Double
  /// Frames of the input that the unit may pull in addition: the look-ahead of its filter.
  public var ahead: Int
  /// The initial playback speed: seconds of the input per second of the output. The time at which a
  /// source ends follows from it.
  public var speed: Double
  /// The delay of the output in frames of the input; negative where the output begins within the
  /// input.
  public var delay: Double
  /// The tail of the unit at its initial settings, such as reverberation, in frames of the input.
  public var tail: Double
  /// Whether the playback speed can be set. A source in real time, such as a microphone, cannot
  /// feed such an input.
  public var hasVariableSpeed: Bool

  public init(
    framesPerFrame: Double, ahead: Int = 0, speed: Double = 1, delay: Double = 0, tail: Double = 0,
    hasVariableSpeed: Bool = false
  ) {
    precondition(framesPerFrame > 0 && ahead >= 0 && speed > 0, "a pull goes forward")
    self.framesPerFrame = framesPerFrame
    self.ahead = ahead
    self.speed = speed
    self.delay = delay
    self.tail = tail
    self.hasVariableSpeed = hasVariableSpeed
  }

  /// The most frames of the input for `frameCount` frames of the output.
  public func frames(for frameCount: Int) -> Int {
    let exact = (Double(frameCount) * framesPerFrame).rounded(.up)
    return (exact < 1e15 ? Int(exact) : Int(1e15)) + ahead + 1
  }
}
