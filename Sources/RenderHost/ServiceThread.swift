public import RenderCore
import Synchronization

/// Runs the services of a live graph, reading ahead and writing down, beside the render thread.
///
/// Used from the control thread. A service is called by one thread at a time. Between two turns the
/// thread sleeps for as long as every service has to spare, at least 10 ms.
public final class ServiceThread: Sendable {
  private struct Entry {
    let service: any RenderService
    var hasFailed = false
  }

  private struct State {
    var entries: [Entry] = []
    var errors: [ServiceError] = []
    var events: [ServiceEvent] = []
    /// Of services that are gone.
    var lostFrames = 0
    var thread: HostThread?
  }

  /// How many seconds the thread sleeps between two turns at the least: a service that falls behind does
  /// not take a processor for itself.
  private static let shortestSleep = 0.01

  private let frameCount: Int
  private let longestSleep: Double
  private let state = Mutex(State())
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
    guard state.withLock({ $0.thread == nil }) else { return }
    isStopping.store(false, ordering: .relaxed)
    let thread = try HostThread("patchrun files") { [weak self, alarm] in
      // Not held while asleep: the last owner may let go in between.
      while let seconds = self?.turn(chore) { alarm.sleep(seconds) }
    }
    state.withLock { $0.thread = thread }
  }

  /// Has the thread take its next turn at once. Any thread but the render thread: it is a system call.
  public func wake() { alarm.wake() }

  /// Adds a service and calls it once, before a slice needs it.
  public func add(_ service: any RenderService) {
    // How long the thread may sleep is another question now.
    defer { wake() }
    state.withLock { state in
      guard !state.entries.contains(where: { $0.service === service }) else { return }
      state.entries.append(Entry(service: service))
      run(state.entries.count - 1, &state)
    }
  }

  /// Finishes a service that no slice needs any more, and lets it go.
  public func remove(_ service: any RenderService) {
    state.withLock { state in
      guard let index = state.entries.firstIndex(where: { $0.service === service }) else { return }
      finish(state.entries.remove(at: index), &state)
    }
  }

  /// Ends the thread, then finishes every service. Called when no slice follows.
  public func stop() {
    stopThread()
    state.withLock { state in
      let entries = state.entries
      state.entries = []
      for entry in entries { finish(entry, &state) }
    }
  }

  /// Calls every service before a slice of so many frames, in this thread, which is the one that
  /// renders it: for hardware that pulls faster than files are read ahead.
  public func serve(inStepFor frameCount: Int) {
    state.withLock { state in
      for index in state.entries.indices where !state.entries[index].hasFailed {
        do throws(ServiceError) {
          try state.entries[index].service.service(inStepFor: frameCount)
        } catch {
          state.entries[index].hasFailed = true
          state.errors.append(error)
        }
        state.events += state.entries[index].service.takeEvents()
      }
    }
  }

  /// What has failed so far, each failure once. A service that has failed is not called again, but
  /// finished.
  public var errors: [ServiceError] { state.withLock { $0.errors } }

  /// What has happened to files since the last call.
  public func takeEvents() -> [ServiceEvent] {
    state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  /// Tells recordings of time that has passed and is not in them.
  public func noteGap(seconds: Double, cause: String) {
    state.withLock { state in
      for entry in state.entries {
        entry.service.noteGap(seconds: seconds, cause: cause)
        state.events += entry.service.takeEvents()
      }
    }
  }

  /// Frames that were not there in time, or that there was no room for, since the beginning.
  public var lostFrames: Int {
    state.withLock { $0.entries.reduce($0.lostFrames) { $0 + $1.service.lostFrames } }
  }

  private func stopThread() {
    isStopping.store(true, ordering: .relaxed)
    wake()
    let thread = state.withLock { state in
      defer { state.thread = nil }
      return state.thread
    }
    thread?.join()
  }

  // MARK: The thread

  /// Does what is to be done now, and returns in how many seconds to do it again; `nil` at the end.
  private func turn(_ chore: () -> Double) -> Double? {
    guard !isStopping.load(ordering: .relaxed) else { return nil }
    var seconds = min(chore(), longestSleep)
    state.withLock { state in
      for index in state.entries.indices {
        run(index, &state)
        guard !state.entries[index].hasFailed else { continue }
        seconds = min(
          seconds, state.entries[index].service.secondsToSpare(atLeast: frameCount))
      }
    }
    return max(seconds, Self.shortestSleep)
  }

  private func run(_ index: Int, _ state: inout State) {
    guard !state.entries[index].hasFailed else { return }
    do throws(ServiceError) {
      try state.entries[index].service.service(atLeast: frameCount)
    } catch {
      state.entries[index].hasFailed = true
      state.errors.append(error)
    }
    state.events += state.entries[index].service.takeEvents()
  }

  private func finish(_ entry: Entry, _ state: inout State) {
    do throws(ServiceError) { try entry.service.finish() } catch {
      if !state.errors.contains(error) { state.errors.append(error) }
    }
    state.events += entry.service.takeEvents()
    state.lostFrames += entry.service.lostFrames
  }
}
