import CShims
import RenderCore
import Synchronization

/// The threads that help the one that pulls: started when there is a plan for several, and ended with
/// their owner.
final class RenderHelpers: Sendable {
  let crew = RenderCrew()
  /// How many there are to be, beside the thread that pulls.
  private let count: Int
  private let threads = Mutex<[HostThread]>([])

  init(count: Int) { self.count = count }

  deinit {
    crew.end()
    for thread in threads.withLock({ $0 }) { thread.join() }
  }

  /// Starts those that are not there. One that cannot be started is not missed. Control thread.
  func start() {
    threads.withLock { threads in
      while threads.count < count {
        let crew = crew
        let thread = try? HostThread("patchrun renders") {
          let denormals = shims_denormals_off()
          crew.help()
          shims_denormals_restore(denormals)
        }
        guard let thread else { return }
        threads.append(thread)
      }
    }
  }
}
