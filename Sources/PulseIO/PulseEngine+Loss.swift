import CPulse
import RenderHost
import Synchronization

/// The loss and the return of devices and servers.
extension PulseEngine {
  var policy: DeviceLossPolicy { log.onDeviceLoss }

  // MARK: Loss

  /// Notes a request or a delivery of frames.
  func noteMotion() {
    lastActivity = monotonicNanoseconds()
    standstill = 0
  }

  func isOver() -> Bool { isStopping.load(ordering: .relaxed) || hasFailed() }

  /// Whether the run is over because a device or the server is lost. Starts to wait for it instead
  /// where the policy says so.
  private func hasFailed() -> Bool {
    guard !isLost else { return true }
    noteStandstill()
    while let loss = nextLoss() {
      guard policy.isAwaited else {
        isLost = true
        log.fail(loss.error)
        return true
      }
      lose(loss)
    }
    return false
  }

  private struct Loss {
    var sides: [AudioDevice.Direction]
    var reason: PulseAbsence.Reason
    var error: HardwareError
  }

  private func noteStandstill() {
    let now = monotonicNanoseconds()
    // At most 0.1 s counts, because a stopped process or a sleeping machine has not observed the
    // device in the meantime.
    standstill += min(0.1, Double(now - min(now, max(lastLook, lastActivity))) / 1e9)
    lastLook = now
  }

  /// The next loss that the engine does not wait for yet.
  private func nextLoss() -> Loss? {
    guard let link else { return nil }
    let sides = [
      opening.wantsOutput ? AudioDevice.Direction.sink : nil, opening.wantsInput ? .source : nil,
    ].compactMap(\.self)
    if let (side, error) = moves.takeLoss() {
      return Loss(sides: [side], reason: .gone, error: error)
    }
    guard link.connection.isGood else {
      return Loss(sides: sides, reason: .gone, error: .connectionLost(link.connection.lastMessage))
    }
    for stream in [link.playback, link.capture] {
      guard let stream, !stream.isGood else { continue }
      return Loss(
        sides: [stream.direction], reason: .gone,
        error: .lost(stream.direction, stream.device.name, "is gone"))
    }
    if let loss = suspension(link) { return loss }
    if interruptions.isCorked { noteMotion() }
    let limit = policy.isAwaited ? PulseAbsence.standstillLimit : silenceLimit
    guard lostSink == nil, lostSource == nil, standstill > limit else { return nil }
    return Loss(
      sides: sides, reason: .standstill,
      error: HardwareError(
        .connectionLost,
        "the sound server has not moved a frame for \(Int(limit)) seconds",
        help: "it may hang: look at its log, or start it again"))
  }

  private func suspension(_ link: PulseLink) -> Loss? {
    let isSinkSuspended = lostSink == nil && link.playback?.isSuspended ?? false
    guard isSinkSuspended || (lostSource == nil && link.capture?.isSuspended ?? false) else {
      suspendedSince = 0
      noteActivity()
      return nil
    }
    let now = monotonicNanoseconds()
    if suspendedSince == 0 { suspendedSince = now }
    let seconds = Double(now - suspendedSince) / 1e9
    let side: AudioDevice.Direction = isSinkSuspended ? .sink : .source
    if noteSuspension(of: link, side, for: seconds) {
      noteMotion()
      return nil
    }
    guard seconds > PulseAbsence.suspensionLimit(isAwaited: policy.isAwaited),
      let stream = isSinkSuspended ? link.playback : link.capture
    else { return nil }
    suspendedSince = 0
    return Loss(
      sides: [side], reason: .suspended,
      error: .lost(side, stream.deviceName, "has been suspended"))
  }

  /// Continues without the lost devices, and reports the loss once.
  private func lose(_ loss: Loss) {
    let isNews = loss.sides.contains { absence(of: $0) == nil }
    followed?.restart()
    let now = monotonicNanoseconds()
    for side in loss.sides {
      setAbsence(of: side, PulseAbsence(reason: loss.reason, since: now, nextAttempt: now))
      if loss.reason == .gone {
        drop(side)
      } else if side == .sink, let playback = link?.playback {
        // Otherwise its unplayed frames would sound when the sink is back.
        unsafe release(pa_stream_flush(playback.handle, nil, nil))
      }
    }
    if link?.connection.isGood == false { link = nil }
    if loss.sides.contains(timekeeper) { beginTimekeeping(now) }
    // `start` returns with the device, even if it has not moved a frame.
    hasBegun.store(true, ordering: .releasing)
    guard isNews else { return }
    log.losses.wrappingAdd(1, ordering: .relaxed)
    log.post(.lost(loss.sides[0], loss.error))
  }

  /// Closes a stream, and ends its interruptions.
  private func drop(_ side: AudioDevice.Direction) {
    guard side == .sink else {
      link?.capture?.close()
      link?.capture = nil
      return
    }
    isPlaying = false
    link?.playback?.close()
    link?.playback = nil
    suspendedSince = 0
    let wasPaused = interruptions.isPaused
    interruptions = PulseInterruptions()
    if wasPaused {
      session.resume()
      log.post(.resumed)
    }
  }

  func stream(_ side: AudioDevice.Direction) -> PulseStream? {
    side == .sink ? link?.playback : link?.capture
  }

  func absence(of side: AudioDevice.Direction) -> PulseAbsence? {
    side == .sink ? lostSink : lostSource
  }

  private func setAbsence(of side: AudioDevice.Direction, _ absence: PulseAbsence?) {
    if side == .sink { lostSink = absence } else { lostSource = absence }
  }

  // MARK: Time

  /// The side whose requests pull the session: the sink's or, without one, the source's deliveries.
  private var timekeeper: AudioDevice.Direction { opening.wantsOutput ? .sink : .source }

  private func beginTimekeeping(_ now: UInt64) {
    isPlaying = false
    guard clock == nil, !isHeldByAbsence else { return }
    if policy.holds {
      isHeldByAbsence = true
      session.pause(atOnce: true)
    } else {
      session.setUnheard(true)
      clock = AbsenceClock(
        sampleRate: session.configuration.sampleRate, lastMotion: lastActivity, now: now)
    }
  }

  /// Renders the frames that are due without a device, and discards them.
  func keepTime() {
    guard let frames = clock?.take(at: monotonicNanoseconds()) else { return }
    followed?.beginPulls(frames, at: monotonicNanoseconds())
    defer { followed?.endPulls() }
    var done = 0
    while done < frames {
      let slice = nextSlice(of: frames - done)
      if lostSource != nil, !opening.wantsOutput { unsafe keep(nil, slice) }
      unsafe session.pull(slice, into: nil)
      done += slice
    }
  }

  // MARK: Return

  /// Tries to open lost devices that are due.
  func lookForReturn() {
    guard lostSink != nil || lostSource != nil else { return }
    let now = monotonicNanoseconds()
    for side in [AudioDevice.Direction.sink, .source] {
      guard let absence = absence(of: side) else { continue }
      let stream = stream(side)
      switch absence.reason {
      case .gone: break
      case .suspended:
        if let stream, stream.isGood, stream.isSuspended { continue }
        reopen(side, now)
      case .standstill:
        // A stream that moves frames again still contains up to a second of old sound.
        if stream?.isGood ?? false, lastActivity <= absence.since { continue }
        reopen(side, now)
      case .returning:
        guard Double(now - absence.since) / 1e9 > PulseAbsence.standstillLimit else { continue }
        reopen(side, now + PulseAbsence.interval)
      }
    }
    guard [lostSink, lostSource].contains(where: { $0?.isDue(now) ?? false }) else { return }
    do throws(HardwareError) { try attempt() } catch { return }
  }

  /// Closes a stream, and opens a new one at a given time.
  func reopen(_ side: AudioDevice.Direction, _ time: UInt64) {
    drop(side)
    setAbsence(
      of: side, PulseAbsence(reason: .gone, since: monotonicNanoseconds(), nextAttempt: time))
  }

  private func attempt() throws(HardwareError) {
    // Keeps the session going while the server is asked.
    let ticks: () -> Bool = { [unowned self] in
      keepTime()
      return !isStopping.load(ordering: .relaxed)
    }
    defer {
      let next = monotonicNanoseconds() + PulseAbsence.interval
      if lostSink?.reason == .gone { lostSink?.nextAttempt = next }
      if lostSource?.reason == .gone { lostSource?.nextAttempt = next }
    }
    if link == nil {
      let connection = try opening.connect(whileWaiting: ticks)
      link = PulseLink(connection: connection)
    }
    link?.connection.whileWaiting = ticks
    defer { link?.connection.whileWaiting = nil }
    if lostSink?.reason == .gone, let connection = link?.connection {
      let playback = try opening.openPlayback(
        on: connection, takesDefault: policy.takesDefault)
      link?.playback = playback
      listen(to: playback)
      lostSink = PulseAbsence(reason: .returning, since: monotonicNanoseconds())
      beginPlaying(playback)
    }
    if lostSource?.reason == .gone, let connection = link?.connection {
      let capture = try opening.openCapture(
        on: connection, link?.playback, takesDefault: policy.takesDefault)
      link?.capture = capture
      listen(to: capture)
      fillCapture(capture)
      watchSource()
      lostSource = PulseAbsence(reason: .returning, since: monotonicNanoseconds())
      capture.cork(false)
    }
  }

  /// Ends a loss, once the new stream has moved a frame.
  func endAbsence(of side: AudioDevice.Direction) {
    guard absence(of: side)?.reason == .returning,
      let stream = stream(side)
    else { return }
    setAbsence(of: side, nil)
    followed?.restart()
    if side == timekeeper { endAbsence() }
    noteReturn(stream.device)
    log.post(.returned(side, as: stream.device.name))
  }

  /// Lets the device pull the session again.
  func endAbsence() {
    if clock != nil {
      clock = nil
      session.setUnheard(false)
    }
    if isHeldByAbsence {
      isHeldByAbsence = false
      if !interruptions.isPaused { session.resume() }
    }
  }
}

extension PulseAbsence {
  fileprivate func isDue(_ now: UInt64) -> Bool { reason == .gone && now >= nextAttempt }
}
