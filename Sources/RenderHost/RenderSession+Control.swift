public import AudioTypes
import CShims
public import RenderCore
import Synchronization

extension RenderSession {
  // MARK: Control thread

  /// Posts a plan to run from the next slice on. The output unit plays its bus
  /// `RenderPlan.clientBus`. The timeline stays.
  public func play(_ plan: consuming RenderPlan) {
    let moving = timeline.withLock { $0 }
    play(PlanStage(plan, timeline: moving))
  }

  /// Posts a stage, which runs from its earliest frame on, after the stages before it have played
  /// their minimum numbers of frames. Its timeline becomes the session's. Returns its number, from
  /// 1 up.
  @discardableResult
  public func play(_ stage: consuming PlanStage) -> Int {
    let moving = stage.movedBy
    if stage.plan.isShared { helpers?.start() }
    timeline.withLock { $0 = moving }
    let number = queue.post(stage)
    unsafe scheduler._withUnsafeGuaranteedRef { $0.noteStages(posted: number) }
    return number
  }

  /// The number of stages that have begun since the session was made. Any thread.
  public var begunStages: Int { queue.begunStages }

  /// The number of stages posted since the session was made, which is the number of the last one.
  /// Any thread.
  public var postedStages: Int { queue.postedStages }

  /// Passes over all posted stages: the last one is the present one then. Called while nothing renders.
  package func passStages() {
    unsafe current = queue.turn(after: current, at: .max, atMost: 1).handle
  }

  /// Where a clock times the pulls: the number of threads that rendered the last one. Any thread.
  public var renderingThreads: Int { 1 + helpingThreads.load(ordering: .relaxed) }

  /// The number of stages posted and not begun. Any thread.
  public var waitingStages: Int { queue.waitingStages }

  /// The next frame of the plans, at their own rate, counted from the beginning. Any thread.
  public var nextFrame: Int { next.load(ordering: .relaxed) }

  /// Whether the calling thread is rendering: true in a render notification.
  public var isRenderingHere: Bool {
    unsafe scheduler._withUnsafeGuaranteedRef { $0.thread() } == threadIdentity()
  }

  /// Resets frame counts, time stamps, load, fades and pauses. Called while nothing pulls, before a
  /// device starts.
  ///
  /// - Parameters:
  ///   - keepingTime: Whether time stamps continue.
  ///   - start: When to begin; `nil` for at once. Until then the output is silent, and nothing is
  ///     rendered.
  public func restart(keepingTime: Bool = false, beginning start: StartTime? = nil) {
    firstTime = keepingTime ? firstTime + clientTime : 0
    sampleTime = 0
    clientTime = 0
    advance = (0, false)
    wait(for: start)
    waited.store(0, ordering: .relaxed)
    rendered.store(0, ordering: .relaxed)
    clearLoadAndLimiting()
    isFadingOut.store(false, ordering: .relaxed)
    hasFadedOut.store(false, ordering: .relaxed)
    pausing.store(0, ordering: .relaxed)
    isHolding.store(false, ordering: .relaxed)
    isUnheard.store(false, ordering: .relaxed)
    hasPaused.store(false, ordering: .relaxed)
    held = (0, 0)
    gain.jump(to: 1)
    limiter.restart()
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

  /// Marks the frames rendered so far as rendered before a device started, and resets load and
  /// levels.
  package func noteAdvance() {
    advance = (rendered.load(ordering: .relaxed), true)
    outputPeak.store(0, ordering: .relaxed)
    clearLoadAndLimiting()
  }

  private func clearLoadAndLimiting() {
    slices.store(0, ordering: .relaxed)
    busy.store(0, ordering: .relaxed)
    peakLoad.store(0, ordering: .relaxed)
    limitedFrames.store(0, ordering: .relaxed)
    silencedSamples.store(0, ordering: .relaxed)
    leastGain.store(Float(1).bitPattern, ordering: .relaxed)
    leastGainShown.store(Float(1).bitPattern, ordering: .relaxed)
  }

  /// Whether the next start of a device continues after frames marked by `noteAdvance()`.
  package var hasAdvanced: Bool { advance.isNew }

  /// Replaces `restart()` after an advance: frames and time stamps continue, and the sound fades in
  /// over 20 ms.
  package func continueAfterAdvance(beginning start: StartTime?) {
    advance.isNew = false
    wait(for: start)
    gain.jump(to: 0)
  }

  /// Frames rendered before a device started (`AudioGraph.advance`).
  public var advancedFrames: Int { advance.frames }

  /// Continues time stamps from a sample time. Called while nothing pulls.
  package func setTime(_ sampleTime: Double) {
    guard sampleTime.isFinite, sampleTime.magnitude < 1e15 else { return }
    firstTime = Int(sampleTime.rounded()) - clientTime
  }

  /// Frees the plans that the render thread has given back.
  public func collect() { queue.collect() }

  /// Frames pulled since the beginning. Any thread.
  public var renderedFrames: Int { rendered.load(ordering: .relaxed) }

  /// The frames of `renderedFrames` that were silence before the start time. Any thread.
  public var waitedFrames: Int { waited.load(ordering: .relaxed) }

  /// Pulls since the beginning. Any thread.
  public var sliceCount: Int { slices.load(ordering: .relaxed) }

  /// Failed slices since the session was made, which were silent, and the status of the last one.
  /// Any thread.
  public var failedSlices: (count: Int, status: Status) {
    (failures.load(ordering: .relaxed), Status(rawValue: lastFailure.load(ordering: .relaxed)))
  }

  /// Ends the sound after a number of device frames, counted from the start time. Later pulls get
  /// silence, and render nothing. Any thread.
  public func end(afterFrames count: Int) { limit.store(count, ordering: .relaxed) }

  /// The frame set by `end(afterFrames:)`; `nil` for none.
  public var endFrame: Int? {
    let end = limit.load(ordering: .relaxed)
    return end == .max ? nil : end
  }

  /// Whether the end set by `end(afterFrames:)`, or the end of `fadeOut()`, has been pulled. Any
  /// thread.
  public var hasEnded: Bool {
    renderedFrames - waitedFrames >= limit.load(ordering: .relaxed)
      || hasFadedOut.load(ordering: .relaxed)
  }

  /// Fades the output to silence within 20 ms. It stays silent until `restart`. Any thread.
  public func fadeOut() { isFadingOut.store(true, ordering: .relaxed) }

  /// Pauses after a fade of 20 ms, or at once: pulls get silence, render nothing and count no
  /// frame. Any thread.
  public func pause(atOnce: Bool = false) { pausing.store(atOnce ? 2 : 1, ordering: .relaxed) }

  /// Ends a pause: continues with the next frame, and fades in over 20 ms. Any thread.
  public func resume() {
    hasPaused.store(false, ordering: .relaxed)
    pausing.store(0, ordering: .relaxed)
  }

  /// Sets whether the output is discarded, as while there is no device: from the next slice on it
  /// is silence, while frames and time continue. Afterwards it fades in over 20 ms. Any thread.
  public func setUnheard(_ isUnheard: Bool) { self.isUnheard.store(isUnheard, ordering: .relaxed) }

  /// Pauses like `pause()`, until `release()`. This is the client's own pause: `resume()`, by which
  /// the host ends an interruption, does not end it. Any thread.
  public func hold() { isHolding.store(true, ordering: .relaxed) }

  /// Ends a pause begun by `hold()`; continues unless another pause is on. Any thread.
  public func release() {
    hasPaused.store(false, ordering: .relaxed)
    isHolding.store(false, ordering: .relaxed)
  }

  /// Whether a pause has been requested. Any thread.
  public var isPausing: Bool {
    pausing.load(ordering: .relaxed) != 0 || isHolding.load(ordering: .relaxed)
  }

  /// Whether a pause has reached silence. Any thread.
  public var isPaused: Bool { isPausing && hasPaused.load(ordering: .relaxed) }

  /// Nanoseconds spent in rendering, and nanoseconds of sound rendered, since the beginning. Any
  /// thread.
  public var busyTime: (spent: UInt64, rendered: UInt64) {
    (
      busy.load(ordering: .relaxed),
      UInt64(Double(renderedFrames - advance.frames) / configuration.sampleRate * 1e9)
    )
  }

  /// The time spent in rendering over the time rendered; 0 before the first slice. Any thread.
  public var load: Double {
    let time = busyTime
    return time.rendered > 0 ? Double(time.spent) / Double(time.rendered) : 0
  }

  /// The largest load of one pull since the last call, in millionths of its duration. Any thread.
  public func takePeakLoad() -> UInt64 { peakLoad.exchange(0, ordering: .relaxed) }

  /// Limits the output from the next slice on, whatever the plans render: no sample given to a
  /// device exceeds the level. A lower level is reached within 20 ms. `OutputLimiter` describes the
  /// sound. Any thread.
  ///
  /// - Parameter peak: A magnitude above 0, where 1 is full scale; `nil` for no limit.
  public func limitOutput(to peak: Float?) {
    let level = peak.map { $0 > 0 ? $0 : .leastNonzeroMagnitude } ?? .infinity
    outputLimit.store(level.bitPattern, ordering: .relaxed)
  }

  /// The level set by `limitOutput(to:)`; `nil` for none.
  public var outputPeakLimit: Float? {
    let level = Float(bitPattern: outputLimit.load(ordering: .relaxed))
    return level.isFinite ? level : nil
  }

  /// The work of the limit since the beginning: frames turned down, and samples that were not
  /// finite and became silence. Any thread.
  public var limited: (frames: Int, silencedSamples: Int) {
    (limitedFrames.load(ordering: .relaxed), silencedSamples.load(ordering: .relaxed))
  }

  /// The smallest gain applied by the limit since the last call; 1 where it applied none. Any
  /// thread.
  ///
  /// - Parameter isShown: Whether the caller is the host's display. Its value is separate, so that
  ///   it does not reset the one for other callers.
  public func takeLeastGain(isShown: Bool = false) -> Float {
    let one = Float(1).bitPattern
    return Float(
      bitPattern: isShown
        ? leastGainShown.exchange(one, ordering: .relaxed)
        : leastGain.exchange(one, ordering: .relaxed))
  }

  /// The greatest magnitude put out since the last call, where 1 is full scale; before a fade,
  /// after the limit. Any thread.
  public func takeOutputPeak() -> Float {
    Float(bitPattern: outputPeak.exchange(0, ordering: .relaxed))
  }
}
