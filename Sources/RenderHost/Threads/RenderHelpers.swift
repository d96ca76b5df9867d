import CShims
import RenderCore
import Synchronization

/// The threads that help to render. They start with the first plan for several threads, and end
/// with their owner.
package final class RenderHelpers: Sendable {
  let crew: RenderCrew
  /// The number of helpers, without the thread that pulls.
  private let count: Int
  private let threads = Mutex<[HostThread]>([])

  /// - Parameter inRealTime: Whether a clock times the pulls.
  init(count: Int, inRealTime: Bool = false) {
    self.count = count
    crew = RenderCrew(inRealTime: inRealTime)
  }

  deinit {
    crew.end()
    for thread in threads.withLock({ $0 }) { thread.join() }
  }

  /// Whether there is a helper.
  var isAtWork: Bool { threads.withLock { !$0.isEmpty } }

  /// Starts the missing helpers. It is no error if one cannot be started, because rendering works
  /// without helpers. Control thread.
  package func start() {
    threads.withLock { threads in
      while threads.count < count {
        let crew = crew
        let thread = try? HostThread("patchrun renders") {
          let denormals = shims_denormals_off()
          crew.help(joining: Self.becomes(asUrgentAs:))
          shims_denormals_restore(denormals)
        }
        guard let thread else { return }
        threads.append(thread)
      }
    }
  }

  /// Asks the system for the scheduling of the thread that pulls, where this thread has less. Returns
  /// whether it has as much now.
  private static func becomes(asUrgentAs urgency: Int32) -> Bool {
    if shims_urgency() < urgency { _ = HostThread.requestRealTime() }
    return shims_urgency() >= urgency
  }
}
