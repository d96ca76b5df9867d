import CShims
import Glibc
public import Synchronization

/// What a back end counts, and what it has to say to the control thread.
///
/// Counters are added to by the thread that pulls, without waiting, and read by any other. Relaxed:
/// each stands alone and publishes nothing else.
@safe
public final class HardwareLog: Sendable {
  /// How often the device had nothing to play.
  public let underruns = Atomic<Int>(0)
  private let slowRenders = Atomic<Int>(0)
  private let slowServers = Atomic<Int>(0)
  private let slowMachines = Atomic<Int>(0)
  /// When the last underrun was told, in nanoseconds.
  private let toldUnderrun = Atomic<UInt64>(0)
  /// How often what was recorded had no room.
  public let overruns = Atomic<Int>(0)
  /// Frames that were recorded and had no room.
  public let droppedFrames = Atomic<Int>(0)
  /// Frames that should have been recorded and were not there.
  public let missingFrames = Atomic<Int>(0)
  /// Devices that went and were waited for.
  public let losses = Atomic<Int>(0)
  /// Frames that the device has asked for.
  public let requestedFrames = Atomic<Int>(0)
  /// Frames that have been recorded.
  public let capturedFrames = Atomic<Int>(0)
  /// How often something has been written to the device.
  public let writes = Atomic<Int>(0)
  /// How often something has been read from it.
  public let reads = Atomic<Int>(0)
  /// In nanoseconds.
  public let outputLatency = Atomic<UInt64>(0)
  /// In nanoseconds.
  public let inputLatency = Atomic<UInt64>(0)
  /// Whether an interruption pauses the session: `LiveHardware.pausesWhenInterrupted`.
  public let pausesWhenInterrupted = Atomic<Bool>(false)

  private let lossBits = Atomic<UInt8>(DeviceLossPolicy.fail.bits)

  /// What the loss of a device does: `LiveHardware.onDeviceLoss`. Any thread.
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
  /// An `eventfd` that becomes readable when there is a failure or an event.
  public let descriptor: Int32

  /// - Throws: `systemError` where the process has no descriptor left.
  public init() throws(HardwareError) {
    descriptor = shims_event_descriptor()
    guard descriptor >= 0 else {
      throw HardwareError(
        .systemError, "cannot make an event descriptor", help: "look at 'ulimit -n'")
    }
  }

  deinit { close(descriptor) }

  // MARK: The back end's thread

  /// Tells the control thread that something has happened. Makes a system call.
  public func post(_ event: HardwareEvent) {
    state.withLock { $0.events.append(event) }
    announce()
  }

  /// Counts an underrun, and tells the control thread of it: of one in a tenth of a second. Makes a system
  /// call.
  public func note(_ underrun: Underrun) {
    count(underrun.cause)
    let now = monotonicNanoseconds()
    let last = toldUnderrun.load(ordering: .relaxed)
    guard last == 0 || now - last >= 100_000_000 else { return }
    toldUnderrun.store(now, ordering: .relaxed)
    post(.ranDry(underrun))
  }

  /// Counts an underrun that is not told. Waits for nothing.
  public func count(_ cause: UnderrunCause) {
    underruns.wrappingAdd(1, ordering: .relaxed)
    switch cause {
    case .render: slowRenders.wrappingAdd(1, ordering: .relaxed)
    case .server: slowServers.wrappingAdd(1, ordering: .relaxed)
    case .machine: slowMachines.wrappingAdd(1, ordering: .relaxed)
    // Those are known where files are read.
    case .file: break
    }
  }

  /// Tells the control thread that the run has failed. Makes a system call.
  public func fail(_ failure: HardwareError) {
    state.withLock { $0.failure = failure }
    announce()
  }

  /// Keeps how the thread that renders is scheduled, in a few words.
  public func note(scheduling: String) { state.withLock { $0.scheduling = scheduling } }

  /// Keeps what the device is had to keep more than it was asked for; `nil` for nothing.
  public func note(raisedLatency: RaisedLatency?) {
    state.withLock { $0.raisedLatency = raisedLatency }
  }

  /// Makes the descriptor readable: whoever waits looks again.
  public func announce() {
    var one: UInt64 = 1
    _ = unsafe Glibc.write(descriptor, &one, 8)
  }

  // MARK: The control thread

  /// Forgets what ended the last run, before the next.
  public func restart() {
    state.withLock { state in
      state.failure = nil
      state.raisedLatency = nil
    }
    clear()
  }

  /// What ended the run before it was stopped. Any thread.
  public var failure: HardwareError? { state.withLock { $0.failure } }

  /// How the thread that renders is scheduled, in a few words. Any thread.
  public var scheduling: String { state.withLock { $0.scheduling } }

  /// What the device is had to keep more than it was asked for; `nil` for nothing. Any thread.
  public var raisedLatency: RaisedLatency? { state.withLock { $0.raisedLatency } }

  /// What has happened since the last call. Any thread.
  public func takeEvents() -> [HardwareEvent] {
    // First, so that what comes in between is announced again. Without it who polls the descriptor
    // would be woken without end.
    clear()
    return state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  /// Waits for a failure or an event, for some seconds at the most. Returns whether there was one.
  public func wait(timeout seconds: Double) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(max(0, min(seconds, 86_400)) * 1000)
    guard unsafe poll(&waiting, 1, milliseconds) > 0 else { return false }
    clear()
    return true
  }

  /// Makes the descriptor wait for what comes next.
  private func clear() {
    var count: UInt64 = 0
    _ = unsafe Glibc.read(descriptor, &count, 8)
  }

  /// What has been counted so far. Any thread.
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
