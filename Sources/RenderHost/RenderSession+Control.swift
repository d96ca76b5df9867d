public import AudioTypes
import CShims
public import RenderCore
import Synchronization

extension RenderSession {
  // MARK: Control thread

  /// Posts a plan, to be run from the next slice on. Its `RenderPlan.clientBus` is what the
  /// output unit is fed by. The timeline stays what it is.
  public func play(_ plan: consuming RenderPlan) {
    let moving = timeline.withLock { $0 }
    play(PlanStage(plan, timeline: moving))
  }

  /// Posts a plan that is run from a frame on, once those before it have been run as long as they ask.
  /// Its timeline is the session's from then on. Returns its number, from 1 up.
  @discardableResult
  public func play(_ stage: consuming PlanStage) -> Int {
    let moving = stage.movedBy
    if stage.plan.isShared { helpers?.start() }
    timeline.withLock { $0 = moving }
    let number = queue.post(stage)
    unsafe scheduler._withUnsafeGuaranteedRef { $0.noteStages(posted: number) }
    return number
  }

  /// How many stages have begun since the session was made.
  public var begunStages: Int { queue.begunStages }

  /// How many stages have been posted since the session was made: the number of the last one.
  public var postedStages: Int { queue.postedStages }

  /// How many stages have been posted and have not begun yet.
  public var waitingStages: Int { queue.waitingStages }

  /// The frame that the plan comes to next, at its own rate, counted from the beginning.
  public var nextFrame: Int { next.load(ordering: .relaxed) }

  /// Whether it is called from within the render: by a render notification.
  public var isRenderingHere: Bool {
    unsafe scheduler._withUnsafeGuaranteedRef { $0.thread() } == threadIdentity()
  }

  /// Counts frames, time stamps and load from the beginning again, at full level. Called before a
  /// device is started, while nothing pulls.
  ///
  /// - Parameters:
  ///   - keepingTime: Whether time stamps go on from where they are.
  ///   - start: When to begin; `nil` for at once. Until then there is silence, and nothing is
  ///     rendered.
  public func restart(keepingTime: Bool = false, beginning start: StartTime? = nil) {
    firstTime = keepingTime ? firstTime + clientTime : 0
    sampleTime = 0
    clientTime = 0
    advance = (0, false)
    wait(for: start)
    waited.store(0, ordering: .relaxed)
    rendered.store(0, ordering: .relaxed)
    slices.store(0, ordering: .relaxed)
    busy.store(0, ordering: .relaxed)
    peakLoad.store(0, ordering: .relaxed)
    isFadingOut.store(false, ordering: .relaxed)
    hasFadedOut.store(false, ordering: .relaxed)
    pausing.store(0, ordering: .relaxed)
    isHolding.store(false, ordering: .relaxed)
    isUnheard.store(false, ordering: .relaxed)
    hasPaused.store(false, ordering: .relaxed)
    held = (0, 0)
    gain.jump(to: 1)
    limiter.restart()
    limitedFrames.store(0, ordering: .relaxed)
    silencedSamples.store(0, ordering: .relaxed)
    leastGain.store(Float(1).bitPattern, ordering: .relaxed)
    leastGainShown.store(Float(1).bitPattern, ordering: .relaxed)
    next.store(0, ordering: .relaxed)
    unsafe queue.rewind(current)
    unsafe scheduler._withUnsafeGuaranteedRef { $0.restart() }
    timeline.withLock { $0 }?.restart()
  }

  private func wait(for start: StartTime?) {
    startHostTime = 0
    framesToWait = 0
    guard let time = start?.timeStamp else { return }
    if time.flags.contains(.hostTimeValid) {
      startHostTime = time.hostTime
    } else {
      framesToWait = Int(min(max(0, time.sampleTime), 1e15))
    }
  }

  /// Says that what has been rendered so far was heard by nobody.
  package func noteAdvance() {
    advance = (rendered.load(ordering: .relaxed), true)
    slices.store(0, ordering: .relaxed)
    busy.store(0, ordering: .relaxed)
    peakLoad.store(0, ordering: .relaxed)
    outputPeak.store(0, ordering: .relaxed)
    limitedFrames.store(0, ordering: .relaxed)
    silencedSamples.store(0, ordering: .relaxed)
    leastGain.store(Float(1).bitPattern, ordering: .relaxed)
    leastGainShown.store(Float(1).bitPattern, ordering: .relaxed)
  }

  /// Whether a device that is started goes on behind what nobody has heard.
  package var hasAdvanced: Bool { advance.isNew }

  /// In the place of `restart()`: frames and time stamps go on, and the sound fades in over 20 ms.
  package func goOn(beginning start: StartTime?) {
    advance.isNew = false
    wait(for: start)
    gain.jump(to: 0)
  }

  /// Frames that were rendered before anybody heard them (`AudioGraph.advance`).
  public var advancedFrames: Int { advance.frames }

  /// Lets time stamps go on from a sample time, while nothing pulls.
  package func setTime(_ sampleTime: Double) {
    guard sampleTime.isFinite, sampleTime.magnitude < 1e15 else { return }
    firstTime = Int(sampleTime.rounded()) - clientTime
  }

  /// Frees the plans that the render thread has finished with.
  public func collect() { queue.collect() }

  /// Frames pulled since the beginning.
  public var renderedFrames: Int { rendered.load(ordering: .relaxed) }

  /// Frames of them that were silence before the start time.
  public var waitedFrames: Int { waited.load(ordering: .relaxed) }

  /// Slices pulled since the beginning.
  public var sliceCount: Int { slices.load(ordering: .relaxed) }

  /// Slices that could not be rendered and were silent, and the status of the last of them.
  public var failedSlices: (count: Int, status: Status) {
    (failures.load(ordering: .relaxed), Status(rawValue: lastFailure.load(ordering: .relaxed)))
  }

  /// Ends the sound after a number of frames counted from the beginning: what is pulled beyond it
  /// is silence, and nothing is rendered.
  public func end(afterFrames count: Int) { limit.store(count, ordering: .relaxed) }

  /// What `end(afterFrames:)` has set; `nil` for nothing.
  public var endFrame: Int? {
    let end = limit.load(ordering: .relaxed)
    return end == .max ? nil : end
  }

  /// Whether the end set by `end(afterFrames:)`, or that of a fade, has been pulled.
  public var hasEnded: Bool {
    renderedFrames - waitedFrames >= limit.load(ordering: .relaxed)
      || hasFadedOut.load(ordering: .relaxed)
  }

  /// Takes the output to silence within 20 ms.
  public func fadeOut() { isFadingOut.store(true, ordering: .relaxed) }

  /// Holds everything where it is: after a fade of 20 ms, or at once, what is pulled is silence,
  /// nothing is rendered and no frame is counted. Any thread.
  public func pause(atOnce: Bool = false) { pausing.store(atOnce ? 2 : 1, ordering: .relaxed) }

  /// Ends a pause: goes on with the next frame, fading in over 20 ms. Any thread.
  public func resume() {
    hasPaused.store(false, ordering: .relaxed)
    pausing.store(0, ordering: .relaxed)
  }

  /// Says whether what is rendered is heard by nobody, as while there is no device: it is put out as
  /// silence from the next slice on, and time goes on. What is heard again fades in over 20 ms. Any thread.
  public func setUnheard(_ isUnheard: Bool) { self.isUnheard.store(isUnheard, ordering: .relaxed) }

  /// Pauses as `pause()` does, until `release()`: for a client, whose pause no host ends that goes on
  /// after an interruption. Any thread.
  public func hold() { isHolding.store(true, ordering: .relaxed) }

  /// Ends a pause that `hold()` has begun, and goes on where no other has it pause. Any thread.
  public func release() {
    hasPaused.store(false, ordering: .relaxed)
    isHolding.store(false, ordering: .relaxed)
  }

  /// Whether it has been asked to pause.
  public var isPausing: Bool {
    pausing.load(ordering: .relaxed) != 0 || isHolding.load(ordering: .relaxed)
  }

  /// Whether a pause has come to silence.
  public var isPaused: Bool { isPausing && hasPaused.load(ordering: .relaxed) }

  /// Nanoseconds spent in rendering, and nanoseconds of sound rendered, since the beginning.
  public var busyTime: (spent: UInt64, rendered: UInt64) {
    (
      busy.load(ordering: .relaxed),
      UInt64(Double(renderedFrames - advance.frames) / configuration.sampleRate * 1e9)
    )
  }

  /// The share of the time rendered that rendering has taken; 0 before the first slice.
  public var load: Double {
    let time = busyTime
    return time.rendered > 0 ? Double(time.spent) / Double(time.rendered) : 0
  }

  /// The largest share of a slice's duration that one render has taken, in millionths, since the
  /// last call.
  public func takePeakLoad() -> UInt64 { peakLoad.exchange(0, ordering: .relaxed) }

  /// Keeps what is put out below a level from the next slice on, whatever the plans render: no sample that
  /// a device is given is ever greater. A lower level is reached within 20 ms. `OutputLimiter` says how it
  /// sounds. Any thread.
  ///
  /// - Parameter peak: A magnitude above 0, where 1 is full scale; `nil` for none.
  public func limitOutput(to peak: Float?) {
    let level = peak.map { $0 > 0 ? $0 : .leastNonzeroMagnitude } ?? .infinity
    outputLimit.store(level.bitPattern, ordering: .relaxed)
  }

  /// What `limitOutput(to:)` has set; `nil` for nothing.
  public var outputPeakLimit: Float? {
    let level = Float(bitPattern: outputLimit.load(ordering: .relaxed))
    return level.isFinite ? level : nil
  }

  /// What the limit has done since the beginning: frames that were turned down, and samples that were
  /// infinite or no numbers and became silence.
  public var limited: (frames: Int, silencedSamples: Int) {
    (limitedFrames.load(ordering: .relaxed), silencedSamples.load(ordering: .relaxed))
  }

  /// The smallest gain by which the limit has turned anything down since the last call; 1 for nothing.
  ///
  /// - Parameter isShown: Whether it is for a display of the host's own, which takes nothing away from
  ///   others who ask.
  public func takeLeastGain(isShown: Bool = false) -> Float {
    let one = Float(1).bitPattern
    return Float(
      bitPattern: isShown
        ? leastGainShown.exchange(one, ordering: .relaxed)
        : leastGain.exchange(one, ordering: .relaxed))
  }

  /// The greatest magnitude that has been put out since the last call, where 1 is full scale; before
  /// a fade, and behind a limit.
  public func takeOutputPeak() -> Float {
    Float(bitPattern: outputPeak.exchange(0, ordering: .relaxed))
  }
}
