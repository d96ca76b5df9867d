import AudioTypes
import RenderCore
import RenderHost
import Synchronization

/// The orders of the control thread for the thread that pulls.
final class PipeOrders: Sendable {
  let isStopping = Atomic<Bool>(false)
  /// The end of the allowed pulls, in frames of the plans.
  let allowedFrames = Atomic<Int>(.max)
  let alarm: PipeAlarm

  init() throws(HardwareError) { alarm = try PipeAlarm() }

  func allow(upTo frame: Int) {
    allowedFrames.store(frame, ordering: .relaxed)
    alarm.wake()
  }

  func stop() {
    isStopping.store(true, ordering: .relaxed)
    alarm.wake()
  }
}

/// Runs a session on its pipes, in the thread that pulls.
///
/// `@unchecked Sendable`: made by the control thread, then used only by the thread that runs it.
@safe
final class PipeEngine: @unchecked Sendable {
  private let session: RenderSession
  private let sliceFrames: Int
  private let sampleRate: Double
  private let sink: PipeSink?
  private let input: PipeInput?
  private let writer: CaptureWriter?
  private let ring: FrameRingAccess?
  private let endsWithSource: Bool
  private let log: HardwareLog
  private let orders: PipeOrders
  private let prepare: @Sendable (Int) -> Void
  /// Memory for a slice of the output.
  private let memory: UnsafeMutableRawBufferPointer
  private let bytesPerFrame: Int
  /// Whether the session renders the output; otherwise silence is written.
  private let hasOutput: Bool

  /// Frames rendered since the start.
  private var pulled = 0
  /// Frames written to the ring since the start, silence included.
  private var captured = 0
  /// The frames that came from the source; `nil` until it has ended.
  private var sourceFrames: Int?
  /// For `runByClock()`: whether the input arrives in time, and whether it ever has.
  private var isFlowing = false
  private var hasFlowed = false
  /// Whether nothing more can be written.
  private var isClosed = false

  init(
    _ session: RenderSession, _ grant: HardwareGrant, sink: PipeSink?, source: PipeSource?,
    endsWithSource: Bool, log: HardwareLog, orders: PipeOrders,
    prepare: @escaping @Sendable (Int) -> Void
  ) throws(HardwareError) {
    self.session = session
    sliceFrames = grant.ioBufferFrames
    sampleRate = grant.sampleRate
    self.sink = sink
    self.endsWithSource = endsWithSource
    self.log = log
    self.orders = orders
    self.prepare = prepare
    hasOutput = session.configuration.client != nil && session.configuration.device != nil
    precondition(
      !hasOutput || sink == nil || session.configuration.device == sink?.format,
      "a session is made for the format that was granted")
    var input: PipeInput?
    if let source { input = try PipeInput(source, sampleRate: grant.sampleRate) }
    self.input = input
    if let ring = session.configuration.capture, let source {
      writer = CaptureWriter(ring, channelCount: source.layout.channelCount)
      self.ring = ring.access
      captured = ring.access.available
    } else {
      writer = nil
      ring = nil
    }
    bytesPerFrame = Int(sink?.format.bytesPerFrame ?? 0)
    unsafe memory = .allocate(byteCount: max(64, sliceFrames * bytesPerFrame), alignment: 64)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { unsafe memory.deallocate() }

  private var isStopping: Bool { orders.isStopping.load(ordering: .relaxed) }

  // MARK: As fast as the ends allow

  /// Renders as fast as the reader takes frames and the writer gives them.
  func runOnDemand() {
    // At full speed a thread with a raised priority would take a processor from all others.
    log.note(scheduling: "normal (the pipes set the pace)")
    while !isStopping, !isClosed {
      guard isAllowed else {
        log.announce()
        waitForWork(0.005)
        continue
      }
      // The end of the session may be moved later, and a pause stops everything.
      guard !session.hasEnded, !session.isPaused, let length = captureSlice() else {
        waitForWork(0.005)
        continue
      }
      guard length > 0 else { break }
      prepare(length)
      let rendered = render(length)
      add(rendered)
      write()
    }
    finish()
  }

  private var isAllowed: Bool {
    let allowed = orders.allowedFrames.load(ordering: .relaxed)
    let rate = session.configuration.clientSampleRate ?? sampleRate
    return allowed == .max
      || session.nextFrame + Int(Double(sliceFrames) * rate / sampleRate) < allowed
  }

  /// Waits for something to do, and notices a reader that goes away.
  private func waitForWork(_ seconds: Double, orUntil end: PipeEnd? = nil) {
    if orders.alarm.sleep(seconds, orUntil: end, watching: sink?.end) { note(.closed) }
  }

  /// Waits for the input of the next slice, and writes it to the ring. Returns the length of the
  /// slice, 0 at the end; `nil` where there is no slice yet, or the run is over.
  private func captureSlice() -> Int? {
    guard let input else { return sliceFrames }
    let target = pulled + sliceFrames + (ring?.lead ?? 0)
    while captured < target {
      feed(upTo: target)
      if captured == target { break }
      guard !input.hasEnded else { return silence(upTo: target, slice: sliceFrames) }
      guard let hasCome = read() else { return nil }
      if !hasCome { waitForWork(60, orUntil: input.source.end) }
      if isStopping || isClosed { return nil }
    }
    return sliceFrames
  }

  private func write() {
    guard let sink else { return }
    while !isClosed {
      switch sink.flush() {
      case .written: return measure(sink)
      case .wouldWait:
        guard !isStopping else { return }
        orders.alarm.sleep(60, orUntil: sink.end)
      case let outcome: note(outcome)
      }
    }
  }

  // MARK: By the clock

  /// Renders a slice whenever it is due. Slices that the reader does not take in time are dropped;
  /// silence replaces frames that the writer does not give in time.
  func runByClock() {
    log.note(scheduling: HostThread.requestRealTime())
    let nanoseconds = Double(sliceFrames) / sampleRate * 1e9
    var begin = monotonicNanoseconds()
    var slice = 0
    while !isStopping, !isClosed {
      let length = captureSliceInTime()
      guard length > 0 else { break }
      let wasOver = session.hasEnded
      let rendered = render(length)
      put(wasOver ? 0 : session.hasEnded ? rendered : length)
      slice += 1
      let due = begin + UInt64(Double(slice) * nanoseconds)
      // After a standstill of a second the clock starts again, without the missed slices.
      if monotonicNanoseconds() > due + 1_000_000_000 {
        begin = monotonicNanoseconds()
        slice = 0
        log.count(.machine)
      }
      wait(until: due)
    }
    finish()
  }

  private func captureSliceInTime() -> Int {
    guard let input else { return sliceFrames }
    if session.isPaused {
      // Frames that arrive during a pause are dropped.
      while read() == true { discard(input) }
      return sliceFrames
    }
    let target = pulled + sliceFrames + (ring?.lead ?? 0)
    // A late input is only used again once there is a slice in reserve.
    let wanted = target - captured + (isFlowing ? 0 : sliceFrames)
    while input.available < wanted, !input.hasEnded, read() == true {}
    isFlowing = input.available >= wanted || input.hasEnded
    if isFlowing {
      feed(upTo: target)
      hasFlowed = true
    }
    guard captured < target else { return sliceFrames }
    if !input.hasEnded, hasFlowed {
      if isFlowing || input.available > 0 { feed(upTo: target) }
      log.missingFrames.wrappingAdd(target - captured, ordering: .relaxed)
      log.overruns.wrappingAdd(1, ordering: .relaxed)
    }
    return silence(upTo: target, slice: sliceFrames)
  }

  private func discard(_ input: PipeInput) { _ = unsafe input.take(input.available) { _, _ in } }

  /// Writes the frames of a slice; drops them where earlier ones still wait.
  private func put(_ count: Int) {
    guard let sink, count > 0 else { return }
    flush(sink)
    if sink.isEmpty {
      add(count)
      flush(sink)
      measure(sink)
    } else if !isClosed {
      log.count(.server)
      log.droppedFrames.wrappingAdd(count, ordering: .relaxed)
    }
  }

  private func flush(_ sink: PipeSink) {
    switch sink.flush() {
    case .written, .wouldWait: break
    case let outcome: note(outcome)
    }
  }

  private func wait(until due: UInt64) {
    while !isStopping, !isClosed {
      let now = monotonicNanoseconds()
      guard now < due else { return }
      guard let sink, !sink.isEmpty else {
        waitForWork(Double(due - now) / 1e9)
        continue
      }
      orders.alarm.sleep(Double(due - now) / 1e9, orUntil: sink.end)
      flush(sink)
    }
  }

  // MARK: Both

  /// Reads once. Returns whether anything arrived; `nil` after a failure.
  private func read() -> Bool? {
    guard let input else { return false }
    do throws(HardwareError) {
      let hasCome = try input.read()
      if hasCome { log.reads.wrappingAdd(1, ordering: .relaxed) }
      return hasCome
    } catch {
      isClosed = true
      log.fail(error)
      return nil
    }
  }

  /// Writes frames of the source to the ring.
  private func feed(upTo target: Int) {
    guard let input else { return }
    let count = unsafe input.take(target - captured) { samples, count in
      let dropped = unsafe self.keep(samples, count)
      guard dropped > 0 else { return }
      log.overruns.wrappingAdd(1, ordering: .relaxed)
      log.droppedFrames.wrappingAdd(dropped, ordering: .relaxed)
    }
    captured += count
    log.capturedFrames.wrappingAdd(count, ordering: .relaxed)
  }

  private func keep(_ samples: UnsafePointer<Float>?, _ count: Int) -> Int {
    switch writer {
    case .some(let writer): unsafe writer.write(samples, frameCount: count)
    case .none: 0
    }
  }

  /// Writes silence for missing frames. Returns the length of the slice to render: 0 where the run
  /// ends with its source.
  private func silence(upTo target: Int, slice: Int) -> Int {
    var length = slice
    if let input, input.hasEnded {
      if sourceFrames == nil {
        sourceFrames = captured
        noteEnd(of: input.source)
      }
      if endsWithSource {
        length = min(slice, max(0, (sourceFrames ?? 0) - pulled))
        if length == 0 { log.post(.ended("\(input.source.end.name) has ended")) }
      }
    }
    _ = unsafe keep(nil, target - captured)
    captured = target
    return length
  }

  private func noteEnd(of source: PipeSource) {
    let partial = source.partialBytes
    if partial > 0 {
      log.droppedFrames.wrappingAdd(1, ordering: .relaxed)
      log.post(
        .noted(
          "\(source.end.name) has ended within a frame: its last "
            + "\(partial == 1 ? "byte is" : "\(partial) bytes are") left out"))
    }
    if !endsWithSource { log.post(.noted("\(source.end.name) has ended: silence follows")) }
  }

  /// Renders a slice. Returns the number of frames of the session in it: 0 in a pause and after the
  /// end.
  private func render(_ length: Int) -> Int {
    let before = session.renderedFrames
    unsafe session.pull(length, into: hasOutput && bytesPerFrame > 0 ? memory.baseAddress : nil)
    let rendered = min(length, session.renderedFrames - before)
    pulled += rendered
    log.requestedFrames.wrappingAdd(rendered, ordering: .relaxed)
    return rendered
  }

  /// Queues frames of the rendered slice for writing.
  private func add(_ count: Int) {
    guard let sink, count > 0 else { return }
    unsafe sink.add(UnsafeRawBufferPointer(rebasing: memory[..<(count * bytesPerFrame)]))
    log.writes.wrappingAdd(1, ordering: .relaxed)
  }

  private func measure(_ sink: PipeSink) {
    let seconds = Double(sink.end.waitingBytes / bytesPerFrame) / sampleRate
    log.outputLatency.store(UInt64(seconds * 1e9), ordering: .relaxed)
  }

  /// Writes the rest of a slice, so that the output ends with a whole frame. Waits for its reader
  /// for at most a second.
  private func finish() {
    guard let sink else { return }
    let begin = monotonicNanoseconds()
    while !isClosed, !sink.isEmpty, monotonicNanoseconds() - begin < 1_000_000_000 {
      flush(sink)
      if !sink.isEmpty { orders.alarm.sleep(0.1, orUntil: sink.end) }
    }
    // Even on a full disk, the file up to there is valid.
    if let number = sink.complete() { note(.failed(number)) }
  }

  /// Ends the run where a write failed.
  private func note(_ outcome: PipeSink.Outcome) {
    guard let sink, !isClosed else { return }
    isClosed = true
    switch outcome {
    case .closed where sink.end.isStandard:
      // The reader of a command's output may go away at any time: no failure.
      log.post(.ended("the reader of standard output has gone"))
    case .closed:
      log.fail(
        HardwareError(
          .deviceLost, "nobody reads \(sink.end.name) any more",
          help: "start the patch again: it waits for the next reader"))
    case .failed(let number):
      log.fail(
        HardwareError(
          .deviceLost, "\(sink.end.name) cannot be written: \(systemMessage(number))"))
    case .written, .wouldWait: break
    }
  }
}
