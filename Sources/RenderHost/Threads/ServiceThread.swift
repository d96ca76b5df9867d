public import RenderCore
import Synchronization

/// Runs the services of a live graph, which read ahead and write recordings, beside the render
/// thread.
///
/// Used from the control thread. A service is called by one thread at a time. Between two turns the
/// thread sleeps until a service needs the next one, but at least 10 ms. A slow disk delays this
/// thread and callers of `add` and `remove`, but not callers of `takeEvents`, `errors` and
/// `lostFrames`.
public final class ServiceThread: Sendable {
  private struct Entry {
    let service: any RenderService
    var hasFailed = false
  }

  /// A pause that recordings are to note.
  private struct Gap {
    var seconds: Double
    /// The time of the first frame after it, in nanoseconds of the monotonic clock.
    var end: UInt64
    var cause: String
  }

  /// What callers may read while a service waits for the disk.
  private struct Report {
    var services: [any RenderService] = []
    var errors: [ServiceError] = []
    var events: [ServiceEvent] = []
    var gaps: [Gap] = []
    /// The lost frames of removed services.
    var lostFrames = 0
    var thread: HostThread?
  }

  /// The shortest sleep between two turns, in seconds, so that a service that falls behind does not
  /// take a whole processor.
  private static let shortestSleep = 0.01

  private let frameCount: Int
  private let longestSleep: Double
  /// Locked while a service is called.
  private let entries = Mutex<[Entry]>([])
  /// Locked for a moment only. Its owner takes no other lock.
  private let report = Mutex(Report())
  private let isStopping = Atomic<Bool>(false)
  private let alarm = WakeSignal()

  /// - Parameters:
  ///   - frameCount: The least that every call asks for: frames read ahead, or room for as many.
  ///     The largest number of frames that the device may pull at once.
  ///   - longestSleep: The longest sleep between two turns, in seconds. It bounds the delay of
  ///     events.
  public init(atLeast frameCount: Int = 4096, longestSleep: Double = 0.1) {
    self.frameCount = frameCount
    self.longestSleep = longestSleep
  }

  /// Ends the thread where `stop` was not called.
  deinit { stopThread() }

  /// Calls every service once, in the calling thread, so that the first slice finds its frames.
  /// Then continues in a thread of its own, whenever a service needs it.
  ///
  /// - Parameter chore: Called by that thread in each turn, without a lock. Returns the seconds
  ///   after which it must be called again, unless `wake()` is called before.
  /// - Throws: `systemError` where the thread cannot be started.
  public func start(
    _ services: [any RenderService] = [], chore: @escaping @Sendable () -> Double = { .infinity }
  ) throws(HardwareError) {
    for service in services { add(service) }
    guard report.withLock({ $0.thread == nil }) else { return }
    isStopping.store(false, ordering: .relaxed)
    let thread = try HostThread("patchrun files") { [weak self, alarm] in
      // Not held while asleep: the last owner may release it in between.
      while let seconds = self?.turn(chore) { alarm.sleep(seconds) }
    }
    report.withLock { $0.thread = thread }
  }

  /// Has the thread take its next turn at once. Not for the render thread: it makes a system call.
  public func wake() { alarm.wake() }

  /// Adds a service and calls it once, before a slice needs it.
  public func add(_ service: any RenderService) {
    // The new service may need an earlier turn.
    defer { wake() }
    entries.withLock { entries in
      guard !entries.contains(where: { $0.service === service }) else { return }
      var entry = Entry(service: service)
      run(&entry)
      entries.append(entry)
      report.withLock { $0.services.append(service) }
    }
  }

  /// Finishes and removes a service that no slice needs any more.
  public func remove(_ service: any RenderService) {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.service === service }) else { return }
      finish(entries.remove(at: index))
    }
  }

  /// Ends the thread, then finishes every service. Called after the last slice.
  public func stop() {
    stopThread()
    entries.withLock { entries in
      tellGaps(to: entries)
      for entry in entries { finish(entry) }
      entries = []
    }
  }

  /// Calls every service before a slice of so many frames. Called by the thread that renders it,
  /// for hardware that pulls faster than files are read ahead.
  public func serve(inStepFor frameCount: Int) {
    entries.withLock { entries in
      for index in entries.indices where !entries[index].hasFailed {
        do throws(ServiceError) {
          try entries[index].service.service(inStepFor: frameCount)
        } catch {
          entries[index].hasFailed = true
          report.withLock { $0.errors.append(error) }
        }
        takeEvents(of: entries[index].service)
      }
    }
  }

  /// The failures so far, each once. A service that failed is not called again, only finished. Any
  /// thread.
  public var errors: [ServiceError] { report.withLock { $0.errors } }

  /// The events of the services since the last call. Any thread.
  public func takeEvents() -> [ServiceEvent] {
    let (events, services) = report.withLock { report in
      defer { report.events = [] }
      return (report.events, report.services)
    }
    return events + services.compactMap { $0.takeOngoingEvent() }
  }

  /// Notes a pause in recordings, between two frames of which the second was rendered `ago` seconds
  /// before now. The thread passes it on. `cause` is for the report.
  public func noteGap(seconds: Double, ago: Double = 0, cause: String) {
    let past = UInt64(max(0, min(ago, 1e9)) * 1e9)
    let now = monotonicNanoseconds()
    report.withLock {
      $0.gaps.append(Gap(seconds: seconds, end: now - min(now, past), cause: cause))
    }
    wake()
  }

  /// Frames that were not read in time, or that did not fit, since the beginning. Any thread.
  public var lostFrames: Int {
    report.withLock { $0.services.reduce($0.lostFrames) { $0 + $1.lostFrames } }
  }

  private func stopThread() {
    isStopping.store(true, ordering: .relaxed)
    wake()
    let thread = report.withLock { report in
      defer { report.thread = nil }
      return report.thread
    }
    thread?.join()
  }

  // MARK: The thread

  /// Takes a turn. Returns the seconds until the next one; `nil` at the end.
  private func turn(_ chore: () -> Double) -> Double? {
    guard !isStopping.load(ordering: .relaxed) else { return nil }
    var seconds = min(chore(), longestSleep)
    entries.withLock { entries in
      tellGaps(to: entries)
      for index in entries.indices {
        run(&entries[index])
        guard !entries[index].hasFailed else { continue }
        seconds = min(seconds, entries[index].service.secondsToSpare(atLeast: frameCount))
      }
    }
    return max(seconds, Self.shortestSleep)
  }

  private func run(_ entry: inout Entry) {
    guard !entry.hasFailed else { return }
    do throws(ServiceError) {
      try entry.service.service(atLeast: frameCount)
    } catch {
      entry.hasFailed = true
      report.withLock { $0.errors.append(error) }
    }
    takeEvents(of: entry.service)
  }

  private func takeEvents(of service: any RenderService) {
    let events = service.takeEvents()
    guard !events.isEmpty else { return }
    report.withLock { $0.events += events }
  }

  private func tellGaps(to entries: [Entry]) {
    let gaps = report.withLock { report in
      defer { report.gaps = [] }
      return report.gaps
    }
    for gap in gaps {
      let now = monotonicNanoseconds()
      let ago = Double(now - min(now, gap.end)) / 1e9
      for entry in entries {
        entry.service.noteGap(seconds: gap.seconds, ago: ago, cause: gap.cause)
        takeEvents(of: entry.service)
      }
    }
  }

  private func finish(_ entry: Entry) {
    var failure: ServiceError?
    do throws(ServiceError) { try entry.service.finish() } catch { failure = error }
    let (events, lost) = (entry.service.takeEvents(), entry.service.lostFrames)
    report.withLock { report in
      if let failure, !report.errors.contains(failure) { report.errors.append(failure) }
      report.events += events
      report.lostFrames += lost
      report.services.removeAll { $0 === entry.service }
    }
  }
}
