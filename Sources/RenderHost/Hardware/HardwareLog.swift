import CShims
import Glibc
public import Synchronization

/// The counters of a back end, and its messages to the control thread.
///
/// The thread that pulls adds to the counters without waiting; any thread reads them. Relaxed
/// ordering is enough: each counter stands alone and publishes nothing else.
@safe
public final class HardwareLog: Sendable {
  /// The number of times that the device had nothing to play.
  public let underruns = Atomic<Int>(0)
  private let slowRenders = Atomic<Int>(0)
  private let slowServers = Atomic<Int>(0)
  private let slowMachines = Atomic<Int>(0)
  /// When the last underrun became an event, in nanoseconds of the monotonic clock.
  private let toldUnderrun = Atomic<UInt64>(0)
  /// Deliveries of captured frames that did not fit completely.
  public let overruns = Atomic<Int>(0)
  /// Captured frames that did not fit.
  public let droppedFrames = Atomic<Int>(0)
  /// Frames that the source lacked, replaced by silence.
  public let missingFrames = Atomic<Int>(0)
  /// The number of times that a device was lost and waited for.
  public let losses = Atomic<Int>(0)
  /// Frames that the device has requested.
  public let requestedFrames = Atomic<Int>(0)
  /// Frames that have been captured.
  public let capturedFrames = Atomic<Int>(0)
  /// Number of writes to the device.
  public let writes = Atomic<Int>(0)
  /// Number of reads from the device.
  public let reads = Atomic<Int>(0)
  /// The measured latency from the render to the loudspeaker, in nanoseconds.
  public let outputLatency = Atomic<UInt64>(0)
  /// The measured latency from the microphone to the render, in nanoseconds.
  public let inputLatency = Atomic<UInt64>(0)
  /// Whether an interruption pauses the session: `LiveHardware.pausesWhenInterrupted`.
  public let pausesWhenInterrupted = Atomic<Bool>(false)

  private let lossBits = Atomic<UInt8>(DeviceLossPolicy.fail.bits)

  /// What happens when a device is lost: `LiveHardware.onDeviceLoss`. Any thread.
  public var onDeviceLoss: DeviceLossPolicy {
    get { DeviceLossPolicy(bits: lossBits.load(ordering: .relaxed)) }
    set { lossBits.store(newValue.bits, ordering: .relaxed) }
  }

  private struct State {
    var failure: HardwareError?
    var events: [HardwareEvent] = []
    var scheduling = ""
    var raisedLatency: RaisedLatency?
  }

  private let state = Mutex(State())
  /// An `eventfd` that becomes readable when there is a failure or an event. The log closes it.
  public let descriptor: Int32

  /// - Throws: `systemError` where the process has no file descriptor left.
  public init() throws(HardwareError) {
    descriptor = shims_event_descriptor()
    guard descriptor >= 0 else {
      throw HardwareError(
        .systemError, "cannot make an event descriptor", help: "look at 'ulimit -n'")
    }
  }

  deinit { close(descriptor) }

  // MARK: The back end's thread

  /// Posts an event to the control thread. Makes a system call, and takes a lock.
  public func post(_ event: HardwareEvent) {
    state.withLock { $0.events.append(event) }
    announce()
  }

  /// Counts an underrun and posts an event for it, at most one every tenth of a second. Makes a
  /// system call.
  public func note(_ underrun: Underrun) {
    count(underrun.cause)
    let now = monotonicNanoseconds()
    let last = toldUnderrun.load(ordering: .relaxed)
    guard last == 0 || now - last >= 100_000_000 else { return }
    toldUnderrun.store(now, ordering: .relaxed)
    post(.ranDry(underrun))
  }

  /// Counts an underrun without an event. Never waits.
  public func count(_ cause: UnderrunCause) {
    underruns.wrappingAdd(1, ordering: .relaxed)
    switch cause {
    case .render: slowRenders.wrappingAdd(1, ordering: .relaxed)
    case .server: slowServers.wrappingAdd(1, ordering: .relaxed)
    case .machine: slowMachines.wrappingAdd(1, ordering: .relaxed)
    // The control thread learns of these from the service that reads the file.
    case .file: break
    }
  }

  /// Records the failure that ends the run. Makes a system call.
  public func fail(_ failure: HardwareError) {
    state.withLock { $0.failure = failure }
    announce()
  }

  /// Records how the render thread is scheduled, in a few words.
  public func note(scheduling: String) { state.withLock { $0.scheduling = scheduling } }

  /// Records a latency that is above the requested one; `nil` for none.
  public func note(raisedLatency: RaisedLatency?) {
    state.withLock { $0.raisedLatency = raisedLatency }
  }

  /// Makes the descriptor readable, which wakes whoever waits for events.
  public func announce() {
    var one: UInt64 = 1
    _ = unsafe Glibc.write(descriptor, &one, 8)
  }

  // MARK: The control thread

  /// Clears the failure and the raised latency of the last run, before the next one. The counters
  /// stay.
  public func restart() {
    state.withLock { state in
      state.failure = nil
      state.raisedLatency = nil
    }
    clear()
  }

  /// The failure that ended the run; `nil` for none. Any thread.
  public var failure: HardwareError? { state.withLock { $0.failure } }

  /// How the render thread is scheduled, in a few words. Any thread.
  public var scheduling: String { state.withLock { $0.scheduling } }

  /// The latency that is above the requested one; `nil` for none. Any thread.
  public var raisedLatency: RaisedLatency? { state.withLock { $0.raisedLatency } }

  /// The events since the last call. Any thread.
  public func takeEvents() -> [HardwareEvent] {
    // Clear first: an event posted in between makes the descriptor readable again. Without the
    // clear a caller that polls the descriptor would spin.
    clear()
    return state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  /// Waits for a failure or an event, at most this many seconds (and a day). Returns whether there
  /// was one.
  public func wait(timeout seconds: Double) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(max(0, min(seconds, 86_400)) * 1000)
    guard unsafe poll(&waiting, 1, milliseconds) > 0 else { return false }
    clear()
    return true
  }

  /// Makes the descriptor unreadable until the next announcement.
  private func clear() {
    var count: UInt64 = 0
    _ = unsafe Glibc.read(descriptor, &count, 8)
  }

  /// The counters now. Any thread.
  public var statistics: HardwareStatistics {
    var statistics = HardwareStatistics()
    statistics.underruns = underruns.load(ordering: .relaxed)
    statistics.underrunCauses = [
      .render: slowRenders.load(ordering: .relaxed), .server: slowServers.load(ordering: .relaxed),
      .machine: slowMachines.load(ordering: .relaxed),
    ].filter { $0.value > 0 }
    statistics.overruns = overruns.load(ordering: .relaxed)
    statistics.droppedFrames = droppedFrames.load(ordering: .relaxed)
    statistics.losses = losses.load(ordering: .relaxed)
    statistics.missingFrames = missingFrames.load(ordering: .relaxed)
    statistics.requestedFrames = requestedFrames.load(ordering: .relaxed)
    statistics.capturedFrames = capturedFrames.load(ordering: .relaxed)
    statistics.writeCount = writes.load(ordering: .relaxed)
    statistics.readCount = reads.load(ordering: .relaxed)
    statistics.outputLatency = Double(outputLatency.load(ordering: .relaxed)) / 1e9
    statistics.inputLatency = Double(inputLatency.load(ordering: .relaxed)) / 1e9
    return statistics
  }
}
