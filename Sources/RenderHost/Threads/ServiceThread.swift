public import RenderCore
import Synchronization

/// Runs the services of a live graph, reading ahead and writing down, beside the render thread.
///
/// Used from the control thread. A service is called by one thread at a time. Between two turns the
/// thread sleeps for as long as every service has to spare, at least 10 ms. A disk that stalls holds up
/// this thread, and those that add and remove services; whoever asks what has happened does not wait.
public final class ServiceThread: Sendable {
  private struct Entry {
    let service: any RenderService
    var hasFailed = false
  }

  /// Time that a recording is to be told of.
  private struct Gap {
    var seconds: Double
    /// Nanoseconds of the monotonic clock, of the first frame behind it.
    var end: UInt64
    var cause: String
  }

  /// What is asked for while a service waits for the disk.
  private struct Report {
    var services: [any RenderService] = []
    var errors: [ServiceError] = []
    var events: [ServiceEvent] = []
    var gaps: [Gap] = []
    /// Of services that are gone.
    var lostFrames = 0
    var thread: HostThread?
  }

  /// How many seconds the thread sleeps between two turns at the least: a service that falls behind does
  /// not take a processor for itself.
  private static let shortestSleep = 0.01

  private let frameCount: Int
  private let longestSleep: Double
  /// Held while a service is called.
  private let entries = Mutex<[Entry]>([])
  /// Held for a moment. Whoever holds it takes no other lock.
  private let report = Mutex(Report())
  private let isStopping = Atomic<Bool>(false)
  private let alarm = WakeSignal()

  /// - Parameters:
  ///   - frameCount: What every call asks for at the least: frames in hand, or room for as many. The
  ///     largest number that the device may pull at once.
  ///   - longestSleep: Seconds between two turns at the most, so that what has happened is told soon.
  public init(atLeast frameCount: Int = 4096, longestSleep: Double = 0.1) {
    self.frameCount = frameCount
    self.longestSleep = longestSleep
  }

  /// Whoever forgets `stop` still leaves no thread behind.
  deinit { stopThread() }

  /// Calls every service once, in this thread, so that the first slice finds what it needs; then
  /// goes on in a thread of its own, whenever a service needs it.
  ///
  /// - Parameter chore: What that thread does besides, each time, with no lock held. Returns in how many
  ///   seconds it has to be done again at the latest, if nobody calls `wake()`.
  public func start(
    _ services: [any RenderService] = [], chore: @escaping @Sendable () -> Double = { .infinity }
  ) throws(HardwareError) {
    for service in services { add(service) }
    guard report.withLock({ $0.thread == nil }) else { return }
    isStopping.store(false, ordering: .relaxed)
    let thread = try HostThread("patchrun files") { [weak self, alarm] in
      // Not held while asleep: the last owner may let go in between.
      while let seconds = self?.turn(chore) { alarm.sleep(seconds) }
    }
    report.withLock { $0.thread = thread }
  }

  /// Has the thread take its next turn at once. Any thread but the render thread: it is a system call.
  public func wake() { alarm.wake() }

  /// Adds a service and calls it once, before a slice needs it.
  public func add(_ service: any RenderService) {
    // How long the thread may sleep is another question now.
    defer { wake() }
    entries.withLock { entries in
      guard !entries.contains(where: { $0.service === service }) else { return }
      var entry = Entry(service: service)
      run(&entry)
      entries.append(entry)
      report.withLock { $0.services.append(service) }
    }
  }

  /// Finishes a service that no slice needs any more, and lets it go.
  public func remove(_ service: any RenderService) {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.service === service }) else { return }
      finish(entries.remove(at: index))
    }
  }

  /// Ends the thread, then finishes every service. Called when no slice follows.
  public func stop() {
    stopThread()
    entries.withLock { entries in
      tellGaps(to: entries)
      for entry in entries { finish(entry) }
      entries = []
    }
  }

  /// Calls every service before a slice of so many frames, in this thread, which is the one that
  /// renders it: for hardware that pulls faster than files are read ahead.
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

  /// What has failed so far, each failure once. A service that has failed is not called again, but
  /// finished.
  public var errors: [ServiceError] { report.withLock { $0.errors } }

  /// What has happened to files since the last call.
  public func takeEvents() -> [ServiceEvent] {
    let (events, services) = report.withLock { report in
      defer { report.events = [] }
      return (report.events, report.services)
    }
    return events + services.compactMap { $0.takeOngoingEvent() }
  }

  /// Tells recordings of time that has passed and is not in them, between two frames of which the second was
  /// rendered `ago` seconds before. They are told in the thread.
  public func noteGap(seconds: Double, ago: Double = 0, cause: String) {
    let past = UInt64(max(0, min(ago, 1e9)) * 1e9)
    let now = monotonicNanoseconds()
    report.withLock {
      $0.gaps.append(Gap(seconds: seconds, end: now - min(now, past), cause: cause))
    }
    wake()
  }

  /// Frames that were not there in time, or that there was no room for, since the beginning.
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

  /// Does what is to be done now, and returns in how many seconds to do it again; `nil` at the end.
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
