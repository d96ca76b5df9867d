public import AudioTypes
import CShims
public import RenderCore
import Synchronization

/// A running graph, as a device sees it: plans are posted on one side, slices pulled on the other.
///
/// `@unchecked Sendable`: what is not atomic belongs to the thread that pulls.
@safe
public final class RenderSession: @unchecked Sendable {
  /// What stays as it is from plan to plan.
  public struct Configuration: Sendable {
    /// The sample type of the bus that the output unit is fed by; `nil` where output is off.
    public var client: SampleType?
    /// What the device takes: interleaved, one of the sample types of a bus.
    public var device: StreamFormat?
    /// For each channel of the device the client's channel, or -1 for silence.
    public var channelMap: [Int]
    /// Where the device puts down what the microphone hears; `nil` where input is off.
    public var capture: FrameRing?
    /// The rate in which pulls are counted, in Hz: the device's.
    public var sampleRate: Double
    /// The rate that the plans run at, in Hz; `nil` for the device's. Where it is another one, the
    /// session converts what it plays: without a delay, because it asks the plan for as many more
    /// frames, at the beginning, as the filter looks ahead. The filter's numbers are floats, so that
    /// 24 bits of a client's `int32` or `fixed8.24` get through.
    public var clientSampleRate: Double?
    /// Whether what is infinite or no number is put out as silence, and counted. Otherwise a device that
    /// takes floats is given it.
    public var silencesNonFinite: Bool
    /// How many threads render a plan that is one for several, the one that pulls among them. Those
    /// that help it spin between slices: it is for hosts that pull as fast as they can.
    public var threadCount: Int
    /// How what is played is rounded to a device's integers.
    public var dither: BusDither

    public init(
      client: SampleType?, device: StreamFormat?, channelMap: [Int] = [], capture: FrameRing? = nil,
      sampleRate: Double, clientSampleRate: Double? = nil, silencesNonFinite: Bool = false,
      threadCount: Int = 1, dither: BusDither = .none
    ) {
      precondition(threadCount > 0, "somebody renders")
      self.threadCount = threadCount
      self.dither = dither
      self.silencesNonFinite = silencesNonFinite
      self.client = client
      self.device = device
      self.channelMap = channelMap
      self.capture = capture
      self.sampleRate = sampleRate
      self.clientSampleRate = clientSampleRate
    }
  }

  public let configuration: Configuration
  /// What moves controls at its times, counted in frames of the plans from the beginning: that of the
  /// stage that was posted last.
  private let timeline = Mutex<RenderTimeline?>(nil)
  private let queue = PlanQueue()
  private let helpers: RenderHelpers?
  /// The helpers', for the thread that pulls.
  private let crew: Unmanaged<RenderCrew>?
  private var current: PlanQueue.Handle?
  private let hasOutput: Bool
  private let encoder: DeviceEncoder
  private let rounding: DitheredRounding
  private let channelMap: UnsafeMutableBufferPointer<Int>
  private let nanosecondsPerFrame: Double
  private var gain: LinearRamp
  /// Behind the fade, in front of the device.
  private var limiter: OutputLimiter
  /// In frames of the device.
  private var sampleTime: Int = 0
  /// In frames of the plans; the same as `sampleTime` at equal rates.
  private var clientTime: Int = 0
  /// Where `clientTime` began, for those who read time stamps.
  private var firstTime: Int = 0
  /// When the first frame is due, on the host's clock; 0 for at once.
  private var startHostTime: UInt64 = 0
  /// Frames of the device to let go by in silence before the first frame.
  private var framesToWait: Int = 0
  private let clientRate: Double
  /// `nil` at equal rates, and where nothing is put out.
  private let resampler: UnsafeMutablePointer<SessionResampler>?

  // Written by the thread that pulls, read by the other.
  private let failures = Atomic<Int>(0)
  private let lastFailure = Atomic<Int32>(0)
  private let rendered = Atomic<Int>(0)
  private let waited = Atomic<Int>(0)
  private let busy = Atomic<UInt64>(0)
  private let peakLoad = Atomic<UInt64>(0)
  private let slices = Atomic<Int>(0)
  private let outputPeak = Atomic<UInt32>(0)
  private let limitedFrames = Atomic<Int>(0)
  private let silencedSamples = Atomic<Int>(0)
  /// The smallest gain of the limiter, as the bits of a float, for each who asks.
  private let leastGain = Atomic<UInt32>(Float(1).bitPattern)
  private let leastGainShown = Atomic<UInt32>(Float(1).bitPattern)
  private let next = Atomic<Int>(0)
  /// What clients have scheduled, and the thread that renders.
  private let scheduler: Unmanaged<ParameterScheduler>
  // The slice that is being rendered: its frames, those that are left of it, when it began, and the
  // first failure in it.
  private var sliceLength = 0
  private var sliceRest = 0
  private var sliceTime = TimeStamp(sampleTime: 0)
  private var sliceStatus = Status.ok
  // Written by the control thread.
  private let limit = Atomic<Int>(.max)
  /// The bits of a float.
  private let outputLimit = Atomic<UInt32>(Float.infinity.bitPattern)
  private let isFadingOut = Atomic<Bool>(false)
  private let hasFadedOut = Atomic<Bool>(false)
  /// 0 where it plays, 1 for a pause after a fade, 2 for one at once.
  private let pausing = Atomic<Int>(0)
  /// Whether a client has it pause, whatever the host has.
  private let isHolding = Atomic<Bool>(false)
  /// Whether a pause has come to silence. Written by the thread that pulls.
  private let hasPaused = Atomic<Bool>(false)
  /// How many frames a fade takes.
  private let fadeFrames: Int
  /// What of `pausing` the last pull went by, and the frames of its fade that are still to come.
  private var held = (kind: 0, frames: 0)

  /// - Parameter scheduler: Where clients schedule parameter changes; no other session that is still
  ///   pulled has it.
  public init(
    _ configuration: Configuration, scheduler: ParameterScheduler = ParameterScheduler()
  ) {
    self.configuration = configuration
    helpers =
      configuration.threadCount > 1 ? RenderHelpers(count: configuration.threadCount - 1) : nil
    unsafe crew = helpers.map { unsafe .passUnretained($0.crew) }
    scheduler.restart()
    scheduler.noteStages(posted: 0)
    scheduler.noteStages(begun: 0)
    unsafe self.scheduler = .passRetained(scheduler)
    let device = configuration.device ?? StreamFormat(.float32, channels: 1, sampleRate: 1)
    hasOutput = configuration.client != nil && configuration.device != nil
    let map = hasOutput ? configuration.channelMap : [-1]
    precondition(map.count == device.channelCount, "a channel map has an entry for each channel")
    unsafe channelMap = .allocate(capacity: map.count)
    _ = unsafe channelMap.initialize(fromContentsOf: map)
    let clientRate = configuration.clientSampleRate ?? configuration.sampleRate
    precondition(
      clientRate > 0 && configuration.sampleRate > 0 && clientRate.isFinite
        && configuration.sampleRate.isFinite, "a sample rate is over 0")
    self.clientRate = clientRate
    let client = configuration.client ?? .float32
    if hasOutput && clientRate != configuration.sampleRate {
      unsafe resampler = .allocate(capacity: 1)
      unsafe resampler!.initialize(
        to: SessionResampler(
          client: client, channelCount: max(1, (map.max() ?? -1) + 1), clientRate: clientRate,
          deviceRate: configuration.sampleRate))
    } else {
      unsafe resampler = nil
    }
    encoder = unsafe DeviceEncoder(
      client: resampler == nil ? client : .float32, device: device, map: channelMap.baseAddress!)
    rounding = DitheredRounding(configuration.dither, to: device)
    nanosecondsPerFrame = 1e9 / max(1, configuration.sampleRate)
    // 20 ms: short enough for Ctrl-C, long enough not to click.
    fadeFrames = max(1, Int(configuration.sampleRate * 0.02))
    gain = LinearRamp(1, length: fadeFrames)
    limiter = OutputLimiter(sampleRate: max(1, configuration.sampleRate))
  }

  deinit {
    unsafe queue.end(current)
    unsafe scheduler.release()
    unsafe channelMap.deallocate()
    unsafe resampler?.deinitialize(count: 1)
    unsafe resampler?.deallocate()
  }

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
    startHostTime = 0
    framesToWait = 0
    if let time = start?.timeStamp {
      if time.flags.contains(.hostTimeValid) {
        startHostTime = time.hostTime
      } else {
        framesToWait = Int(min(max(0, time.sampleTime), 1e15))
      }
    }
    waited.store(0, ordering: .relaxed)
    rendered.store(0, ordering: .relaxed)
    slices.store(0, ordering: .relaxed)
    busy.store(0, ordering: .relaxed)
    peakLoad.store(0, ordering: .relaxed)
    isFadingOut.store(false, ordering: .relaxed)
    hasFadedOut.store(false, ordering: .relaxed)
    pausing.store(0, ordering: .relaxed)
    isHolding.store(false, ordering: .relaxed)
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
      UInt64(Double(renderedFrames) / configuration.sampleRate * 1e9)
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

  // MARK: Render thread

  /// Renders the next frames into a device's memory: `frameCount` interleaved frames of the device
  /// format. Without `memory` (an input-only graph) everything but the output is done.
  ///
  /// Any number of frames: they are cut to the plan's slices, which count frames of the client's
  /// rate. Where a slice fails there is silence, and it is counted. Returns the status of the last
  /// slice that failed.
  @_noLocks
  @discardableResult
  public func pull(_ frameCount: Int, into memory: UnsafeMutableRawPointer?) -> Status {
    guard frameCount > 0 else { return .ok }
    enterRealTime()
    let denormals = denormalsOff()
    let begin = monotonicNanoseconds()
    let thread = threadIdentity()
    unsafe scheduler._withUnsafeGuaranteedRef { $0.setThread(thread) }
    let end = limit.load(ordering: .relaxed)
    aimGain()
    limiter.aim(at: Float(bitPattern: outputLimit.load(ordering: .relaxed)))
    var status = Status.ok
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
      // A pause begins where its fade ends, however it is sliced.
      if held.frames > 0 { length = min(length, held.frames) }
      let slice = unsafe render(atMost: length, at: done, in: memory, hostTime: begin)
      if slice.status != .ok { status = slice.status }
      done += slice.length
      sampleTime += slice.length
      if held.frames > 0 { held.frames -= slice.length }
    }
    // Two questions and not one `&&`: its right side is a closure that would retain `self`.
    if gain.isSettled {
      if gain.current == 0 { noteSilence() }
    }
    rendered.store(sampleTime + waited.load(ordering: .relaxed), ordering: .relaxed)
    account(from: begin, frameCount: frameCount)
    unsafe scheduler._withUnsafeGuaranteedRef { $0.setThread(0) }
    restoreDenormals(denormals)
    leaveRealTime()
    return status
  }

  /// Sets out for the level that is wanted now.
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
      gain.aim(at: 1)
    case 1:
      gain.aim(at: 0)
      if isNew { held.frames = wasHeld ? 0 : fadeFrames }
    default: gain.jump(to: 0)
    }
  }

  /// Whether there is a pause, and its fade is over.
  @_noLocks
  private func isHeld() -> Bool {
    guard held.kind != 0, held.frames <= 0 else { return false }
    guard gain.isSettled else { return false }
    return gain.current == 0
  }

  /// What has come to silence has paused, or has faded out for good.
  @_noLocks
  private func noteSilence() {
    if held.kind != 0 { hasPaused.store(true, ordering: .relaxed) }
    if isFadingOut.load(ordering: .relaxed) { hasFadedOut.store(true, ordering: .relaxed) }
  }

  /// How many of the next frames come before the start time.
  @_noLocks
  private func wait(atMost frameCount: Int, from now: UInt64) -> Int {
    if startHostTime != 0 {
      // From here on frames tell the time: clocks that are read anew for each pull would not agree.
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

  /// Renders some of the next frames, at least one, and says how many.
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

  /// Runs the plan for the next piece of its slice; counts it where it fails.
  ///
  /// A slice begins where the last has ended. It is never longer than what one pull asks for, which
  /// goes on until all of it is there.
  @_noLocks
  private func renderPlan(atMost limit: Int, due: UInt64) -> (length: Int, status: Status) {
    if sliceRest == 0 {
      let turn = unsafe queue.turn(after: current, at: clientTime, atMost: limit)
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
    let status = unsafe plan.renderPiece(frameCount: length, at: time, crew: crew)
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

  /// What `render` does where the plan has a rate of its own.
  @_noLocks
  private func renderConverted(
    atMost limit: Int, at done: Int, in memory: UnsafeMutableRawPointer?, hostTime: UInt64
  ) -> (length: Int, status: Status) {
    let stretch = SessionResampler.stretch
    let length = limit < stretch ? limit : stretch
    var status = Status.ok
    var need = framesNeeded(forNext: length)
    while need > 0 {
      // The plan is ahead of the device, by as much as the filter looks ahead and by what it has
      // rendered of this pull.
      let ahead = Double(clientTime) / clientRate * 1e9 - Double(sampleTime) * nanosecondsPerFrame
      let offset = Double(done) * nanosecondsPerFrame + ahead
      let due = hostTime &+ UInt64(offset > 0 ? offset : 0)
      let slice = renderPlan(atMost: need, due: due)
      if slice.status != .ok { status = slice.status }
      if let resampler = unsafe resampler {
        if slice.status == .ok, let plan = unsafe current {
          let bus = unsafe plan.clientBus(frameCount: slice.length)
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

  /// How many frames the plan has to render before the next `frameCount` of the device are there.
  @_noLocks
  private func framesNeeded(forNext frameCount: Int) -> Int {
    if let resampler = unsafe resampler {
      return unsafe resampler.pointee.framesNeeded(forNext: frameCount)
    }
    // Nobody hears them: the plan runs on until it has begun the last of them.
    let last = Double(sampleTime + frameCount - 1) * clientRate / configuration.sampleRate
    let need = Int(last) + 1 - clientTime
    return need > 0 ? need : 0
  }

  @_noLocks
  private func encode(_ bus: RenderBus, into memory: UnsafeMutableRawPointer, at done: Int) {
    // Past a fade: what is multiplied by zero need not be zero.
    if gain.isSettled {
      if gain.current == 0 { return unsafe silence(bus.frameCount, at: done, in: memory) }
    }
    let offset = done * encoder.bytesPerFrame
    let peak = encoder.peak(of: bus)
    guard isLeftAlone(peak) else {
      let report = unsafe encoder.encode(
        bus, into: memory + offset, gain: &gain, limiter: &limiter, rounding)
      meter(Float(report.peak))
      return note(report)
    }
    unsafe encoder.encode(bus, into: memory + offset, gain: &gain, rounding)
    meter(peak)
  }

  /// Whether the limit would change nothing of frames that are so loud at the most.
  @_noLocks
  private func isLeftAlone(_ peak: Float) -> Bool {
    guard limiter.isIdle else { return false }
    if limiter.ceiling == .infinity {
      return peak.isFinite ? true : !configuration.silencesNonFinite
    }
    // With room for what rounding makes of it.
    return Double(peak) * 1.000001 + rounding.margin < encoder.largest(below: limiter.ceiling)
  }

  @_noLocks
  private func note(_ report: LimiterReport) {
    if report.silenced > 0 {
      silencedSamples.wrappingAdd(report.silenced, ordering: .relaxed)
    }
    guard report.frames > 0 else { return }
    limitedFrames.wrappingAdd(report.frames, ordering: .relaxed)
    // Numbers above 0 are in the order of their bit patterns.
    let bits = Float(report.leastGain).bitPattern
    if bits < leastGain.load(ordering: .relaxed) { leastGain.store(bits, ordering: .relaxed) }
    if bits < leastGainShown.load(ordering: .relaxed) {
      leastGainShown.store(bits, ordering: .relaxed)
    }
  }

  @_noLocks
  private func meter(_ peak: Float) {
    // Magnitudes are in the order of their bit patterns.
    let bits = peak.bitPattern
    if bits > outputPeak.load(ordering: .relaxed) { outputPeak.store(bits, ordering: .relaxed) }
  }

  /// Lets a fade run on where nothing is put out, so that it ends there too.
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
  private func account(from begin: UInt64, frameCount: Int) {
    let spent = monotonicNanoseconds() &- begin
    busy.wrappingAdd(spent, ordering: .relaxed)
    slices.wrappingAdd(1, ordering: .relaxed)
    let share = UInt64(Double(spent) * 1e6 / (Double(frameCount) * nanosecondsPerFrame + 1))
    if share > peakLoad.load(ordering: .relaxed) { peakLoad.store(share, ordering: .relaxed) }
  }
}

@_semantics("no_performance_analysis")
func threadIdentity() -> UInt { shims_thread_identity() }

@_semantics("no_performance_analysis")
private func enterRealTime() { shims_real_time_enter() }

@_semantics("no_performance_analysis")
private func leaveRealTime() { shims_real_time_exit() }

@_semantics("no_performance_analysis")
private func denormalsOff() -> UInt32 { shims_denormals_off() }

@_semantics("no_performance_analysis")
private func restoreDenormals(_ previous: UInt32) {
  shims_denormals_restore(previous)
}
