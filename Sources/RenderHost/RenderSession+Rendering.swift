public import AudioTypes
import CShims
import RenderCore
import Synchronization

extension RenderSession {
  // MARK: Render thread

  /// Renders the next frames into a device's memory: `frameCount` interleaved frames of the device
  /// format. Without `memory`, for an input-only graph, it renders without output.
  ///
  /// Takes any number of frames: they are cut into the plan's slices, which count frames at the
  /// client's rate. A slice that fails is silent, and counted. Returns the status of the last slice
  /// that failed.
  @_noLocks
  @discardableResult
  public func pull(_ frameCount: Int, into memory: UnsafeMutableRawPointer?) -> Status {
    guard frameCount > 0 else { return .ok }
    let begin = monotonicNanoseconds()
    let isGathered = gather()
    enterRealTime()
    let denormals = denormalsOff()
    if !configuration.inRealTime { trial.begin(at: begin, frameCount: frameCount) }
    let thread = threadIdentity()
    unsafe scheduler._withUnsafeGuaranteedRef { $0.setThread(thread) }
    let end = limit.load(ordering: .relaxed)
    aimGain()
    limiter.aim(at: Float(bitPattern: outputLimit.load(ordering: .relaxed)))
    var status = Status.ok
    var renderedFrames = 0
    var done = wait(atMost: frameCount, from: begin)
    if done > 0 { unsafe silence(done, at: 0, in: memory) }
    while done < frameCount {
      var length = frameCount - done
      if sampleTime >= end {
        unsafe silence(length, at: done, in: memory)
        break
      }
      if isHeld() {
        unsafe silence(length, at: done, in: memory)
        break
      }
      if length > end - sampleTime { length = end - sampleTime }
      // A pause begins at the end of its fade, independent of slices.
      if held.frames > 0 { length = min(length, held.frames) }
      let slice = unsafe render(atMost: length, at: done, in: memory, hostTime: begin)
      if slice.status != .ok { status = slice.status }
      done += slice.length
      renderedFrames += slice.length
      sampleTime += slice.length
      if held.frames > 0 { held.frames -= slice.length }
    }
    // Two `if`s and not one `&&`: its right side is a closure that would retain `self`.
    if gain.isSettled {
      if gain.current == 0 { noteSilence() }
    }
    rendered.store(sampleTime + waited.load(ordering: .relaxed), ordering: .relaxed)
    var helperCount = 0
    if isGathered, let crew = unsafe crew {
      helperCount = unsafe crew._withUnsafeGuaranteedRef { $0.dismiss() }
    }
    helpingThreads.store(helperCount, ordering: .relaxed)
    account(from: begin, frameCount: frameCount, isRendered: renderedFrames == frameCount)
    unsafe scheduler._withUnsafeGuaranteedRef { $0.setThread(0) }
    restoreDenormals(denormals)
    leaveRealTime()
    return status
  }

  /// Where a clock times the pulls: wakes the helpers if they are to help with this one. Returns
  /// whether it did.
  @_noLocks
  private func gather() -> Bool {
    guard configuration.inRealTime, loadTrial.isShared, let crew = unsafe crew,
      let plan = unsafe current, unsafe plan.isShared
    else { return false }
    unsafe wakeHelpers(of: crew)
    return true
  }

  /// The helpers, if they are to help.
  @_noLocks
  private func crewAtWork() -> Unmanaged<RenderCrew>? {
    let helps = configuration.inRealTime ? loadTrial.isShared : !trial.isAlone
    return unsafe helps ? crew : nil
  }

  /// The same as `pull(_:into:)` for the bytes of an array from an offset on. An empty array is for a
  /// session without output.
  ///
  /// - Returns: The peak of the frames, where each of them was copied from a bus and so measured.
  func pull(_ frameCount: Int, into memory: inout [UInt8], at offset: Int) -> Float? {
    precondition(
      memory.isEmpty || offset + frameCount * encoder.bytesPerFrame <= memory.count,
      "the array has room for the frames")
    let isEmpty = memory.isEmpty
    measured = (0, 0)
    unsafe memory.withUnsafeMutableBytes { memory in
      let output = unsafe isEmpty ? nil : memory.baseAddress.map { unsafe $0 + offset }
      _ = unsafe pull(frameCount, into: output)
    }
    return measured.frames == frameCount ? measured.peak : nil
  }

  /// Sets the target of the gain from the pauses and fades in effect.
  @_noLocks
  private func aimGain() {
    var kind = pausing.load(ordering: .relaxed)
    if kind == 0 { kind = isHolding.load(ordering: .relaxed) ? 1 : 0 }
    let isNew = kind != held.kind
    let wasHeld = isHeld()
    if isNew { held = (kind, 0) }
    if isFadingOut.load(ordering: .relaxed) { return gain.aim(at: 0) }
    switch kind {
    case 0:
      if isNew { hasPaused.store(false, ordering: .relaxed) }
      if isUnheard.load(ordering: .relaxed) { gain.jump(to: 0) } else { gain.aim(at: 1) }
    case 1:
      gain.aim(at: 0)
      if isNew { held.frames = wasHeld ? 0 : fadeFrames }
    default: gain.jump(to: 0)
    }
  }

  /// Whether a pause is on, and its fade is over.
  @_noLocks
  private func isHeld() -> Bool {
    guard held.kind != 0, held.frames <= 0 else { return false }
    guard gain.isSettled else { return false }
    return gain.current == 0
  }

  /// Records that a pause, or the final fade, has reached silence.
  @_noLocks
  private func noteSilence() {
    if held.kind != 0 { hasPaused.store(true, ordering: .relaxed) }
    if isFadingOut.load(ordering: .relaxed) { hasFadedOut.store(true, ordering: .relaxed) }
  }

  /// The number of the next frames that come before the start time.
  @_noLocks
  private func wait(atMost frameCount: Int, from now: UInt64) -> Int {
    if startHostTime != 0 {
      // From here on frames are counted: reading the clock at each pull would give another start
      // each time.
      if startHostTime > now {
        framesToWait = Int(Double(startHostTime - now) / nanosecondsPerFrame + 0.5)
      }
      startHostTime = 0
    }
    let length = framesToWait < frameCount ? framesToWait : frameCount
    guard length > 0 else { return 0 }
    framesToWait -= length
    waited.wrappingAdd(length, ordering: .relaxed)
    return length
  }

  /// Renders some of the next frames, at least one. Returns how many.
  @_noLocks
  private func render(
    atMost limit: Int, at done: Int, in memory: UnsafeMutableRawPointer?, hostTime: UInt64
  ) -> (length: Int, status: Status) {
    guard clientRate == configuration.sampleRate else {
      return unsafe renderConverted(atMost: limit, at: done, in: memory, hostTime: hostTime)
    }
    let due = hostTime &+ UInt64(Double(done) * nanosecondsPerFrame)
    let slice = renderPlan(atMost: limit, due: due)
    guard slice.status == .ok else {
      unsafe silence(slice.length, at: done, in: memory)
      return slice
    }
    if let memory = unsafe memory, hasOutput, let plan = unsafe current {
      let bus = unsafe plan.clientBus(frameCount: slice.length)
      unsafe encode(bus, into: memory, at: done)
    } else {
      fade(through: slice.length)
    }
    return slice
  }

  /// Runs the plan for the next piece of its slice. Counts a failure.
  ///
  /// A slice begins where the last one ended, and is never longer than the rest of the pull that
  /// begins it, so that no pull ends within a slice.
  @_noLocks
  private func renderPlan(atMost limit: Int, due: UInt64) -> (length: Int, status: Status) {
    if sliceRest == 0 {
      let turn = unsafe queue.turn(after: current, at: clientTime, atMost: limit)
      if unsafe turn.handle != current { loadTrial.forgetPlan() }
      unsafe current = turn.handle
      let begun = queue.begunStages
      unsafe scheduler._withUnsafeGuaranteedRef { $0.noteStages(begun: begun) }
      guard let plan = unsafe current else {
        count(.uninitialized)
        clientTime += limit
        return (limit, .uninitialized)
      }
      unsafe beginSlice(plan, plan.sliceLength(atMost: turn.frameCount), due: due)
    }
    guard let plan = unsafe current else { return (limit, .uninitialized) }
    let frame = clientTime
    let planned = unsafe plan.cut(sliceRest, at: frame)
    let length = unsafe scheduler._withUnsafeGuaranteedRef { $0.cut(planned, at: frame) }
    let time = TimeStamp(sampleTime: Double(firstTime + frame), hostTime: due)
    let status = unsafe plan.renderPiece(
      frameCount: length, at: time, crew: crewAtWork())
    if status != .ok {
      count(status)
      if sliceStatus == .ok { sliceStatus = status }
    }
    clientTime += length
    sliceRest -= length
    if sliceRest == 0 { unsafe endSlice(plan) }
    next.store(clientTime, ordering: .relaxed)
    return (length, status)
  }

  @_noLocks
  private func beginSlice(_ plan: PlanQueue.Handle, _ length: Int, due: UInt64) {
    sliceLength = length
    sliceRest = length
    sliceStatus = .ok
    sliceTime = TimeStamp(sampleTime: Double(firstTime + clientTime), hostTime: due)
    let frame = clientTime
    unsafe scheduler._withUnsafeGuaranteedRef { $0.beginSlice(at: frame) }
    unsafe plan.beginSlice(frameCount: length, at: sliceTime)
  }

  @_noLocks
  private func endSlice(_ plan: PlanQueue.Handle) {
    unsafe plan.endSlice(sliceStatus, frameCount: sliceLength, at: sliceTime)
    unsafe scheduler._withUnsafeGuaranteedRef { $0.endSlice() }
  }

  @_noLocks
  private func count(_ failure: Status) {
    failures.wrappingAdd(1, ordering: .relaxed)
    lastFailure.store(failure.rawValue, ordering: .relaxed)
  }

  /// The same as `render`, for plans with another rate than the device.
  @_noLocks
  private func renderConverted(
    atMost limit: Int, at done: Int, in memory: UnsafeMutableRawPointer?, hostTime: UInt64
  ) -> (length: Int, status: Status) {
    let stretch = SessionResampler.stretch
    let length = limit < stretch ? limit : stretch
    var status = Status.ok
    var need = framesNeeded(forNext: length)
    while need > 0 {
      // The plan is ahead of the device by the look-ahead of the filter, and by the frames of this
      // pull that it has rendered.
      let ahead = Double(clientTime) / clientRate * 1e9 - Double(sampleTime) * nanosecondsPerFrame
      let offset = Double(done) * nanosecondsPerFrame + ahead
      let due = hostTime &+ UInt64(offset > 0 ? offset : 0)
      let slice = renderPlan(atMost: need, due: due)
      if slice.status != .ok { status = slice.status }
      if let resampler = unsafe resampler {
        if slice.status == .ok, let plan = unsafe current {
          let bus = unsafe plan.clientBus(frameCount: slice.length)
          bus.separate()
          unsafe resampler.pointee.push(bus)
        } else {
          unsafe resampler.pointee.pushSilence(slice.length)
        }
      }
      need -= slice.length
    }
    guard let resampler = unsafe resampler else {
      fade(through: length)
      return (length, status)
    }
    let bus = unsafe resampler.pointee.pull(length)
    if let memory = unsafe memory {
      unsafe encode(bus, into: memory, at: done)
    } else {
      fade(through: length)
    }
    return (length, status)
  }

  /// The number of frames that the plan must render for the next `frameCount` frames of the device.
  @_noLocks
  private func framesNeeded(forNext frameCount: Int) -> Int {
    if let resampler = unsafe resampler {
      return unsafe resampler.pointee.framesNeeded(forNext: frameCount)
    }
    // No output: the plan renders until it has begun the last of them.
    let last = Double(sampleTime + frameCount - 1) * clientRate / configuration.sampleRate
    let need = Int(last) + 1 - clientTime
    return need > 0 ? need : 0
  }

  @_noLocks
  private func encode(_ bus: RenderBus, into memory: UnsafeMutableRawPointer, at done: Int) {
    // After a fade to 0: a product with zero, as of infinity, need not be zero.
    if gain.isSettled {
      if gain.current == 0 { return unsafe silence(bus.frameCount, at: done, in: memory) }
    }
    let place = unsafe memory + done * encoder.bytesPerFrame
    let copied = unsafe encoder.copy(bus, into: place, gain: gain)
    if copied == nil { bus.separate() }
    // Not `??`, whose right side is a closure.
    let peak = if let copied { copied } else { encoder.peak(of: bus) }
    guard isLeftAlone(peak) else {
      bus.separate()
      let report = unsafe encoder.encode(
        bus, into: place, gain: &gain, limiter: &limiter, rounding)
      meter(Float(report.peak))
      return note(report)
    }
    if copied == nil {
      unsafe encoder.encode(bus, into: place, gain: &gain, rounding)
    } else {
      measured = (measured.frames + bus.frameCount, largerMagnitude(measured.peak, peak))
    }
    meter(peak)
  }

  /// Whether the limit would leave frames with this peak unchanged.
  @_noLocks
  private func isLeftAlone(_ peak: Float) -> Bool {
    guard limiter.isIdle else { return false }
    if limiter.ceiling == .infinity {
      return peak.isFinite ? true : !configuration.silencesNonFinite
    }
    // The margin allows for rounding.
    return Double(peak) * 1.000001 + rounding.margin < encoder.largest(below: limiter.ceiling)
  }

  @_noLocks
  private func note(_ report: LimiterReport) {
    if report.silenced > 0 {
      silencedSamples.wrappingAdd(report.silenced, ordering: .relaxed)
    }
    guard report.frames > 0 else { return }
    limitedFrames.wrappingAdd(report.frames, ordering: .relaxed)
    // Positive floats have the order of their bit patterns.
    let bits = Float(report.leastGain).bitPattern
    if bits < leastGain.load(ordering: .relaxed) { leastGain.store(bits, ordering: .relaxed) }
    if bits < leastGainShown.load(ordering: .relaxed) {
      leastGainShown.store(bits, ordering: .relaxed)
    }
  }

  @_noLocks
  private func meter(_ peak: Float) {
    // Magnitudes of floats have the order of their bit patterns.
    let bits = peak.bitPattern
    if bits > outputPeak.load(ordering: .relaxed) { outputPeak.store(bits, ordering: .relaxed) }
  }

  /// Advances a fade by frames without output.
  @_noLocks
  private func fade(through frameCount: Int) {
    guard !gain.isSettled else { return }
    for _ in 0..<frameCount { _ = gain.next() }
  }

  @_noLocks
  private func silence(_ length: Int, at done: Int, in memory: UnsafeMutableRawPointer?) {
    fade(through: length)
    limiter.skip(length)
    guard let memory = unsafe memory, hasOutput else { return }
    let offset = done * encoder.bytesPerFrame
    unsafe encoder.silence(length, in: memory + offset)
  }

  @_noLocks
  private func account(from begin: UInt64, frameCount: Int, isRendered: Bool) {
    let spent = monotonicNanoseconds() &- begin
    if configuration.inRealTime, isRendered {
      let duration = Double(frameCount) * nanosecondsPerFrame * 1e-9
      loadTrial.note(Double(spent) * 1e-9, of: duration)
    }
    busy.wrappingAdd(spent, ordering: .relaxed)
    slices.wrappingAdd(1, ordering: .relaxed)
    let share = UInt64(Double(spent) * 1e6 / (Double(frameCount) * nanosecondsPerFrame + 1))
    if share > peakLoad.load(ordering: .relaxed) { peakLoad.store(share, ordering: .relaxed) }
  }
}
